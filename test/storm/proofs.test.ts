// Each promise that the storm checks is broken once in the product, and the storm must report it by name.
import { beforeAll, describe, expect, test } from "vitest";
import { build } from "../../scripts/build.ts";
import { mutantServer } from "../fault/mutant.ts";
import type { Act, Disturbance, Kind, Victim } from "./schedule.ts";
import { storm } from "./storm.ts";

interface Broken {
  name: string;
  /** `from` is replaced by `to` in this file. */
  file: string;
  from: string;
  to: string;
  kinds: readonly Kind[];
  /** The disturbances, if the kind alone would need many seeds to hit the right moment. */
  disturbances?: readonly Disturbance[];
  /** The report that is expected of the storm. */
  finds: RegExp;
  takesRoot?: true;
}

/** Repeats an act, from shortly after the beginning. */
const often = (act: Act): Disturbance[] => Array.from({ length: 10 }, (_, n) => ({ at: 10 + 9 * n, act }));
const deaths = (victim: Victim) => often({ do: "kill", victim, downMs: 0 });

const broken: readonly Broken[] = [
  {
    name: "a command whose server died runs again",
    file: "sandbox/journal/call-entry.ts",
    from: '"tree" in args',
    to: '"command" in args',
    kinds: ["deaths"],
    disturbances: deaths("sandbox"),
    finds: /an effect happened 2 times/,
  },
  {
    name: "the journal keeps other words than were sent",
    file: "sandbox/journal/journal-lines.ts",
    from: "JSON.stringify(line)",
    to: 'JSON.stringify(line).replace("Still here", "Still gone")',
    kinds: ["stops"],
    finds: /a replay differs/,
  },
  {
    name: "nobody notices that a runner is gone",
    file: "sandbox/journal/attendance.ts",
    from: "return this.#runner !== undefined && !this.#silent;",
    to: "return true;",
    kinds: ["deaths"],
    disturbances: [{ at: 20, act: { do: "kill", victim: "edge a", downMs: 0 } }],
    finds: /no end within/,
  },
  {
    name: "a command of which nothing is known is said not to have run",
    file: "sandbox/journal/recover-calls.ts",
    from: 'code: "outcome_unknown",\n      message,',
    to: 'code: "not_run",\n      message: "This did not run.",',
    kinds: ["deaths"],
    disturbances: deaths("sandbox"),
    finds: /said not to have run and is there/,
  },
  {
    name: "a stop leaves calls without results",
    file: "functions/turn/end-stopped.ts",
    from: "...results];",
    to: "...results.slice(1)];",
    kinds: ["stops"],
    disturbances: often({ do: "stop" }),
    finds: /the history is invalid/,
  },
  {
    name: "a turn goes on from a copied journal without a question",
    file: "sandbox/journal/turn-log.ts",
    from: "!over && this.#begunIn !== undefined &&",
    to: "false &&",
    kinds: ["copies"],
    disturbances: [
      { at: 40, act: { do: "copy state" } },
      { at: 42, act: { do: "restore state", away: true } },
    ],
    finds: /an effect happened 2 times/,
  },
  {
    name: "a second server is let in",
    file: "sandbox/state-lock.ts",
    from: "if (lock(program, folder)) {",
    to: "if (lock(program, folder) || state !== '') {",
    kinds: ["second servers"],
    finds: /was not refused in words/,
    takesRoot: true,
  },
];

const isRoot = process.platform === "linux" && process.getuid?.() === 0;
/** A break shows only if a disturbance hits the right moment, so this many scenes are tried. */
const scenes = 4;

// Each proof takes minutes, so they run only if the variable is set, as CONTRIBUTING describes.
const asked = process.env.HANDRAIL_STORM_PROOFS !== undefined;

describe.skipIf(!asked)("what the storm must notice", { tags: "long", timeout: 5 * 60_000 }, () => {
  beforeAll(() => build(["node", "sandbox", "pwa"]));

  for (const { name, file, from, to, kinds, disturbances, finds, takesRoot } of broken)
    test.skipIf(takesRoot && !isRoot)(name, async () => {
      const ofEdge = file.startsWith("functions/");
      const built = await mutantServer(file, from, to, ofEdge ? "functions/node.ts" : "sandbox/main.ts");
      const { failures } = await storm({
        firstSeed: 1,
        scenes,
        kinds,
        runtimes: ["node"],
        ...(disturbances ? { disturbances } : {}),
        bail: true,
        ...(ofEdge ? { edgeFile: built } : { sandboxFile: built }),
      });
      expect(failures.join("\n")).toMatch(finds);
    });
});
