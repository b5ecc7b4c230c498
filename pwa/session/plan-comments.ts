// What a person has said about parts of a plan and not sent yet: about steps, by their ids, and about pieces of its text.
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { PlanComment } from "../../shared/turn.ts";
import type { OpenSession } from "./open-session.ts";

/** No step's id begins so. */
const quoteMark = "“";

export function quoteKey(quote: string): string {
  return quoteMark + quote;
}

/** By step id or quote, for the plan of this very hash. */
export function commentTexts(session: OpenSession, plan: Plan): Readonly<Record<string, string>> {
  const kept = session.draft.value.stepComments;
  return kept?.hash === plan.hash ? kept.texts : {};
}

/** `text` "" = taken back. */
export function setComment(session: OpenSession, plan: Plan, key: string, text: string): void {
  const { [key]: _, ...others } = commentTexts(session, plan);
  const texts = text === "" ? others : { ...others, [key]: text };
  session.setDraft({ stepComments: { hash: plan.hash, texts } });
}

/** Those on steps in their order, then those on other text in the order in which they were written. */
export function planComments(session: OpenSession, plan: Plan): PlanComment[] {
  const texts = commentTexts(session, plan);
  const steps = plan.steps.map(({ id }) => ({ stepId: id, text: texts[id]?.trim() ?? "" }));
  const quotes = Object.entries(texts)
    .filter(([key]) => key.startsWith(quoteMark))
    .map(([key, text]) => ({ quote: key.slice(quoteMark.length), text: text.trim() }));
  return [...steps, ...quotes].filter(({ text }) => text !== "");
}

/** "Step 2", or the words themselves. */
export function aboutInWords({ steps }: Plan, { stepId, quote }: PlanComment): string {
  return quote === undefined ? `Step ${1 + steps.findIndex(({ id }) => id === stepId)}` : `“${quote}”`;
}
