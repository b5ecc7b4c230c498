// Makes sure that there is one E2B sandbox for each name, although E2B chooses the ids itself and lists new
// sandboxes late.
import { HandrailError } from "../../../shared/errors.ts";
import type { EngineContext, GuestSpec } from "../engine.ts";
import type { Described, E2bApi, Started } from "./e2b-api.ts";
import { pause } from "./pause.ts";

/** The timeout of a sandbox that is being made. One in use gets more than ten minutes. */
export const firstSeconds = 5 * 60;
/** A second creation that joins the sandbox extends its timeout to this. */
const joinedSeconds = firstSeconds + 30;
/**
 * The timeout of a finished sandbox until its first request. It is longer, so that this sandbox takes
 * precedence over unfinished ones with its name, but the sandbox still counts as new.
 */
export const settledSeconds = joinedSeconds + 60;
/** Tolerance for clocks that differ by some seconds. */
const slackSeconds = 15;
/** E2B's first plan allows one new sandbox a second. */
const createPauseMs = 1_100;
const createTries = 8;
/** How often to list again while the new sandbox is missing. */
const listTries = 5;
const listPauseMs = 200;

export interface NewSandboxes {
  /** `existed`: there was a sandbox with that name before. */
  open(spec: GuestSpec, signal: AbortSignal | undefined): Promise<{ started: Started; existed: boolean }>;
  /**
   * Decides which sandbox with that name is the guest: `id`, which was just made, unless another edge made
   * one at the same time that was not in lists yet. Both edges reach the same decision.
   */
  settle(name: string, id: string): Promise<string>;
  /** Forgets the sandboxes that this process has made, because lists contain them now. */
  forget(): void;
}

export function newSandboxes(
  api: E2bApi,
  { owner, now }: Pick<EngineContext, "owner" | "now">,
  templateID: string,
  removeUnused: (id: string) => Promise<void>,
): NewSandboxes {
  /** Sandboxes that this process has just made or is making, by name. Lists may not contain them yet. */
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
        // The sandbox may have been made although the answer was lost.
        if (!busy) await unmake(attempt).catch(() => undefined);
        throw error;
      }
    }
  }

  /** Removes what that call made. If lists are late and it misses one, `tend` finds it. */
  async function unmake(attempt: string): Promise<void> {
    for (const { sandboxID } of await api.list({ handrail: owner, attempt })) await removeUnused(sandboxID);
  }

  /** Does not extend the timeout of a sandbox in use. undefined = it is gone. */
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

/**
 * Whether the sandbox has received no request in its current or last run. An edge may be making it, or have
 * died while making it.
 */
export function isNew(found: Described): boolean {
  return runsFor(found) <= settledSeconds + slackSeconds;
}

/** Whether the sandbox is still being made, as its short run shows. */
function isFirst(found: Described): boolean {
  return runsFor(found) <= joinedSeconds + slackSeconds;
}

/** Seconds from its start to its end as currently set. */
function runsFor({ startedAt, endAt }: Described): number {
  return (Date.parse(endAt) - Date.parse(startedAt)) / 1_000;
}

/** The guest among several with one name: one that is ready or in use takes precedence, then the oldest. */
function eldest(all: readonly Described[]): string | undefined {
  const order = (one: Described) => `${isFirst(one) ? 1 : 0} ${one.startedAt} ${one.sandboxID}`;
  return [...all].sort((a, b) => (order(a) < order(b) ? -1 : 1))[0]?.sandboxID;
}
