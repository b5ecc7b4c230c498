// Markdown in one line of plain words, for excerpts. Leaves alone what might be meant as it stands.

/** Without fences, backticks and stars of bold; white space as single spaces. */
export function plainWords(text: string): string {
  return text.replace(/```[\w-]*|\*\*|`/g, "").replace(/\s+/g, " ");
}
