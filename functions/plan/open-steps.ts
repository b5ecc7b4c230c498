// The model stops with words while steps of the plan are open: it is reminded once, then the turn ends for the person.
import type { AssistantMessage, Message } from "../../shared/message.ts";
import { currentStep, progressWords } from "../../shared/plan/steps.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { withChangedFiles } from "./history-facts.ts";
import { isHeldBack, stepNotice, stepsLeft } from "./rail.ts";

const reminder = "plan_open";

/** Emits the reminder; false where the turn is to end. It is given again once the model has got on since the last one. */
export function remindOfSteps(turn: ToolTurn, { id, createdAt }: AssistantMessage): boolean {
  const { env, state } = turn;
  const { plan } = state;
  // A model that says what failed has asked the person in its own way.
  if (!env.rail || !plan || !stepsLeft(turn) || isHeldBack(turn)) return false;
  const own = state.history.slice(env.request.messages.length);
  const last = own.findLastIndex((message) => isNotice(message, reminder));
  if (last >= 0 ? !own.slice(last + 1).some(isProgress) : !worksOnPlan(turn, own)) return false;
  const step = currentStep(plan);
  turn.note({
    id: `${id}.open`,
    at: createdAt,
    subkind: "system_notice",
    source: reminder,
    content: [
      `The plan is not finished: ${progressWords(plan)} steps are over${step ? `, and step ${step.id} is ${step.status}: ${step.description}` : ""}.`,
      "Report what is done with update_plan, and go on; call ask_user where the person has to decide. If you stop again, the turn ends.",
    ].join("\n"),
  });
  return true;
}

/** Answering the person's question, in words or after reading files, is not work on the plan. */
function worksOnPlan({ env }: ToolTurn, own: readonly Message[]): boolean {
  if (env.request.input.type !== "message") return true;
  const began = own.some((message) => isNotice(message, stepNotice) || isProgress(message));
  return began || withChangedFiles(own, []).length > 0;
}

function isProgress(message: Message): boolean {
  return message.role === "tool" && message.name === "update_plan" && message.ok;
}

function isNotice(message: Message, source: string): boolean {
  return message.role === "event" && message.extra.event.source === source;
}
