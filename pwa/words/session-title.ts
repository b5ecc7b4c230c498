// A session's first name: what was asked, short.

const maxTitleChars = 48;

/** The first sentence of `text` without `/plan`, cut at a word where it is long. */
export function titleFrom(text: string): string {
  const line =
    text
      .replace(/^\/plan\s+/, "")
      .trim()
      .split("\n", 1)[0] ?? "";
  const sentence = /^.{12,}?[.!?:;](?=\s)/.exec(line)?.[0].slice(0, -1);
  if (sentence !== undefined && sentence.length <= maxTitleChars) return sentence;
  if (line.length <= maxTitleChars) return line.replace(/[.:]$/, "") || "New session";
  const cut = line.slice(0, maxTitleChars);
  const space = cut.lastIndexOf(" ");
  return `${(space > 20 ? cut.slice(0, space) : cut).replace(/[.,:;]$/, "")}…`;
}
