// Disturbs a scene according to its schedule, and undoes each act, so that everything runs again afterwards.

import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { damageJournals, noteLosses } from "./damage.ts";
import type { Act, Victim } from "./schedule.ts";
import { trySecondServer } from "./second-server.ts";
import type { ServerProcess } from "./server-process.ts";
import type { Session } from "./session.ts";
import { copyState, restoreState } from "./state-copies.ts";
import { mount, type Town, tryMount } from "./town.ts";
import { textUntil, withoutHash } from "./turn-stream.ts";

/** Counts of the disturbances, over all scenes. */
export interface Toll {
  kills: number;
  freezes: number;
  zombies: number;
  acts: Record<string, number>;
}

export interface Scenery {
  town: Town;
  sessions: readonly Session[];
  toll: Toll;
  next(): number;
  problems: string[];
  /** Aborted when all sessions have ended, so that stray answers are read no longer. */
  over: AbortSignal;
  /** Runs work beside the scene. It ends on its own or with the scene. */
  aside(what: string, work: Promise<void>): void;
}

const dayMs = 86_400_000;
/** Time for a turn that the last death interrupted to continue without a client, and to do something. */
const takeUpMs = 2_500;
/** Running commands may write to a folder while it is deleted. */
const emptied = { recursive: true, force: true, maxRetries: 50, retryDelay: 2 };

export async function disturb(scenery: Scenery, act: Act): Promise<void> {
  const { town, sessions, toll } = scenery;
  toll.acts[act.do] = (toll.acts[act.do] ?? 0) + 1;
  switch (act.do) {
    case "kill":
      return kill(scenery, victims(town, act.victim), act.downMs);
    case "freeze": {
      const frozen = victims(town, act.victim);
      toll.freezes += frozen.length;
      for (const server of frozen) server.freeze();
      await pass(act.ms);
      for (const server of frozen) server.thaw();
      return;
    }
    case "zombie":
      return zombie(scenery, act.edge, act.impatient);
    case "reload":
      for (const { clients } of sessions)
        for (const client of clients) {
          client.impatient = act.impatient;
          client.reload(scenery.next() < 0.5 ? "a" : "b");
        }
      return;
    case "double post":
    case "late post":
    case "another input":
      for (const session of sessions)
        scenery.aside(`${act.do} of ${session.name}`, strayPost(scenery, session, act.do));
      return;
    case "stop":
      for (const { first, body } of sessions)
        if (body)
          scenery.aside(
            `stop of ${body.turnId}`,
            first.stop(body.sandboxId, body.turnId, scenery.over).then(drain, () => undefined),
          );
      return;
    case "fill disk": {
      const filler = join(town.state, "filler");
      await writeFile(filler, Buffer.alloc(1024 * 1024 * (town.settings.smallDiskMiB ?? 0))).catch(
        () => undefined,
      );
      await pass(act.ms);
      return rm(filler, { force: true });
    }
    case "read-only":
      await untilReadOnly(town.state);
      await pass(act.ms);
      return mount("-o", "remount,rw", town.state);
    case "damage journals":
      return withSandboxDown(scenery, () => damageJournals(town, sessions, act.how, act.share));
    case "copy state":
      return withSandboxDown(scenery, () => copyState(town));
    case "restore state": {
      const back = new AbortController();
      const over = new Promise((resolve) => back.signal.addEventListener("abort", resolve));
      for (const { clients } of act.away ? sessions : []) for (const client of clients) client.stayAway(over);
      if (act.away) await pass(takeUpMs);
      await withSandboxDown(scenery, async () => {
        await restoreState(town);
        await noteLosses(town, sessions, { copied: true });
      });
      if (act.away) await pass(takeUpMs);
      back.abort();
      return;
    }
    case "set clocks":
      return town.setClocks(act.days * dayMs);
    case "second server":
      scenery.aside(
        `second server, ${act.how}`,
        trySecondServer(town, act.how).then((problem) => void (problem && scenery.problems.push(problem))),
      );
      return;
    case "delete workspace":
      await Promise.all(sessions.map(({ folder }) => rm(folder, emptied)));
      return;
    case "remove .git":
      await Promise.all(sessions.map(({ folder }) => rm(join(folder, ".git"), emptied)));
  }
}

function victims({ sandbox, edges }: Town, victim: Victim): ServerProcess[] {
  const named: Record<Victim, ServerProcess[]> = {
    sandbox: [sandbox],
    "edge a": [edges.a],
    "edge b": [edges.b],
    both: [sandbox, edges.a],
    all: [sandbox, edges.a, edges.b],
  };
  return named[victim];
}

async function kill({ toll }: Scenery, servers: readonly ServerProcess[], downMs: number): Promise<void> {
  toll.kills += servers.length;
  await Promise.all(servers.map((server) => server.kill()));
  if (downMs > 0) await pass(downMs);
  await Promise.all(servers.map((server) => server.start()));
}

async function withSandboxDown({ town, toll }: Scenery, work: () => Promise<void>): Promise<void> {
  toll.kills += 1;
  await town.sandbox.kill();
  await work();
  await town.sandbox.start();
}

/** Retries, because a file system cannot be made read-only while a file on it is being written. */
async function untilReadOnly(folder: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const problem = tryMount("-o", "remount,ro", folder);
    if (problem === undefined) return;
    if (tries === 200) throw new Error(problem);
    await pass(5);
  }
}

/**
 * How long a frozen edge sleeps: longer than it takes to notice that a turn has no runner and to take it
 * over.
 */
const patientMs = 5_500;
const impatientMs = 400;

async function zombie({ town, sessions, toll }: Scenery, edge: "a" | "b", impatient: boolean): Promise<void> {
  const other = edge === "a" ? "b" : "a";
  toll.freezes += 1;
  toll.zombies += 1;
  town.edges[edge].freeze();
  for (const { clients } of sessions)
    for (const client of clients)
      if (client.edge === edge) {
        client.impatient = impatient;
        client.reload(other);
      }
  await pass(impatient ? impatientMs : patientMs);
  town.edges[edge].thaw();
}

/** Late, repeated or wrong requests of other clients. They must not change what the rightful client sees. */
async function strayPost(
  scenery: Scenery,
  { first, body, seen, name }: Session,
  what: "double post" | "late post" | "another input",
): Promise<void> {
  if (!body || first.after(body.turnId) === 0) return;
  const attempt = what === "double post" ? first.attemptOf(body.turnId) : 1;
  const sent =
    what === "another input"
      ? { ...body, input: { type: "message" as const, text: "something else" } }
      : body;
  try {
    const response = await first.post({ ...sent, attempt: Math.max(1, attempt), after: 0 }, scenery.over);
    const text = await textUntil(response, scenery.over);
    if (response.ok) for (const part of text.split(/(?<=\n\n)/)) seen.see(body.turnId, withoutHash(part));
    if (what === "another input" && response.ok)
      scenery.problems.push(`${name}: another input under a known turnId was taken`);
  } catch {
    // The edge has died.
  }
}

async function drain(response: Response): Promise<void> {
  await response.text().catch(() => "");
}
