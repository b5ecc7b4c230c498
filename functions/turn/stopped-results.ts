// What becomes of what a stop has left open: what is known of calls that ran, `stopped` for the others.
import type { DurableDraft } from "../../shared/event.ts";
import type { Message } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import { parseArguments, toSandboxCall } from "../tools/arguments.ts";
import { resultText } from "../tools/result-text.ts";
import { pendingCall } from "./pending-call.ts";
import type { Outcome, PendingCall } from "./prepared.ts";
import { toolMessage } from "./tool-message.ts";
import { rewound, type TurnContext } from "./turn-context.ts";
import { openCalls } from "./turn-state.ts";

export interface StoppedTurn {
  turnId: string;
  /** The history as far as it is recorded; the last calls in it may lack results. */
  messages: readonly Message[];
  context: TurnContext;
  mode: Mode;
  round: number;
  result(key: string): CallResult | undefined;
}

/** In call order. A client may have seen the first of them already: they come out as its runner made them. */
export function stoppedResults(turn: StoppedTurn): DurableDraft[] {
  const open = openCalls(turn.messages);
  const { resumes } = turn.context;
  const from = open && resumes?.message.id === open.message.id ? resumes.from : 0;
  const results = (open?.ordinals ?? [])
    .filter((ordinal) => ordinal >= from)
    .flatMap((ordinal): DurableDraft[] => {
      const pending = open && pendingCall(open.message, ordinal, { turnId: turn.turnId, resumes });
      if (!pending) return [];
      const outcome = outcomeOf(pending, turn.result(pending.key)) ?? { ok: false, text: "stopped" };
      return [
        { event: "message", data: { message: toolMessage(turn, open.message, pending.call, outcome) } },
      ];
    });
  return [...rewound(turn), ...results];
}

function outcomeOf({ call }: PendingCall, result: CallResult | undefined): Outcome | undefined {
  if (!result) return undefined;
  const parsed = parseArguments(call.name, call.arguments);
  const made = parsed.ok ? toSandboxCall(call.name, parsed.value) : undefined;
  return made?.ok ? { ...resultText(made.call.op, result), at: result.at } : undefined;
}
