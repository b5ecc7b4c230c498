// On a host whose process lives on: resumes turns that an earlier process left, and those that failed in this one.
import type { Deps } from "../deps.ts";
import { limits } from "../limits.ts";
import { realSleep, type Sleep } from "../model/sleep.ts";
import type { TurnId, TurnKeeper } from "../turn-keeper.ts";
import { pauseBefore, runLeft } from "./left-turns.ts";

/** `deps` with a keeper that goes on in this process; as they are where nothing may go on without a client. */
export function withKeeper(deps: Deps): Deps {
  if (!deps.unattended) return deps;
  const keeper: TurnKeeper = {
    // A turn lives in this process; what a dead process leaves, the next one resumes when it starts.
    watch: async () => undefined,
    forget: async () => undefined,
    take: (turn, broken) => goOn(kept, turn, broken ? 1 : 0),
  };
  const kept: Deps = { ...deps, keeper };
  return kept;
}

/**
 * Resumes turns that an earlier process left, once the sandbox server answers. Looks again a few times: the process that ran
 * a turn may count as alive for a while after its end. Resolves after the last look.
 */
export async function takeUpLeft(
  deps: Pick<Deps, "keeper"> & { sandbox: Pick<Deps["sandbox"], "idleTurns"> },
  sleep: Sleep = realSleep,
): Promise<void> {
  const { signal } = new AbortController();
  await look(deps, sleep);
  for (const pauseMs of limits.laterLooksMs) {
    await sleep(pauseMs, signal);
    await look(deps, sleep);
  }
}

async function look({ keeper, sandbox }: Parameters<typeof takeUpLeft>[0], sleep: Sleep): Promise<void> {
  if (!keeper) return;
  for (let tries = 1; ; tries++) {
    try {
      const { turns } = await sandbox.idleTurns();
      for (const turn of turns) void keeper.take(turn, false);
      return;
    } catch {
      const pauseMs = pauseBefore(tries);
      if (pauseMs === undefined) return;
      await sleep(pauseMs, new AbortController().signal);
    }
  }
}

/** Never throws. */
async function goOn(deps: Deps, turn: TurnId, failed: number): Promise<void> {
  for (let tries = failed; ; tries++) {
    const pauseMs = tries === 0 ? 0 : pauseBefore(tries);
    if (pauseMs === undefined) return;
    await realSleep(pauseMs, new AbortController().signal);
    if ((await runLeft(deps, turn)) !== "broken") return;
  }
}
