// How a reason on a card names a part of a command. A model wrote that part, and the reason is ours: it must not read like our words.

/**
 * `text` as code, on one line. Backticks in it, which would end the code, become quotes. Of a long text the beginning,
 * about two lines of a card: the command is shown below, whole.
 */
export function asCode(text: string): string {
  const line = text.replaceAll("`", "'").replace(/\s+/g, " ").trim();
  return `\`${line.replace(/^(.{80}).+/u, "$1…")}\``;
}
