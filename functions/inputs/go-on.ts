// `continue` after a stop or a rewind: a hidden message tells the model that the person lets it go on.
// After an answer in words, the wire adds a user message (model/wires/user-text.ts).
import type { EventMessage, Message } from "../../shared/message.ts";
import { isUnderWay } from "../../shared/plan/is-active-plan.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { currentStep } from "../../shared/plan/steps.ts";
import type { TurnRequest } from "../../shared/turn.ts";

export function goOn(
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
      content: `The person says: go on${step ? ` with step ${step.id}` : ""}.`,
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
