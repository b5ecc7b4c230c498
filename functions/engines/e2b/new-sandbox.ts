// One sandbox of E2B for each name, though E2B names them itself and lists new ones late.
import { HandrailError } from "../../../shared/errors.ts";
import type { EngineContext, GuestSpec } from "../engine.ts";
import type { Described, E2bApi, Started } from "./e2b-api.ts";
import { pause } from "./pause.ts";

/** What a sandbox that is being made gets. One in use gets more than ten minutes. */
export const firstSeconds = 5 * 60;
/** A second creation that is given it extends its time to this. */
const joinedSeconds = firstSeconds + 30;
/** One that is made gets that much, until something is sent to it: it comes before others of its name, and is no guest yet. */
export const settledSeconds = joinedSeconds + 60;
/** Clocks differ by some seconds. */
const slackSeconds = 15;
/** E2B makes one sandbox a second on its first plan. */
const createPauseMs = 1_100;
const createTries = 8;
/** How often to list again if the new sandbox is missing. */
const listTries = 5;
const listPauseMs = 200;

export interface NewSandboxes {
  /** `existed`: one of that name was there before. */
  open(spec: GuestSpec, signal: AbortSignal | undefined): Promise<{ started: Started; existed: boolean }>;
  /**
   * Which sandbox of that name is the guest: `id`, which was just made, unless another edge made one at the same time that
   * lists did not have yet. Both edges come to the same.
   */
  settle(name: string, id: string): Promise<string>;
  /** Lists contain the new sandbox by now. */
  forget(): void;
}

export function newSandboxes(
  api: E2bApi,
  { owner, now }: Pick<EngineContext, "owner" | "now">,
  templateID: string,
  removeUnused: (id: string) => Promise<void>,
): NewSandboxes {
  /** What this process has just made or is making, by name: lists may not have it yet. */
  const made = new Map<string, Promise<string | undefined>>();
  const named = (name: string) => api.list({ handrail: owner, name });

  async function make(spec: GuestSpec, signal: AbortSignal | undefined): Promise<Started> {
    const { name, workspace, network, person = "", image = templateID } = spec;
    const attempt = crypto.randomUUID();
    const metadata = { handrail: owner, name, workspace, network, person, attempt };
    for (let tries = 1; ; tries += 1) {
      signal?.throwIfAborted();
      try {
        return await api.create({ templateID: image, timeout: firstSeconds, metadata });
      } catch (error) {
        const busy = error instanceof HandrailError && error.code === "rate_limited";
        if (busy && tries < createTries) {
          await pause(createPauseMs);
          continue;
        }
        // It may have been made although its answer was lost.
        if (!busy) await unmake(attempt).catch(() => undefined);
        throw error;
      }
    }
  }

  /** Removes what that call made. Lists may be late: whatever is missed here, `tend` finds. */
  async function unmake(attempt: string): Promise<void> {
    for (const { sandboxID } of await api.list({ handrail: owner, attempt })) await removeUnused(sandboxID);
  }

  /** Does not extend the time of one in use. undefined = gone. */
  async function join(id: string): Promise<Started | undefined> {
    const found = await api.get(id);
    if (!found) return undefined;
    const ranFor = found.state === "running" ? (now() - Date.parse(found.startedAt)) / 1_000 : 0;
    return api.connect(id, Math.max(1, Math.round(joinedSeconds - ranFor)));
  }

  return {
    async open(spec, signal) {
      const earlier = (await made.get(spec.name)) ?? eldest(await named(spec.name));
      const started = earlier && (await join(earlier));
      if (started) return { started, existed: true };
      const making = make(spec, signal);
      const id = making.then(
        ({ sandboxID }) => sandboxID,
        () => undefined,
      );
      made.set(spec.name, id);
      return { started: await making, existed: false };
    },
    async settle(name, id) {
      for (let tries = 0; tries < listTries; tries += 1) {
        const all = await named(name);
        if (!all.some(({ sandboxID }) => sandboxID === id)) {
          await pause(listPauseMs);
          continue;
        }
        const one = eldest(all) ?? id;
        made.set(name, Promise.resolve(one));
        return one;
      }
      return id;
    },
    forget: () => made.clear(),
  };
}

/** Nothing was sent to it in its present or its last run: an edge may be making it, or have died while it did. */
export function isNew(found: Described): boolean {
  return runsFor(found) <= settledSeconds + slackSeconds;
}

/** It is being made. */
function isFirst(found: Described): boolean {
  return runsFor(found) <= joinedSeconds + slackSeconds;
}

/** Seconds from its start to its end as that is set now. */
function runsFor({ startedAt, endAt }: Described): number {
  return (Date.parse(endAt) - Date.parse(startedAt)) / 1_000;
}

/** If several have one name: the one that is made or in use, otherwise the first. */
function eldest(all: readonly Described[]): string | undefined {
  const order = (one: Described) => `${isFirst(one) ? 1 : 0} ${one.startedAt} ${one.sandboxID}`;
  return [...all].sort((a, b) => (order(a) < order(b) ? -1 : 1))[0]?.sandboxID;
}
