// Cuts the largest results if those that have to stay are together too long; head and tail are kept.
import type { Message, ToolMessage } from "../../shared/message.ts";
import { byteLength, clip } from "../calls/result-text.ts";
import { charsPerToken } from "../context/estimate.ts";

/** A result is never cut below this. */
const minResultBytes = 400;

/** `messages` with their largest results cut to one size, saving about `excessTokens` where possible. */
export function cutResults(messages: readonly Message[], excessTokens: number): Message[] {
  const results = messages.filter((message): message is ToolMessage => message.role === "tool");
  const sizes = results.map(({ content }) => byteLength(content));
  // A text has more bytes than characters, so saving as many bytes as characters would not be enough.
  const bytesPerChar = sum(sizes) / Math.max(1, sum(results.map(({ content }) => content.length)));
  const excess = (excessTokens + 2 * results.length) * charsPerToken * bytesPerChar;
  const maxBytes = Math.max(minResultBytes, evenSize(sizes, excess));
  return messages.map((message) =>
    message.role === "tool" && byteLength(message.content) > maxBytes
      ? { ...message, content: clip(message.content, maxBytes) }
      : message,
  );
}

/** The size to which the largest of `sizes` must be cut so that together they lose `excess`; negative where they cannot. */
function evenSize(sizes: readonly number[], excess: number): number {
  const largest = [...sizes].sort((a, b) => b - a);
  let total = 0;
  let even = 0;
  for (const [index, size] of largest.entries()) {
    total += size;
    even = (total - excess) / (index + 1);
    if (even >= (largest[index + 1] ?? 0)) break;
  }
  return Math.floor(even);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
