// Text without its Markdown. Characters that might be meant literally stay.

/**
 * Markdown in one line, for excerpts: without fences, backticks, bold marks and link addresses, and with single spaces.
 */
export function plainWords(text: string): string {
  return text
    .replace(/```[\w-]*|\*\*|`/g, "")
    .replace(/\[([^\][\n]+)\]\(https?:[^()\s]*\)/g, "$1")
    .replace(/\s+/g, " ");
}

/** In the engine's text of a person's comments, a step has a number and an id; the number is enough. */
export function withoutStepIds(text: string): string {
  return text.replace(/^(On step \d+) \([^\s()]+\)(?=[:,])/gm, "$1");
}

/** The text of a plan as its card shows it: without Markdown, its own headings and `on fail`. */
export function planInWords(markdown: string): string {
  return markdown
    .replace(/^# (Goal|Plan|Decision points|Checkpoints|Rollback|Notes)$|^ *- on fail:.*$/gm, "")
    .replace(/^( {0,2}\d+\.) \[[^\s[\]]+\]/gm, "$1")
    .replace(/^ *- (?:(?:action|before|after|check(?: \(\d+ s\))?): )?/gm, "");
}
