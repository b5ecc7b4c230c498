// Recognises what a heading in a model's plan announces, by its words.

export type SectionKind = "goal" | "plan" | "decisions" | "checkpoints" | "rollback" | "summary" | "other";

const stepTitle =
  /^(?:(?:step|phase|task|stage|part|milestone|action|change|commit|pr|schritt|paso|\u00e9tape)\s*#?\s*(?:\d{1,3}(?:\.\d+)*|(?:[a-z]|[ivx]{1,5})(?=\s*[-:.)\u2013\u2014]))|[tms]\d{1,2}(?=\s*[-:\u2013\u2014])|\d{1,3}(?:\.\d+)*[.):])(?:\s*[-:.)\u2013\u2014]+)?(?:\s+(.*))?$/i;

const exact: readonly [SectionKind, RegExp][] = [
  ["goal", /^(the )?(goals?|objectives?|aim|purpose|task)$/],
  [
    "rollback",
    /^(rollback|roll back|rollback plan|how to (undo|roll back|revert)|undo|revert(ing)?|back ?out( plan)?|way back)$/,
  ],
  [
    "decisions",
    /^(decision points?|decisions? (needed|required|for you)|(open |clarifying )?questions?( for you)?|to decide|unresolved( questions)?)$/,
  ],
  [
    "checkpoints",
    /^(checkpoints?|checks|verification( steps| plan| commands)?|validation( steps| plan)?|how to verify|test(ing)?( plan| strategy)?|tests( to run)?|acceptance criteria|success criteria|definition of done|final checks?)$/,
  ],
  [
    "plan",
    /^(the |my |proposed |revised |updated |new |detailed |high-level )*(implementation |execution |action |migration |development |refactoring )?(plan( of action)?|steps|tasks|todos?|to-dos?|task list|todo list|steps to take|action items|phases|proposed changes|changes( to make)?|approach|implementation|work( items)?|next steps|roadmap|what i will do|what i'll do|implementation order)$/,
  ],
  ["summary", /^(summary|overview|context|background|tl;?dr|problem( statement)?|introduction|description)$/],
];

/** `bare`: the line is not marked as a heading, so only unambiguous names count. */
export function kindOfTitle(title: string, bare = false): SectionKind {
  const words = title
    .toLowerCase()
    .replace(/\u2019/g, "'")
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N})]+$/gu, "")
    .replace(/^\d{1,3}(\.\d+)*[.):]?\s+/, "")
    .replace(/\s+/g, " ");
  const name = words.replace(/\s*\([^)]*\)$/, "");
  const known = exact.find(([, form]) => form.test(name))?.[0];
  return known === undefined || (bare && bareRefused.test(name)) ? "other" : known;
}

/** Words that begin sentences and lists as often as they name sections. */
const bareRefused =
  /^(task|changes|approach|work|purpose|undo|tests?|testing|description|introduction|background|context)$/;

/** The words of `Step 1: x` and `2. x` without the number; undefined for other titles. */
export function stepWords(title: string): string | undefined {
  const match = stepTitle.exec(title.trim());
  return match ? (match[1] ?? "").trim() : undefined;
}

/** `Plan: Add a login` and `Add a login: implementation plan` without the word plan; "" if nothing else remains. */
export function titleWithoutPlan(title: string): string {
  return title
    .replace(/^[^\p{L}\p{N}`]+/u, "")
    .replace(
      /^(?:(?:the|my|proposed|revised|updated|detailed)\s+)*(?:implementation |execution |action |migration |development |refactor(?:ing)? )?plan\s*(?:[:\u2013\u2014-]|for\b|to\b)\s*/i,
      "",
    )
    .replace(/\s*[:\u2013\u2014-]\s*(?:implementation |execution |action |migration )?plan$/i, "")
    .trim();
}
