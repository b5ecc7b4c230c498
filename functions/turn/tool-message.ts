// The tool message of a call: a pure function of what is recorded, so that it is the same whoever makes it, and when.
import type { AssistantMessage, ToolMessage } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";

import { budgetOf } from "../context/calibration.ts";
import { estimateText } from "../context/estimate.ts";
import { limits } from "../limits.ts";
import { clip } from "../tools/clip.ts";
import type { Outcome } from "../tools/prepared.ts";
import type { TurnContext } from "./turn-context.ts";

export function toolMessage(
  turn: { context: TurnContext; mode: Mode; round: number },
  message: AssistantMessage,
  call: { id: string; name: string },
  outcome: Outcome,
): ToolMessage {
  const { context, mode, round } = turn;
  // What is recorded of the request, and the size of what has come since.
  const known = message.calibration ?? { model: "", scale: 1 };
  const added = estimateText(message.content) + estimateText(outcome.text);
  return {
    id: `${call.id}.result`.slice(0, 300),
    role: "tool",
    content: clip(outcome.text, limits.maxToolContentBytes),
    createdAt: outcome.at ?? message.createdAt,
    mode,
    toolCallId: call.id,
    name: call.name,
    ok: outcome.ok,
    ...(outcome.noMeta
      ? {}
      : {
          meta: {
            round,
            maxRounds: mode === "plan" ? context.planRounds : context.runRounds,
            contextTokens: (message.contextTokens ?? 0) + Math.round(added * known.scale),
            budgetTokens: budgetOf(known, context.contextWindow),
            ...(outcome.facts ? { facts: outcome.facts } : {}),
          },
        }),
  };
}
