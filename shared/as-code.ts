// Quotes a part of a command in the reason on a card. A model wrote that part, so it must not read like Handrail's own
// words.

/**
 * `text` as code on one line. Backticks in it would end the code, so they become quotes. A long text is cut after about
 * two lines of a card, because the whole command is shown below.
 */
export function asCode(text: string): string {
  const line = text.replaceAll("`", "'").replace(/\s+/g, " ").trim();
  return `\`${line.replace(/^(.{80}).+/u, "$1…")}\``;
}
