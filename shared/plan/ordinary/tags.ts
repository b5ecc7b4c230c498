// Plans in tags, such as `<plan><step>x</step></plan>`, as the lists that they mean.
import { indentOf } from "../plan-lines.ts";
import { kindOfTitle } from "./titles.ts";

/** Longer than any step that somebody writes: matching tags takes the square of it. */
const maxStepChars = 16_384;
const inner = /<([a-z][\w-]*)\b[^<>]*>([\s\S]*?)<\/\1>/g;
const names: Readonly<Record<string, string>> = {
  done: "expected",
  description: "details",
  instruction: "details",
};

/** Whether a text is, or holds, a plan in tags: steps below a tag that says so. */
export function isTaggedPlan(text: string): boolean {
  return /<(?:\w+[_-])?(?:plan|tasks|steps)>/.test(text) && hasTaggedSteps(text);
}

function hasTaggedSteps(text: string): boolean {
  return /<\/(?:step|task)>/.test(text);
}

/** `text` with its tagged steps as a numbered list, and the tags of known sections as headings. Others stay. */
export function untagged(text: string): string {
  if (!hasTaggedSteps(text)) return text;
  let open: string | undefined;
  let count = 0;
  // One pass: what is between a tag of a step and the next one that closes it.
  const parts = text.split(/(<\/?(?:step|task)\b[^<>]*>)/).map((part, index) => {
    const isTag = index % 2 === 1;
    if (!isTag && open === undefined) return part.replace(/<(\/?)([a-z][\w-]*)>/g, section);
    const isEnd = isTag && part.startsWith("</");
    if (!isEnd) open = (open ?? "") + (isTag ? "" : part);
    if (!isEnd || open === undefined) return "";
    count += 1;
    const item = `\n${listed(count, open)}\n`;
    open = undefined;
    return item;
  });
  return parts.join("") + (open ?? "");
}

function section(whole: string, closes: string, tag: string): string {
  // What follows a section is part of the plan again.
  const title = closes === "" ? spaced(tag) : "Plan";
  return kindOfTitle(spaced(tag)) === "other" ? whole : `\n\n## ${title}\n\n`;
}

function listed(number: number, inside: string): string {
  const parts: { name: string; lines: string[] }[] = [];
  const bare = inside.slice(0, maxStepChars).replace(inner, (_, name: string, value: string) => {
    parts.push({ name, lines: linesOf(value) });
    return "";
  });
  const words = linesOf(bare);
  if (words.length > 0) parts.push({ name: "details", lines: words });
  const title = parts.find(({ name }) => /^(?:name|title)$/.test(name)) ?? parts.at(-1);
  const [first = "", ...more] = title?.lines ?? [];
  const below = parts
    .filter((part) => part !== title)
    .flatMap(({ name, lines }) => {
      const label = `   - ${names[name] ?? spaced(name)}:`;
      return lines.length === 1 ? `${label} ${lines[0]}` : [label, ...lines.map((line) => `     ${line}`)];
    });
  return [
    `${number}. ${first.replace(/^(?:step|task) \d+[:.] */i, "")}`,
    ...more.map((line) => `   - ${line}`),
    ...below,
  ].join("\n");
}

/** The lines of a value, moved to the left: tags within it say nothing more. */
function linesOf(value: string): string[] {
  const plain = value
    .replace(/<!\[CDATA\[|\]\]>|<\/?(?:automated|actions?|items?|checks?|commands?|criteri(?:on|a))>/g, "\n")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
  const lines = plain.split("\n").filter((line) => line.trim() !== "");
  const indent = Math.min(...lines.map(indentOf));
  return lines.map((line) => line.slice(indent).trimEnd());
}

function spaced(tag: string): string {
  return tag.replace(/[_-]/g, " ");
}
