/** At most `maxChars` of the text; "…" at its end shows that more follows. */
export function shortened(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
}
