// Turns HTML that READMEs mix into their Markdown into Markdown. HTML without a counterpart keeps only its words.
// The result is drawn like any other Markdown, so a tag never becomes an element. Pure.

/** Tags that begin a paragraph, and tags that are dropped. Any other tag stays text (`Promise<string>`). */
const block =
  "div|p|center|details|section|article|header|footer|main|aside|nav|figure|figcaption|table|thead|tbody|tfoot|tr|ul|ol|dl|dt|dd|blockquote|pre";
const dropped = "sup|sub|span|font|u|small|picture|source|td|th|b|strong|i|em|code|kbd|a|img|mark|ins|wbr";
const known = `${block}|${dropped}|h[1-6]|summary|li|br|hr`;
const rest = "(?:\\s[^<>]{0,4000})?\\s*/?>";

const beginsHtml = new RegExp(`^ {0,3}</?(?:${known})${rest}`, "i");
const fence = /^ {0,3}(`{3,}|~{3,})/;
/**
 * These mark the number of a code span while tags are replaced. Both are private-use characters, which ordinary text
 * does not contain.
 */
const [from, to] = ["\uE000", "\uE001"];

export function markdownOfHtml(text: string): string {
  const parts: string[] = [];
  const words: string[] = [];
  let marks: string | undefined;
  let inHtml = false;
  const flush = () => parts.push(...(words.length > 0 ? [rewritten(words.splice(0).join("\n"))] : []));
  for (const line of text.split("\n")) {
    const fenced = fence.exec(line)?.[1];
    const isCode = !inHtml && /^(?: {4}|\t)/.test(line);
    if (marks !== undefined || fenced !== undefined || isCode) {
      flush();
      parts.push(line);
      if (isCode && marks === undefined) continue;
      if (marks === undefined) marks = fenced;
      else if (fenced?.startsWith(marks)) marks = undefined;
      inHtml = false;
    } else {
      // As in CommonMark, a block of HTML ends with a blank line; indented lines in it are not code.
      inHtml = line.trim() !== "" && (inHtml || beginsHtml.test(line));
      words.push(inHtml ? line.trimStart() : line);
    }
  }
  flush();
  return parts.join("\n");
}

function withoutComments(text: string): string {
  let kept = "";
  let at = 0;
  for (;;) {
    const begin = text.indexOf("<!--", at);
    const end = begin < 0 ? -1 : text.indexOf("-->", begin);
    if (end < 0) return kept + text.slice(at);
    kept += text.slice(at, begin);
    at = end + 3;
  }
}

function rewritten(text: string): string {
  const spans: string[] = [];
  const keep = (span: string) => `${from}${spans.push(span) - 1}${to}`;
  const tag = (names: string) => new RegExp(`</?(?:${names})${rest}`, "gi");
  const around = (names: string, mark: string) => (now: string) =>
    now.replace(new RegExp(`<(${names})${rest}([^<]{0,4000})</\\1>`, "gi"), (_, _name, words: string) =>
      words.trim() === "" ? words : `${mark}${words.trim()}${mark}`,
    );
  const steps: ((now: string) => string)[] = [
    (now) => now.replace(/[\uE000\uE001]/g, "").replace(/`[^`\n]+`/g, keep),
    withoutComments,
    around("code|kbd", "`"),
    (now) =>
      now.replace(/<img(\s[^<>]{0,4000}|)>/gi, (_, attributes: string) => attribute(attributes, "alt")),
    (now) =>
      now
        .replace(new RegExp(`<br${rest}`, "gi"), "  \n")
        .replace(new RegExp(`<hr${rest}`, "gi"), "\n\n---\n\n"),
    around("b|strong", "**"),
    around("i|em", "*"),
    (now) =>
      now.replace(
        new RegExp(`<h([1-6])${rest}`, "gi"),
        (_, level: string) => `\n\n${"#".repeat(Number(level))} `,
      ),
    (now) => now.replace(tag("h[1-6]"), "\n\n").replace(new RegExp(`<li${rest}`, "gi"), "\n- "),
    around("summary", "**"),
    (now) =>
      now
        .replace(tag(`${block}|summary`), "\n\n")
        .replace(/<a(\s[^<>]{0,4000})>([\s\S]{0,4000}?)<\/a>/gi, link),
    (now) => now.replace(tag(`${dropped}|li`), ""),
    (now) => now.replace(/^[ \t]+$/gm, "").replace(/\n{3,}/g, "\n\n"),
    (now) =>
      now.replace(new RegExp(`${from}(\\d+)${to}`, "g"), (_, index: string) => spans[Number(index)] ?? ""),
  ];
  return steps.reduce((now, step) => step(now), text);
}

function attribute(attributes: string, name: string): string {
  const [, double, single] =
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "i").exec(attributes) ?? [];
  return (double ?? single ?? "").trim();
}

/** Turns the first paragraph with words into the link. */
function link(_: string, attributes: string, words: string): string {
  const href = attribute(attributes, "href");
  const first = /\S[^\n]*/.exec(words)?.[0].trim();
  return href === "" || first === undefined ? words : words.replace(first, () => `[${first}](<${href}>)`);
}
