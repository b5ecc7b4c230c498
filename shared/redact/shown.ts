// A text with marks in place of its findings. Pure.
import type { FoundSecret } from "./rule.ts";

/** `text` from `from` to before `to`, with the findings in between. */
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

/** A secret of several lines leaves a mark on each, so that line numbers stay valid. */
function marked(secret: string, kind: string): string {
  return secret.replace(/[^\r\n]+/g, `[redacted: ${kind}]`);
}
