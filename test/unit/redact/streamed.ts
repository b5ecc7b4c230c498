// The output of a redacting stream for a text, and how far it may differ from the text redacted as a whole.
import type { Redactor } from "../../../shared/redact/redactor.ts";

/** `text` after a stream that is cut at `cuts` (each taken modulo the length). */
export function streamed({ stream }: Redactor, text: string, cuts: readonly number[]): string {
  const edges = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
  const redacting = stream();
  const shown = edges.slice(1).map((edge, index) => redacting.push(text.slice(edges[index], edge)));
  return shown.join("") + redacting.end();
}

/** The output for `text` in pieces of one to eight characters, cut once at each place, and also after 12 characters. */
export function streamedEveryWay(redactor: Redactor, text: string): Set<string> {
  const places = Array.from({ length: text.length + 1 }, (_, at) => at);
  const pieces = [1, 2, 3, 4, 5, 6, 7, 8].map((chars) => places.filter((at) => at % chars === 0));
  const cuts = [...pieces, ...places.map((at) => [at]), ...places.map((at) => [12, at])];
  return new Set(cuts.map((at) => streamed(redactor, text, at)));
}

/**
 * Removes what only a stream may show: up to 15 characters of the first line of a key whose beginning is
 * missing, which were emitted before it was clear what they belong to.
 */
export function withoutKeyHeads(shown: string): string {
  return shown.replace(/^([ \t"'+>|*#]{0,8})[A-Za-z0-9+/=]{1,15}(?=\[redacted: private key\])/gm, "$1");
}
