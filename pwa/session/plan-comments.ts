// A person's unsent comments on parts of a plan: on steps, by their ids, and on pieces of its text. They survive a
// change of the plan: a comment on a step whose text has changed stays as a comment on the old text.
import type { Plan, Step } from "../../shared/plan/plan-file.ts";
import type { PlanComment } from "../../shared/turn.ts";
import { byId } from "./by-id.ts";
import type { OpenSession } from "./open-session.ts";

/** No id of a step begins like this. */
const quoteMark = "“";

export function quoteKey(quote: string): string {
  return quoteMark + quote;
}

/** By the step's id or the quoted text. */
export function commentTexts(session: OpenSession, plan: Plan): Readonly<Record<string, string>> {
  return commentsOn(session, plan).texts;
}

/** `about` holds the text of each commented step as it was when the comment was written. */
interface KeptComments {
  texts: Record<string, string>;
  about: Record<string, string>;
}

function commentsOn(session: OpenSession, plan: Plan): KeptComments {
  const kept = session.draft.value.stepComments;
  const [texts, about] = [byId(kept?.texts), byId(kept?.about)];
  if (kept === null || kept.hash === plan.hash) return { texts, about };
  const now: KeptComments = { texts: byId(), about: byId() };
  for (const [key, text] of Object.entries(texts)) {
    const step = plan.steps.find(({ id }) => id === key);
    const read = about[key];
    const stands = key.startsWith(quoteMark) || (step && (read === undefined || read === titleOf(step)));
    const place = stands ? key : quoteKey(read ?? `step ${key} of an earlier version`);
    now.texts[place] = [now.texts[place], text].filter(Boolean).join("\n");
    if (stands && read !== undefined) now.about[key] = read;
  }
  return now;
}

function titleOf({ description }: Step): string {
  return description.split("\n", 1)[0] ?? "";
}

/** A `text` of "" removes the comment. */
export function setComment(session: OpenSession, plan: Plan, key: string, text: string): void {
  const kept = commentsOn(session, plan);
  const { [key]: _, ...others } = kept.texts;
  const step = plan.steps.find(({ id }) => id === key);
  const texts = text === "" ? others : { ...others, [key]: text };
  const about = step ? { ...kept.about, [key]: titleOf(step) } : kept.about;
  session.setDraft({ stepComments: { hash: plan.hash, texts, about } });
}

/**
 * Returns the comment without the added `text` and its newline; undefined if the person has changed that text.
 */
export function withoutText(comment: string, text: string): string | undefined {
  if (comment.trim() === "") return "";
  const start = comment.indexOf(text);
  if (start === -1) return;
  let [before, after] = [comment.slice(0, start), comment.slice(start + text.length)];
  const isWholeLine = /(^|\n)$/.test(before) && /^(\n|$)/.test(after);
  if (isWholeLine && before !== "") before = before.slice(0, -1);
  else if (isWholeLine) after = after.slice(1);
  return (before + after).trim() === "" ? "" : before + after;
}

/** Comments on steps in the order of the steps, then those on other text in the order written. */
export function planComments(session: OpenSession, plan: Plan): PlanComment[] {
  const texts = commentTexts(session, plan);
  const steps = plan.steps.map(({ id }) => ({ stepId: id, text: texts[id]?.trim() ?? "" }));
  const quotes = Object.entries(texts)
    .filter(([key]) => key.startsWith(quoteMark))
    .map(([key, text]) => ({ quote: key.slice(quoteMark.length), text: text.trim() }));
  return [...steps, ...quotes].filter(({ text }) => text !== "");
}

/** The number of comments, including the one on the whole plan. */
export function commentCount(session: OpenSession, plan: Plan): number {
  return planComments(session, plan).length + (session.draft.value.feedback.trim() === "" ? 0 : 1);
}

/** "Step 2", or the quoted words. */
export function aboutInWords({ steps }: Plan, { stepId, quote }: PlanComment): string {
  return quote === undefined ? `Step ${1 + steps.findIndex(({ id }) => id === stepId)}` : `“${quote}”`;
}
