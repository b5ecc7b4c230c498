// Under an answer in plan mode: it becomes the plan that waits for a word, without asking the model.
import { waitingFor } from "../../shared/session/waiting.ts";
import { takePlan } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";

export function TakeAsPlan({ session, text }: { session: OpenSession; text: string }) {
  const state = session.settled.value;
  const free = waitingFor(state).kind === "nothing" && session.outbox.value.turn === null;
  // One line is an answer or a question, not a plan.
  if (state.head.mode !== "plan" || !free || !session.writes.value || !text.trim().includes("\n"))
    return null;
  return (
    <button type="button" class="text-button" onClick={() => takePlan(session, { text })}>
      Take this as the plan
    </button>
  );
}
