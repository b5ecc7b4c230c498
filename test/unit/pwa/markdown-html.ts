// Renders our blocks as the HTML of CommonMark's examples. Only tests make HTML from markdown.
import type { Block, Inline } from "../../../pwa/markdown/block.ts";
import type { References } from "../../../pwa/markdown/link-references.ts";
import { parseBlocks } from "../../../pwa/markdown/parse-blocks.ts";
import { parseInline } from "../../../pwa/markdown/parse-inline.ts";

/** Every address counts, even those that the product does not follow. */
export function htmlOf(markdown: string): string {
  const { blocks, references } = parseBlocks(markdown);
  return blocks.map((block) => htmlOfBlock(block, references)).join("");
}

function htmlOfBlock(block: Block, references: References, tight = false): string {
  const words = (text: string) => htmlOfParts(parseInline(text, references, () => true));
  switch (block.kind) {
    case "paragraph":
      return tight ? words(block.text) : `<p>${words(block.text)}</p>`;
    case "heading":
      return `<h${block.level}>${words(block.text)}</h${block.level}>`;
    case "code": {
      const language = block.language === "" ? "" : ` class="language-${escaped(block.language)}"`;
      return `<pre><code${language}>${escaped(block.text)}\n</code></pre>`;
    }
    case "quote":
      return `<blockquote>${block.blocks.map((each) => htmlOfBlock(each, references)).join("")}</blockquote>`;
    case "rule":
      return "<hr>";
    case "table":
      return `<table>${block.head.map((cell) => `<th>${words(cell)}</th>`).join("")}</table>`;
    case "list": {
      const items = block.items.map(
        (blocks) => `<li>${blocks.map((each) => htmlOfBlock(each, references, !block.loose)).join("")}</li>`,
      );
      const start = block.start === 1 ? "" : ` start="${block.start}"`;
      return block.ordered ? `<ol${start}>${items.join("")}</ol>` : `<ul>${items.join("")}</ul>`;
    }
  }
}

function htmlOfParts(parts: readonly Inline[]): string {
  return parts.map(htmlOfPart).join("");
}

function htmlOfPart(part: Inline): string {
  switch (part.kind) {
    case "text":
      return escaped(part.text);
    case "code":
      return `<code>${escaped(part.text)}</code>`;
    case "break":
      return "<br>";
    case "bold":
      return `<strong>${htmlOfParts(part.parts)}</strong>`;
    case "emphasis":
      return `<em>${htmlOfParts(part.parts)}</em>`;
    case "link":
      return `<a href="${escaped(part.href)}">${htmlOfParts(part.parts)}</a>`;
  }
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/**
 * An example's HTML without the parts that our elements lack: line breaks between tags, titles, images,
 * encoded addresses.
 */
export function comparable(html: string): string {
  const parts = html
    .replace(/<br \/>\n?/g, "<br>")
    .replaceAll("<hr />", "<hr>")
    .replace(/<img src="[^"]*" alt="([^"]*)"[^>]*>/g, "$1")
    .replace(/(<a href="[^"]*") title="[^"]*"/g, "$1")
    .replace(/href="([^"]*)"/g, (_, href: string) => `href="${decoded(href)}"`)
    .split(/(<pre>[\s\S]*?<\/pre>)/);
  const block = "(?:p|h[1-6]|ul|ol|li|blockquote|hr|pre)";
  return parts
    .map((part, at) =>
      at % 2 === 1
        ? part.replace(/\n<\/code>/, "</code>")
        : part.replace(new RegExp(`\\n*(</?${block}(?: [^>]*)?>)\\n*`, "g"), "$1"),
    )
    .join("")
    .replace(/\n*(<\/?pre>)\n*/g, "$1")
    .trim();
}

function decoded(href: string): string {
  try {
    return decodeURI(href).replaceAll('"', "&quot;");
  } catch {
    return href;
  }
}
