// Continues turns whose client or process is gone, from the request that the sandbox keeps. `withKeeper` and `takeUpLeft` are
// for hosts whose process lives on; workerd has worker-turns.ts.
import * as z from "zod/mini";
import { HandrailError, toHandrailError, traceOf } from "../../shared/errors.ts";
import type { PostedTurn } from "../../shared/journal.ts";
import { type ResumeRequest, TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import { unpacked } from "../gzip.ts";
import * as limits from "../limits.ts";
import { realSleep, type Sleep } from "../model/sleep.ts";
import { hashInput } from "../turn/claim.ts";
import type { TurnId, TurnKeeper } from "../turn-keeper.ts";
import { startTurn, type TurnEnd } from "./drive.ts";
import { LiveTurn } from "./live-turns.ts";

interface LeftOptions {
  /** Milliseconds that it has already run without a client. */
  ranMs?: number;
  /** Called with the turn before it begins, so that the caller can tell it to leave. */
  onLive?(live: LiveTurn): void;
}

/** Continues a turn that nobody runs, as its next attempt, without a client. Never throws. */
export async function runLeft(
  deps: Deps,
  { sandboxId, turnId }: TurnId,
  { ranMs = 0, onLive }: LeftOptions = {},
): Promise<TurnEnd> {
  try {
    const request = await idleRequest(deps, sandboxId, turnId);
    if (!request) return "elsewhere";
    const inputHash = await hashInput(request);
    const live = new LiveTurn(request.attempt, inputHash, Infinity, {
      handsOver: deps.host.handsOver === true,
      ranMs,
    });
    onLive?.(live);
    const run = await startTurn(deps, request, live, { requestId: deps.newId(), inputHash });
    return await run();
  } catch (error) {
    const { code, retryable, details } = toHandrailError(error);
    if (code === "stale_epoch") return "elsewhere";
    // Its claim may still be on its way, held up by a clone or a slow disk.
    if (code === "not_found" && details?.known !== true) return "unknown";
    // The turn is over.
    if (code === "not_found" || code === "turn_finished") return "ended";
    const trace = code === "internal" ? { trace: traceOf(error) } : {};
    deps.log({ event: "turn_left", sandboxId, turnId, outcome: code, ...trace });
    // If a retry cannot help, the turn waits for its client, which is then told why.
    return retryable ? "broken" : "ended";
  }
}

/** How long to wait before the `tries`th try in a row; undefined = no more. */
export function pauseBefore(tries: number): number | undefined {
  if (tries > limits.brokenTries) return undefined;
  return Math.min(limits.brokenMs * 2 ** Math.min(tries - 1, 20), limits.longestPauseMs);
}

/** `deps` with a keeper that continues turns in this process; unchanged if nothing may run without a client. */
export function withKeeper(deps: Deps): Deps {
  if (!deps.unattended) return deps;
  const keeper: TurnKeeper = {
    // A turn lives in this process; after a crash the next process resumes it when it starts.
    watch: async () => undefined,
    forget: async () => undefined,
    take: (turn, broken) => continueTurn(kept, turn, broken ? 1 : 0),
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
  await takeUpOnce(deps, sleep);
  for (const pauseMs of limits.laterLooksMs) {
    await sleep(pauseMs, signal);
    await takeUpOnce(deps, sleep);
  }
}

async function takeUpOnce(
  { keeper, sandbox }: Parameters<typeof takeUpLeft>[0],
  sleep: Sleep,
): Promise<void> {
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
async function continueTurn(deps: Deps, turn: TurnId, failed: number): Promise<void> {
  for (let tries = failed; ; tries++) {
    const pauseMs = tries === 0 ? 0 : pauseBefore(tries);
    if (pauseMs === undefined) return;
    await realSleep(pauseMs, new AbortController().signal);
    if ((await runLeft(deps, turn)) !== "broken") return;
  }
}

/**
 * The turn's request as the sandbox keeps it, for the attempt that is asked for. Throws `not_found` if nothing is
 * kept, or nothing that this version can read.
 */
export async function keptRequest(
  deps: Pick<Deps, "sandbox">,
  sandboxId: string,
  turnId: string,
  asked: ResumeRequest,
): Promise<TurnRequest> {
  return withAttempt(await readRequest(await deps.sandbox.posted(sandboxId, turnId, false)), asked);
}

/** Like `keptRequest`, for a runner without a client. Undefined if somebody runs the turn. */
async function idleRequest(
  deps: Pick<Deps, "sandbox">,
  sandboxId: string,
  turnId: string,
): Promise<TurnRequest | undefined> {
  const kept = await deps.sandbox.posted(sandboxId, turnId, true);
  if (kept.attended) return undefined;
  const request = await readRequest(kept);
  // This runner stores no events and does not speak for the client.
  return withAttempt(request, { attempt: kept.epoch + 1, after: 0, client: request.client });
}

async function readRequest({ posted, notify }: PostedTurn): Promise<TurnRequest> {
  const text = posted === undefined ? "" : await unpacked(posted).catch(() => "");
  const { data } = z.safeParse(TurnRequest, text === "" ? undefined : JSON.parse(text));
  if (data) return notify ? { ...data, options: { ...data.options, notify } } : data;
  throw new HandrailError(
    "not_found",
    "What is kept of this turn's request cannot be read. Post the turn itself.",
  );
}

function withAttempt(request: TurnRequest, asked: ResumeRequest): TurnRequest {
  const { seen: _, stored: __, counts: ___, client: ____, ...same } = request;
  return { ...same, ...asked };
}
