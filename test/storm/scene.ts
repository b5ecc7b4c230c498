// One scene of the storm: several sessions at once in one town, and the disturbances meanwhile.
import { rm } from "node:fs/promises";
import { random } from "../fakes/model-stream.ts";
import { disturb, type Scenery, type Toll } from "./disturb.ts";
import { endMs, hangMs, judge, judgeReplays } from "./judge.ts";
import { queuedBy, waitedForCoreMs } from "./own-time.ts";
import { Pulse } from "./pulse.ts";
import { inWords, type Schedule } from "./schedule.ts";
import type { Mind } from "./script.ts";
import { Session } from "./session.ts";
import { stormToken, type Town } from "./town.ts";

/** How often the end of the scene is checked, in the servers' own time. */
const lookAgainMs = 1_000;

export interface SceneResult {
  /** Each with the expected and the actual result. */
  problems: string[];
  /** Everything needed to understand it: the schedule, what each session did, the servers' logs. */
  story: string[];
  effects: number;
  /** The longest time that a session continued after the last disturbance. */
  slowestMs: number;
  /** The same without the time in which the servers had no core. */
  slowestOwnMs: number;
  /** Disturbances that happened while something ran. */
  disturbances: number;
}

export async function runScene(town: Town, mind: Mind, schedule: Schedule, toll: Toll): Promise<SceneResult> {
  const next = random(schedule.seed * 7_919 + 13);
  const pulse = new Pulse();
  const names = Array.from({ length: schedule.sessions }, (_, n) => `s${schedule.seed}x${n}`);
  await Promise.all(names.map((name) => town.makeSandbox(name, schedule.kind === "workspaces")));
  const sessions = names.map(
    (name) => new Session(name, { town, mind, next, pulse: pulse.beat, companions: schedule.clients - 1 }),
  );
  const problems: string[] = [];
  const asides = new Map<Promise<void>, string>();
  const over = new AbortController();
  const scenery: Scenery = {
    ...{ town, sessions, toll, next, problems, over: over.signal },
    aside(what, work) {
      asides.set(work, what);
      void work.then(() => asides.delete(work));
    },
  };
  const lives = sessions.map((session) =>
    session.live().catch((error: unknown) => {
      session.problems.push(`it broke: ${error instanceof Error ? error.stack : String(error)}`);
      for (const client of session.clients) client.leave();
    }),
  );
  const all = Promise.all(lives).then(() => pulse.end());
  let disturbances = 0;
  let lastAt = performance.now();
  let queued = queuedBy(town.servers);
  for (const disturbance of schedule.disturbances) {
    if (!(await pulse.at(disturbance.at))) break;
    await disturb(scenery, disturbance.act);
    disturbances += 1;
    lastAt = performance.now();
    queued = queuedBy(town.servers);
  }
  const waited = () => waitedForCoreMs(town.servers, queued);
  // A session that has not ended by then hangs.
  for (let over = false; !over && performance.now() - lastAt < Math.min(hangMs, 2 * endMs + waited()); )
    over = await within(all, lookAgainMs);
  const measure = { kind: schedule.kind, lastDisturbanceAt: lastAt, waitedMs: waited() };
  const slowestMs = Math.max(0, ...sessions.map(({ endedAt = Infinity }) => endedAt - lastAt));
  for (const session of sessions) {
    const found = await judge(session, measure);
    if (session.endedAt !== undefined) found.push(...(await judgeReplays(session, measure, town)));
    problems.push(...found.map((problem) => `${session.name}: ${problem}`));
    for (const client of session.clients) client.leave();
  }
  over.abort();
  if (!(await within(Promise.all([all, ...asides.keys()]), 2 * endMs))) {
    const open = [
      ...asides.values(),
      ...sessions.flatMap(({ clients }) => clients.flatMap(({ pending }) => pending)),
    ];
    problems.push(`what its clients had open has no end: ${open.join("; ")}`);
  }
  const counts = await Promise.all(
    sessions.flatMap((session) => session.script.effects.map(({ id }) => session.count(id))),
  );
  const story =
    problems.length === 0
      ? []
      : [
          `scene ${schedule.seed}, ${schedule.kind}, ${town.settings.runtime}${town.settings.jail ? ", jail" : ""}`,
          ...schedule.disturbances.map(inWords),
          ...sessions.flatMap((session) =>
            problems.some((text) => text.startsWith(session.name)) ? session.story : [],
          ),
          ...town.servers.flatMap(({ name, log }) =>
            log.slice(-8).map((line) => `${name}: ${line.slice(0, 300)}`),
          ),
        ];
  await cleanUp(town, mind, sessions, schedule);
  return {
    problems,
    story,
    effects: counts.reduce((sum, count) => sum + count, 0),
    slowestMs,
    slowestOwnMs: Math.max(0, slowestMs - measure.waitedMs),
    disturbances,
  };
}

async function cleanUp(
  town: Town,
  mind: Mind,
  sessions: readonly Session[],
  { kind }: Schedule,
): Promise<void> {
  if (kind === "clocks") await town.setClocks(0);
  for (const { name, folder } of sessions) {
    mind.forget(name);
    const url = `${town.sandboxUrl}/v1/sandboxes/${name}`;
    const deleted = await fetch(url, {
      method: "DELETE",
      headers: { authorization: `Bearer ${stormToken}` },
    });
    await deleted.text();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether the work ended within that time. */
function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
