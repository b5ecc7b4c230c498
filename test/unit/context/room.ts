// The room of a request as the engine computes it, from the model's own token counts in the history.

import type { Room } from "../../../functions/compaction/fit-prompt.ts";
import { calibrationIn, roomOf } from "../../../functions/context/calibration.ts";
import type { Calibration, Message } from "../../../shared/message.ts";

export const model = "p/m";

/**
 * `windowTokens`: the model's window, of which four fifths are for prompts. `now`: a refusal has just
 * revealed more.
 */
export function roomFor(
  history: readonly Message[],
  windowTokens: number,
  now: Calibration = calibrationIn(history, model),
): Room {
  return {
    now,
    before: { model, scale: 1 },
    tokens: (known) => roomOf(known, windowTokens),
    systemTokens: 10,
  };
}
