// Begins to run a turn in this process, for whoever asked for it: a client, or a runner that takes up what was left.
import type { TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import { claimTurn } from "../turn/claim.ts";
import { driveTurn, type TurnEnd } from "./drive.ts";
import type { LiveTurn } from "./live-turns.ts";

interface StartedBy {
  requestId: string;
  inputHash: string;
  apiKey?: string | undefined;
  mcpTokens?: string | undefined;
  /** See ClaimRequest. */
  posted?: string | null | undefined;
}

/** Claims the turn for `live`; what is returned runs it. Throws what a claim throws, and `live` is ended then. */
export async function startTurn(
  deps: Deps,
  request: TurnRequest,
  live: LiveTurn,
  by: StartedBy,
): Promise<() => Promise<TurnEnd>> {
  const { sandboxId, turnId } = request;
  const { liveTurns } = deps.memory;
  const { sharesTurns } = deps.host;
  const running = sharesTurns ? liveTurns.get(sandboxId, turnId) : undefined;
  // Of two posts at once, the second finds the first while that is still claiming.
  if (!running && sharesTurns) liveTurns.add(sandboxId, turnId, live);
  try {
    const claimed = await claimTurn(deps, request, live.signals, {
      ...by,
      say: (event) => live.publish(event),
      steers: live.steers,
      attending: { over: live.over, beats: sharesTurns, onNews: (news) => live.hear(news) },
    });
    running?.overtake();
    live.begin();
    liveTurns.add(sandboxId, turnId, live);
    return () => driveTurn(deps, { sandboxId, turnId, requestId: by.requestId }, claimed, live);
  } catch (error) {
    liveTurns.remove(sandboxId, turnId, live);
    live.end();
    throw error;
  }
}
