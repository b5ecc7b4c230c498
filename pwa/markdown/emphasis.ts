// Decides which stars and underscores are emphasis: https://spec.commonmark.org/0.31.2/#emphasis-and-strong-emphasis
import type { Inline } from "./block.ts";
import { maxDepth } from "./block.ts";

/** A run of the same stars or underscores. */
export interface Delimiter {
  char: string;
  count: number;
  opens: boolean;
  closes: boolean;
}

const space = /^\s?$/;
const mark = /^[\p{P}\p{S}]$/u;

/** `before` and `after` are the characters around the run, empty at the edges of the text. */
export function delimiter(run: string, before: string, after: string): Delimiter {
  const char = run.charAt(0);
  const leans = (to: string, from: string) =>
    !space.test(to) && (!mark.test(to) || space.test(from) || mark.test(from));
  const left = leans(after, before);
  const right = leans(before, after);
  const star = char === "*";
  return {
    char,
    count: run.length,
    opens: left && (star || !right || mark.test(before)),
    closes: right && (star || !left || mark.test(after)),
  };
}

interface Opener {
  run: Delimiter;
  /** The number of characters of the run that are not used yet. */
  left: number;
  /** The index of its text in the output. */
  at: number;
  /** Its index among the items. */
  order: number;
}

/**
 * Returns `items` with their delimiters turned into emphasis. Takes linear time: an item moves once per level of
 * nesting, which is limited, and an opener is tried once per kind of closer.
 */
export function emphasise(items: readonly (Inline | Delimiter)[]): Inline[] {
  const out: Inline[] = [];
  const depths: number[] = [];
  const openers: Opener[] = [];
  /** Below these indexes there is no opener that fits a closer of that kind. */
  const bottoms = new Map<string, number>();
  const put = (part: Inline, depth: number) => {
    out.push(part);
    depths.push(depth);
  };
  for (const [order, item] of items.entries()) {
    if ("kind" in item) {
      put(item, item.kind === "link" ? 1 : 0);
      continue;
    }
    let left = item.count;
    const kind = `${item.char}${item.opens}${item.count % 3}`;
    while (item.closes && left > 0) {
      const bottom = bottoms.get(kind) ?? -1;
      let found = openers.length - 1;
      while (found >= 0 && (openers[found]?.order ?? -1) > bottom && !fits(openers[found], item)) found -= 1;
      const opener = openers[found];
      if (opener === undefined || opener.order <= bottom) {
        bottoms.set(kind, order - 1);
        break;
      }
      openers.length = found + 1;
      const parts = joined(out.splice(opener.at + 1));
      const depth = 1 + depths.splice(opener.at + 1).reduce((a, b) => Math.max(a, b), 0);
      const width = left >= 2 && opener.left >= 2 ? 2 : 1;
      opener.left -= width;
      left -= width;
      out[opener.at] = { kind: "text", text: item.char.repeat(opener.left) };
      if (opener.left === 0) openers.pop();
      if (depth > maxDepth) {
        const marks = item.char.repeat(width);
        put({ kind: "text", text: marks + plain(parts) + marks }, 0);
        // At the limit: drop the openers around this text, which would copy it once more for each level.
        openers.length = 0;
      } else put({ kind: width === 2 ? "bold" : "emphasis", parts }, depth);
    }
    if (left > 0) {
      if (item.opens) openers.push({ run: item, left, at: out.length, order });
      put({ kind: "text", text: item.char.repeat(left) }, 0);
    }
  }
  return joined(out);
}

/**
 * A run that can open and close pairs only if the sum of both lengths is not a multiple of three, or both lengths are.
 */
function fits(opener: Opener | undefined, closer: Delimiter): boolean {
  if (opener?.run.char !== closer.char) return false;
  const { run } = opener;
  return !(run.closes || closer.opens) || closer.count % 3 === 0 || (run.count + closer.count) % 3 !== 0;
}

/** Joins adjacent texts. */
function joined(parts: readonly Inline[]): Inline[] {
  const out: Inline[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.kind === "text" && last?.kind === "text")
      out[out.length - 1] = { kind: "text", text: last.text + part.text };
    else if (part.kind !== "text" || part.text !== "") out.push(part);
  }
  return out;
}

/** The words of `parts` without their formatting. */
export function plain(parts: readonly Inline[]): string {
  return parts
    .map((part) => ("parts" in part ? plain(part.parts) : part.kind === "break" ? "\n" : part.text))
    .join("");
}
