// Sessions in guests while processes die: SIGKILL ends the guest, the edge and the engine itself at random
// moments of a creation and of two turns. Some cases run in real containers, and many more on a fake engine
// with real servers. HANDRAIL_GUEST_DEATHS=N tries N seeds there, five at the same time, and
// HANDRAIL_DOCKER_DEATHS=N in docker. HANDRAIL_SEED=N begins with the seed that a failure names.
// @module-tag long
import { afterAll, beforeAll, describe, test } from "vitest";
import { guestNameOf } from "../../functions/engines/guest-id.ts";
import { build } from "../../scripts/build.ts";
import { GuestCounts, SandboxAnswer } from "../../shared/api.ts";
import { ask, post } from "../contract/http/request.ts";
import { random } from "../fakes/model-stream.ts";
import { canRunDocker } from "../harness/docker.ts";
import { secret } from "../harness/docker-guests.ts";
import { runs } from "../harness/runs.ts";
import { historyProblems } from "./case.ts";
import { suiteToken } from "./edge-life.ts";
import { Faults } from "./faults.ts";
import { type GuestLane, GuestLanes } from "./guest-lanes.ts";
import { dockerWorld, playedWorld } from "./guest-world.ts";
import { Person } from "./person.ts";
import type { Problem } from "./problem.ts";
import { commands } from "./scenarios.ts";
import { historyProblem } from "./wire-history.ts";

const first = Number(process.env.HANDRAIL_SEED ?? 1);
const worlds = [
  {
    ...{ name: "on a played engine", open: playedWorld, ready: true, sideBySide: 5 },
    cases: Number(process.env.HANDRAIL_GUEST_DEATHS ?? runs(30, 10, 10)),
  },
  {
    ...{ name: "in docker", open: dockerWorld, ready: canRunDocker, sideBySide: 1 },
    cases: Number(process.env.HANDRAIL_DOCKER_DEATHS ?? runs(10, 1, 1)),
  },
];
/** Other tests cover the phone's back-offs of seconds. Here its time runs faster. */
const hurry = 20;
/**
 * A guest goes to sleep after three seconds without use, and so also between two turns that something delays.
 */
const settings = { HANDRAIL_ENGINE: "docker", HANDRAIL_GUEST_IDLE_MINUTES: "0.05", HANDRAIL_GUEST_COST: "1" };
/** At this time, everything that an edge began and did not finish counts as a leftover. */
const later = () => Date.now() + 11 * 60_000;

describe.each(worlds.filter(({ ready, cases }) => ready && cases > 0))(
  "guests whose hosts die, $name",
  { tags: "seeds" },
  ({ open, cases, sideBySide }) => {
    const lanes = new GuestLanes(open, settings, sideBySide);
    beforeAll(async () => {
      await build(["node", "sandbox"]);
      await lanes.open();
    }, 900_000);
    afterAll(() => lanes.close());

    const seeds = Array.from({ length: cases }, (_, index) => first + index);
    const each = sideBySide > 1 ? test.concurrent : test;
    each.for(seeds)(
      "seed %i: nothing twice, nothing lost, no guest left over",
      { timeout: 240_000 },
      (seed, { expect, onTestFailed }) =>
        lanes.use(async ({ world, model, edge }: GuestLane) => {
          const target = () => ({ url: edge.url, token: suiteToken });
          /**
           * Retries until the edge answers, and until the answer does not say that something is temporarily
           * away.
           */
          async function insist(path: string, init?: RequestInit) {
            for (;;) {
              const answer = await ask(target(), path, init).catch(() => undefined);
              if (answer && answer.status < 500 && answer.status !== 429) return answer;
              await new Promise((resolve) => setTimeout(resolve, 50));
            }
          }
          const next = random(seed * 7919);
          const problems: Problem[] = [];
          const script = commands.script("case");
          model.play(({ messages }) => {
            const problem = historyProblem(messages);
            if (problem) problems.push({ rule: "the history is invalid", text: problem });
            return (
              script[messages.filter(({ role }) => role === "assistant").length] ?? {
                text: "Nothing is left.",
              }
            );
          });
          let sandboxId = "";
          const trace: string[] = [];
          // If a run does not end, this shows the request for which it was waiting.
          let doing = () => "";
          onTestFailed(() => console.error(`seed ${seed}: ${trace.join(", ")}; ${doing()}`));
          const die = async () => {
            const dice = next();
            if (dice < 0.45) {
              trace.push("the guest dies");
              await world.killGuest();
            } else if (dice < 0.85) {
              trace.push("the edge dies");
              await edge.kill();
              await edge.start();
            } else {
              trace.push("the engine dies");
              await world.killEngine(next() * 1_000);
            }
            trace.push("it is back");
          };
          /**
           * The deaths come one after the other, because the phone may have several streams at the same time.
           */
          let dying = Promise.resolve();
          const dies = () => {
            dying = dying.then(die);
            return dying;
          };

          // In half of the cases a phone asks for another guest, the edge dies, and the phone does not ask
          // again.
          if (next() < 0.5) {
            let isAnswered = false;
            const body = post({ source: { sample: true }, key: `gone-${seed}` });
            const asked = ask(target(), "/api/sandboxes", body).then(
              (answer) => {
                isAnswered = true;
                return answer;
              },
              () => undefined,
            );
            const died = world.atCall(1 + Math.floor(next() * 14), async () => {
              if (!isAnswered) await edge.kill();
            });
            const answer = await Promise.race([asked, died.then(() => undefined)]);
            if (answer) {
              // The creation was faster or needed fewer calls than planned, so its guest is not a leftover.
              trace.push(`a guest is made before the edge dies: ${answer.status}`);
              const { sandboxId: unwanted } = SandboxAnswer.parse(answer.json);
              await insist(`/api/sandboxes/${unwanted}`, { method: "DELETE" });
            } else {
              await died;
              trace.push("a guest is given up");
              await edge.start();
            }
          }

          // In half of the cases something dies while the guest is being made.
          const body = post({ source: { sample: true }, key: `seed-${seed}` });
          const early =
            next() < 0.5
              ? new Promise((resolve) => setTimeout(resolve, next() * 1_500)).then(dies)
              : undefined;
          const made = await insist("/api/sandboxes", body);
          await early;
          expect(made.status, made.text).toBe(201);
          ({ sandboxId } = SandboxAnswer.parse(made.json));
          trace.push("it is made");

          const file = async (name: string) =>
            (await insist(`/api/sandboxes/${sandboxId}/file?path=case/${name}`)).text;
          const deaths = new Set(Array.from({ length: 3 }, () => 1 + Math.floor(next() * 25)));
          let pieces = 0;
          const person = new Person(
            {
              faults: new Faults(),
              sandboxId,
              clock: { now: Date.now, sleep: pause },
              newId: () => crypto.randomUUID().slice(0, 12),
              phoneFetch: () => async (path, init) => {
                const headers = new Headers(init?.headers);
                headers.set("authorization", `Bearer ${suiteToken}`);
                // Node's fetch, in place of a browser's: a compressed body that is given up while it is decompressed
                // neither ends nor fails on Node 20, and the phone would wait for it forever.
                headers.set("accept-encoding", "identity");
                const response = await fetch(new URL(String(path), edge.url), { ...init, headers });
                if (!response.body || !response.ok) return response;
                const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
                  async transform(chunk, controller) {
                    controller.enqueue(chunk);
                    pieces += 1;
                    if (deaths.delete(pieces)) await dies();
                  },
                });
                return new Response(response.body.pipeThrough(heard), response);
              },
            },
            {
              ...commands.habits,
              async hasRun(toolCallId) {
                const [name, line] = commands.traces[toolCallId] ?? ["", ""];
                return (await file(name)).includes(line);
              },
            },
          );
          doing = () => person.doing();
          await person.live();
          trace.push("all is said");
          const entries = await person.entries();
          problems.push(...historyProblems(entries, commands.habits.says));
          const [log, note] = [await file("log.txt"), await file("n.txt")];
          // A command that was recorded as done ran exactly once. A command that a death cut is reported as
          // such, and ran once or not at all, because the scripted model does not retry.
          const said = (id: string) =>
            entries.flatMap((entry) =>
              entry.event === "message" &&
              entry.data.message.role === "tool" &&
              entry.data.message.toolCallId === id
                ? [entry.data.message.content.slice(0, 60)]
                : [],
            );
          const wrong = Object.entries(commands.traces).flatMap(([id, [name, line]]) => {
            const times = (name === "log.txt" ? log : note).split(line).length - 1;
            const unrecorded = /^(error|REJECTED)|no result of this|stopped/i.test(
              said(id).at(-1) ?? "error",
            );
            return times === 1 || (times === 0 && unrecorded) ? [] : [{ id, times, said: said(id) }];
          });
          expect({ seed, trace, problems, wrong }).toEqual({ seed, trace, problems: [], wrong: [] });

          // The phone may still listen, and must not cause further deaths.
          deaths.clear();
          await dying;
          // The turn has no viewer any more: the guest goes to sleep, costs nothing, and is intact when it is
          // needed again.
          const engine = await world.engine(later);
          // A creation that was given up is removed after ten minutes, with everything it left.
          await engine.tend?.();
          // Its edge may have died with the sandbox made and the answer not sent. Then it is a session: the list shows it.
          const unanswered = await guestNameOf(secret, `gone-${seed}`);
          if ((await engine.list()).some(({ guest }) => guest === unanswered)) {
            trace.push("what was given up is a session");
            expect(world.left()).not.toContain(`handrail-new-${unanswered}`);
            expect((await insist("/api/sandboxes")).text).toContain(`docker--${unanswered}`);
            expect((await insist(`/api/sandboxes/docker--${unanswered}`, { method: "DELETE" })).status).toBe(
              204,
            );
          }
          await expect.poll(() => engine.list()).toMatchObject([{ state: "asleep" }]);
          trace.push("it sleeps");
          const { json } = await insist("/api/metrics");
          const { states, dollarsPerHour } = GuestCounts.parse((json as { guests: unknown }).guests);
          expect({ seed, states, dollarsPerHour }).toEqual({
            ...{ seed, dollarsPerHour: 0 },
            states: { ready: 0, starting: 0, asleep: 1, gone: 0 },
          });
          expect(await file("log.txt")).toBe(log);
          trace.push("it woke");
          await engine.tend?.();
          expect((await engine.list()).map(({ guest }) => `docker--${guest}`)).toEqual([sandboxId]);
          expect((await insist(`/api/sandboxes/${sandboxId}`, { method: "DELETE" })).status).toBe(204);
          await engine.tend?.();
          expect(world.left()).toEqual([]);
        }),
    );
  },
);

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms / hurry);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
