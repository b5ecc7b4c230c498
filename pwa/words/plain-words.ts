// Markdown in one line of plain words, for excerpts. Leaves alone what might be meant literally.

/** Without fences, backticks, stars of bold and where links lead; white space as single spaces. */
export function plainWords(text: string): string {
  return text
    .replace(/```[\w-]*|\*\*|`/g, "")
    .replace(/\[([^\][\n]+)\]\(https?:[^()\s]*\)/g, "$1")
    .replace(/\s+/g, " ");
}
