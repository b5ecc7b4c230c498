// Runs one case to its end and returns its outcome with its problems.
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { checkHistory } from "../../functions/turn/check-request.ts";
import { messagesOf } from "../../shared/session/history.ts";
import type { Entry } from "../../shared/session/session-state.ts";
import type { Sandbox } from "./edge-life.ts";
import { type Fault, Faults } from "./faults.ts";
import { ScriptedMind } from "./mind.ts";
import { Person } from "./person.ts";
import type { Problem } from "./problem.ts";
import type { DraftedCase } from "./schedule.ts";
import { storyOf } from "./story.ts";
import { World } from "./world.ts";

export interface Lane {
  sandbox: Sandbox;
  /** The path of the workspace on the disk. */
  folder: string;
}

export interface CaseResult {
  /** The number of await points that were passed. */
  points: number;
  /** The number of deaths; `cuts`: the number of connections that were cut or went silent. */
  kills: number;
  cuts: number;
  asked: number;
  subrequests: number;
  /** The files of the case at its end, by name. */
  files: Record<string, string>;
  /**
   * The number of commands for which the phone could not know whether they ran, so that the person looked and
   * said so.
   */
  doubts: number;
  /**
   * The transcript and the files without the parts that differ from run to run: ids, times, the case's own
   * folder.
   */
  story: string;
  problems: Problem[];
  trace: string[];
}

export interface PlannedCase extends Omit<DraftedCase, "name" | "faults"> {
  faults: readonly Fault[];
}

/** When a case counts as hanging. Progress decides and not duration, since machines are busy. */
export interface Patience {
  /** The time in which the case passes no await point. */
  stillMs: number;
  /**
   * The number of await points: an undisturbed case has 100 to 250, and one with twelve faults may have four
   * times that.
   */
  points: number;
}

const lookMs = 250;
const ordinary: Patience = { stillMs: 60_000, points: 5_000 };

export async function runCase(
  lane: Lane,
  settings: PlannedCase,
  patience: Patience = ordinary,
): Promise<CaseResult> {
  const folder = `case${settings.seed}`;
  const mind = new ScriptedMind(settings.scenario.script(folder));
  const faults = new Faults(settings.faults);
  const { seed, host, stopsElsewhere } = settings;
  const world = new World({ seed, host, sandbox: lane.sandbox, mind, faults, stopsElsewhere });
  const { habits, traces } = settings.scenario;
  const person = new Person(world, {
    ...habits,
    async hasRun(toolCallId) {
      const [file = "", text = ""] = traces[toolCallId] ?? [];
      return (await readFile(join(lane.folder, folder, file), "utf8").catch(() => "")).includes(text);
    },
  });
  await mkdir(join(lane.folder, folder), { recursive: true });
  const problems: Problem[] = [];
  try {
    await unlessHanging(person.live(), faults, patience);
    await unlessHanging(Promise.all(world.stray), faults, patience);
  } catch (error) {
    const rule = error instanceof Late ? "it hangs" : "it failed";
    problems.push({ rule, text: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    if (error instanceof Late)
      problems.push({ rule, text: `${world.clock.sleepers} long sleeps; waited for:\n${faults.waiting()}` });
  }
  faults.hush();
  world.end();
  const entries = await person.entries().catch((error: unknown) => {
    problems.push({ rule: "a durable event was lost", text: String(error) });
    return [];
  });
  world.seen.compare(entries);
  problems.push(...world.seen.problems, ...mind.problems);
  problems.push(...historyProblems(entries, habits.says));
  const files = await readFolder(join(lane.folder, folder));
  // A command of a case that was given up may still write there, so the removal is repeated.
  await rm(join(lane.folder, folder), { recursive: true, force: true, maxRetries: 10 });
  const story = `${storyOf(entries, folder, mind.givenUp)}\n${JSON.stringify(files)}`;
  const { count: points, kills, cuts, trace } = faults;
  const { subrequests } = world;
  const doubts = entries.filter(
    (entry) => entry.event === "permission" && entry.data.risk === "outcome_unknown",
  ).length;
  return { doubts, points, kills, cuts, asked: mind.asked, subrequests, files, story, problems, trace };
}

/** Checks that every call has its result, and that all of `says` is there, once and in order. */
export function historyProblems(entries: readonly Entry[], says: readonly string[]): Problem[] {
  const problems: Problem[] = [];
  const messages = messagesOf(entries);
  try {
    checkHistory(messages);
  } catch (error) {
    problems.push({ rule: "the history is invalid", text: String(error) });
  }
  const said = messages.flatMap(({ role, content }) =>
    role === "user" && says.includes(content) ? [content] : [],
  );
  if (JSON.stringify(said) !== JSON.stringify(says))
    problems.push({
      rule: "a user message was lost",
      text: `said ${JSON.stringify(says)}, kept ${JSON.stringify(said)}`,
    });
  return problems;
}

async function readFolder(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)),
  );
}

class Late extends Error {}

function unlessHanging<T>(work: Promise<T>, faults: Faults, { stillMs, points }: Patience): Promise<T> {
  let watch: NodeJS.Timeout | undefined;
  const hangs = new Promise<never>((_, reject) => {
    let reached = faults.count;
    let still = 0;
    watch = setInterval(() => {
      still = faults.count === reached ? still + 1 : 0;
      reached = faults.count;
      if (reached > points) reject(new Late(`it goes in circles: ${reached} await points`));
      else if (still * lookMs >= stillMs) reject(new Late(`nothing moved for ${stillMs} ms`));
    }, lookMs);
  });
  return Promise.race([work, hangs]).finally(() => clearInterval(watch));
}
