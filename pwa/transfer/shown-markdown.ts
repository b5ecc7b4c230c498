// Markdown of a file in a form of which the screen shows every word: what the model reads, the person can read too. Pure.
import type { Block, Inline } from "../markdown/block.ts";
import type { References } from "../markdown/link-references.ts";
import { linkTarget } from "../markdown/link-target.ts";
import { parseBlocks } from "../markdown/parse-blocks.ts";
import { parseInline } from "../markdown/parse-inline.ts";

/**
 * `text`, where drawing it leaves out no word. Else with its links and definitions as text; and where that still leaves
 * one out (cells beside a table, words after a fence), all of it as code.
 */
export function shownMarkdown(text: string): string {
  if (showsAll(text)) return text;
  const opened = text.replaceAll("](", "] (").replace(/^([ >]*)\[([^\]\n]*)\]:/gm, "$1\\[$2]:");
  if (showsAll(opened)) return opened;
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function showsAll(text: string): boolean {
  const { blocks, references } = parseBlocks(text);
  const left = new Map<string, number>();
  for (const word of wordsOf(blocks.map((block) => shownBy(block, references)).join(" ")))
    left.set(word, (left.get(word) ?? 0) + 1);
  return wordsOf(text.replace(/&#?\w{1,31};/g, " ")).every((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  });
}

/** Numbers are not words: those of a list are counted anew. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}]+/gu) ?? [];
}

function shownBy(block: Block, references: References): string {
  const words = (text: string) => parseInline(text, references).map(shownPart).join(" ");
  switch (block.kind) {
    case "paragraph":
    case "heading":
      return words(block.text);
    case "code":
      // One short word that names a language; it is not shown.
      return /^[a-z]{1,10}[+#\d]{0,2}$/i.test(block.language)
        ? `${block.language} ${block.text}`
        : block.text;
    case "quote":
      return block.blocks.map((each) => shownBy(each, references)).join(" ");
    case "rule":
      return "";
    case "table":
      return [block.head, ...block.rows].flat().map(words).join(" ");
    case "list":
      return block.items
        .flat()
        .map((each) => shownBy(each, references))
        .join(" ");
  }
}

function shownPart(part: Inline): string {
  switch (part.kind) {
    case "text":
    case "code":
      return part.text;
    case "break":
      return "\n";
    case "bold":
    case "emphasis":
      return part.parts.map(shownPart).join(" ");
    case "link": {
      const label = part.parts.map((each) => (each.kind === "text" ? each.text : "")).join("");
      return `${part.parts.map(shownPart).join(" ")} ${linkTarget(part.href, label) ?? ""}`;
    }
  }
}
