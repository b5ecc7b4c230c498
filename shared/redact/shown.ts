// Builds the text with marks in place of the secrets that were found. Pure.
import type { FoundSecret } from "./rule.ts";

/** `text` from `from` to before `to`, with the secrets in that range replaced. */
export function shown(text: string, from: number, to: number, found: readonly FoundSecret[]): string {
  if (found.length === 0) return text.slice(from, to);
  const parts: string[] = [];
  let at = from;
  for (const secret of found) {
    parts.push(text.slice(at, secret.from), marked(text.slice(secret.from, secret.to), secret.kind));
    at = secret.to;
  }
  parts.push(text.slice(at, to));
  return parts.join("");
}

/** A secret of several lines gets a mark on each line, so that line numbers stay valid. */
function marked(secret: string, kind: string): string {
  return secret.replace(/[^\r\n]+/g, `[redacted: ${kind}]`);
}
