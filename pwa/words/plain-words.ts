// Text without its Markdown. Leaves alone characters that might be meant literally.

/** Markdown in one line, for excerpts: without fences, backticks, stars of bold and where links lead; white space as single spaces. */
export function plainWords(text: string): string {
  return text
    .replace(/```[\w-]*|\*\*|`/g, "")
    .replace(/\[([^\][\n]+)\]\(https?:[^()\s]*\)/g, "$1")
    .replace(/\s+/g, " ");
}

/** What the engine writes of a person's comments names steps by number and by id; the number is enough. */
export function withoutStepIds(text: string): string {
  return text.replace(/^(On step \d+) \([^\s()]+\)(?=[:,])/gm, "$1");
}

/** The words of a plan's text as its card has them: without the marks of its form, its own titles and `on fail`. */
export function planInWords(markdown: string): string {
  return markdown
    .replace(/^# (Goal|Plan|Decision points|Checkpoints|Rollback|Notes)$|^ *- on fail:.*$/gm, "")
    .replace(/^( {0,2}\d+\.) \[[^\s[\]]+\]/gm, "$1")
    .replace(/^ *- (?:(?:action|before|after|check(?: \(\d+ s\))?): )?/gm, "");
}
