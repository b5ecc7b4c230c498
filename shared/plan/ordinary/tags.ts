// Turns plans in tags, such as `<plan><step>x</step></plan>`, into the lists that they mean.
import { kindOfTitle } from "./titles.ts";

/** Tags within a step whose names add nothing to the text. */
const silent = /^(?:name|title|automated|actions|items?|commands?|criteri(?:on|a))$/;
const unnamed = /^(?:description|instruction|details|action)$/;
const signs: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** Whether a text is or contains a plan in tags: steps inside a tag that is called a plan. */
export function isTaggedPlan(text: string): boolean {
  return /<(?:\w+[_-])?(?:plan|tasks|steps)>/.test(text) && hasTaggedSteps(text);
}

function hasTaggedSteps(text: string): boolean {
  return /<\/(?:step|task)>/.test(text);
}

/** `text` with its tagged steps as a numbered list, and the tags of known sections as headings. Other tags stay. */
export function untagged(text: string): string {
  if (!hasTaggedSteps(text)) return text;
  const closed = new Set(text.match(/<\/[a-z][\w-]*>/g));
  let steps = 0;
  let within = false;
  const parts = text.split(/(<\/?[a-z][\w-]*\b[^<>]*>)/).map((part, index) => {
    const tag = /[a-z][\w-]*/.exec(part)?.[0] ?? "";
    // A tag that is never closed does not belong to the plan, for example `Array<string>`.
    if (index % 2 === 0 || !closed.has(`</${tag}>`)) return within ? listed(part) : part;
    const closes = part.startsWith("</");
    if (tag === "step" || tag === "task") {
      within = !closes;
      steps += closes ? 0 : 1;
      return closes ? "\n" : `\n${steps}. `;
    }
    const name = tag.replace(/[_-]/g, " ");
    // Text after a section belongs to the plan again.
    if (!within) return kindOfTitle(name) === "other" ? part : `\n\n## ${closes ? "Plan" : name}\n\n`;
    if (closes || silent.test(tag)) return closes ? "\n" : "";
    return `\n   - ${unnamed.test(tag) ? "" : `${tag === "done" ? "expected" : name}: `}`;
  });
  return parts.join("");
}

/** The content of a step, on separate lines below it. */
function listed(part: string): string {
  return part
    .trim()
    .replace(/\n\s*```\w*(?=\n|$)/g, "")
    .replace(/^(?:(?:step|task) \d+[:.]|[-*] ) */i, "")
    .replace(/\s*\n\s*(?:[-*]\s+|\d+[.)]\s+)?/g, "\n     - ")
    .replace(/&(?:lt|gt|amp);/g, (sign) => signs[sign] ?? sign);
}
