// The inputs of a turn (PROTOCOL 3.1): what each adds to the history and does to plan and mode. No I/O.
import type { EventMessage, Message } from "../../shared/message.ts";
import { isUnderWay } from "../../shared/plan/is-active-plan.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { currentStep } from "../../shared/plan/steps.ts";
import type { TurnInput, TurnRequest } from "../../shared/turn.ts";
import { readAnswers } from "./answers.ts";
import { type InputEffect, userMessage } from "./messages.ts";

/** `plan`: the plan file with a hand edit installed; `mayHaveRun`: see Insight. Throws `invalid_request` or `stale_plan`. */
export async function readInput(
  request: TurnRequest,
  input: Exclude<TurnInput, { type: "hooks" }>,
  plan: Plan | null,
  now: number,
  mayHaveRun = false,
): Promise<InputEffect> {
  const { mode, turnId } = request;
  switch (input.type) {
    case "message":
      return { messages: [userMessage(turnId, input.text, now, mode, input.attachments)] };
    case "continue":
      return { messages: continueNotice(request, plan, now) };
    case "answers":
      return readAnswers(request, input, plan, now);
    case "permit": {
      const { readPermit } = await import("./permit.ts");
      return readPermit(request, input, { plan, now, mayHaveRun });
    }
    default: {
      const { decidePlan } = await import("./plan-decisions.ts");
      return decidePlan(request, input, plan, now);
    }
  }
}

/**
 * `continue` after a stop or a rewind: a hidden message tells the model that the person wants it to continue. After an
 * answer in words, the wire adds a user message (model/wires/user-text.ts).
 */
function continueNotice(
  { messages, turnId, mode }: TurnRequest,
  plan: Plan | null,
  now: number,
): EventMessage[] {
  const last = messages.at(-1);
  if (!last || !isRest(last)) return [];
  const step = plan && isUnderWay(plan.status) && mode !== "plan" ? currentStep(plan) : undefined;
  return [
    {
      id: `${turnId}.goes-on`,
      role: "event",
      content: `The person asks you to continue${step ? ` with step ${step.id}` : ""}.`,
      createdAt: now,
      mode,
      extra: { event: { subkind: "system_notice", source: "go_on", data: {} } },
    },
  ];
}

function isRest(message: Message): boolean {
  if (message.role !== "event") return false;
  const { subkind, source } = message.extra.event;
  return subkind === "cancellation_note" || source === "rewind";
}
