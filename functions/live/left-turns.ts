// Continues turns whose client or process is gone. Knows no platform.
import { toHandrailError, traceOf } from "../../shared/errors.ts";
import type { Deps } from "../deps.ts";
import { limits } from "../limits.ts";
import { hashInput } from "../turn/claim.ts";
import type { TurnId } from "../turn-keeper.ts";
import type { TurnEnd } from "./drive.ts";
import { idleRequest } from "./kept-turn.ts";
import { LiveTurn } from "./live-turns.ts";
import { startTurn } from "./start-turn.ts";

interface LeftOptions {
  /** Milliseconds that it ran without a client before. */
  ranMs?: number;
  /** Called with the turn before it begins, so that the caller can tell it to leave. */
  onLive?(live: LiveTurn): void;
}

/** Goes on with a turn that nobody runs, as its next attempt, without a client. Never throws. */
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
    // Its claim may be on its way still: a clone or a slow disk keeps it waiting.
    if (code === "not_found" && details?.known !== true) return "unknown";
    // It is over.
    if (code === "not_found" || code === "turn_finished") return "ended";
    const trace = code === "internal" ? { trace: traceOf(error) } : {};
    deps.log({ event: "turn_left", sandboxId, turnId, outcome: code, ...trace });
    // If a retry cannot help, the turn waits for its client, which is told why.
    return retryable ? "broken" : "ended";
  }
}

/** How long to wait before the `tries`th try in a row; undefined = no more. */
export function pauseBefore(tries: number): number | undefined {
  if (tries > limits.brokenTries) return undefined;
  return Math.min(limits.brokenMs * 2 ** Math.min(tries - 1, 20), limits.longestPauseMs);
}
