// Open points of a plan as models write them: questions with their choices in a list below or after `Options:`.

import { parseDecisionPoints } from "../markdown-questions.ts";
import type { LooseQuestion } from "../plan-body.ts";
import { LineProblem, type SourceLine } from "../plan-lines.ts";
import { maxOptions, type QuestionOption } from "../question.ts";
import { meansNone } from "../question-form.ts";
import { plainTitle, type WrittenLine } from "./lines.ts";

const nothing = /^(none|nothing|n\/?a|no (open )?(questions?|decisions?)|nothing to decide)\b.{0,40}$/i;
const maxLabelWords = 4;

/** The points of a section: in our own form (PROTOCOL 7) if it has that, otherwise as far as they can be read. */
export function readPoints(lines: readonly WrittenLine[]): (string | LooseQuestion)[] {
  try {
    const source: SourceLine[] = lines.map(({ raw }, index) => ({ text: raw, number: index + 1 }));
    const points = parseDecisionPoints(source);
    if (points.some((point) => typeof point !== "string")) return points;
  } catch (problem) {
    if (!(problem instanceof LineProblem)) throw problem;
  }
  return looseEntries(lines).flatMap(({ text, below }): (string | LooseQuestion)[] => {
    if (nothing.test(text)) return [];
    const options = below.map(optionOf).filter(({ label }) => label !== "" && !meansNone(label));
    const labels = new Set(options.map(({ label }) => label));
    return options.length >= 2 && options.length <= maxOptions && labels.size === options.length
      ? [
          {
            ...labelOf(text),
            type: /\b(all that apply|one or more|any of)\b/i.test(text)
              ? ("multi_select" as const)
              : ("single_select" as const),
            options,
          },
        ]
      : [[text, ...below].join(" ")];
  });
}

interface LooseEntry {
  text: string;
  below: string[];
}

function looseEntries(lines: readonly WrittenLine[]): LooseEntry[] {
  // Letters mark choices, unless the questions themselves are lettered.
  const first = lines.find(({ kind }) => kind !== "blank");
  const isEntry = ({ kind, marker }: WrittenLine) =>
    kind === "item" && (marker !== "letter" || first?.marker === "letter");
  const items = lines.filter(isEntry);
  const outer = Math.min(...items.map(({ indent }) => indent));
  const entries: LooseEntry[] = [];
  for (const line of lines) {
    const { kind, indent, text } = line;
    const last = entries.at(-1);
    if (kind === "blank" || kind === "code" || (kind === "text" && /^(next|options:?)$/i.test(text)))
      continue;
    if ((isEntry(line) && indent <= outer + 1) || kind === "heading" || !last)
      entries.push({ text, below: [] });
    else if (kind === "item") last.below.push(text);
    else if (last.below.length === 0) last.text = `${last.text} ${text}`;
    else last.below.push(`${last.below.pop() ?? ""} ${text}`);
  }
  return entries;
}

/** Splits `**JWT** (recommended): stateless` into a title and its description. */
function optionOf(text: string): QuestionOption {
  const bare = text.replace(/^(?:option\s+)?[a-z0-9][.):]\s+/i, "");
  const [, bold = "", rest = ""] = /^(?:\*\*|__)(.+?)(?:\*\*|__)(.*)$/.exec(bare) ?? [];
  const [, head = "", tail = ""] =
    bold === ""
      ? (/^(.{2,60}?)(?::|\s[-\u2013\u2014])\s+(.+)$/.exec(bare) ?? [])
      : ["", bold, rest.replace(/^\s*[-:\u2013\u2014]\s*/, "")];
  const label = plainTitle(head === "" ? bare : head);
  return { label, ...(tail.trim() === "" ? {} : { description: tail.trim() }) };
}

/** Splits an entry into a label of a few words and the question itself. */
function labelOf(text: string): { label: string; prompt: string } {
  const [, bold = "", rest = ""] = /^(?:\*\*|__)(.+?)(?:\*\*|__)(.*)$/.exec(text) ?? [];
  const prompt = rest.replace(/^\s*[-:?\u2013\u2014]*\s*/, "").trim();
  if (bold !== "" && prompt !== "") return { label: plainTitle(bold), prompt };
  const plain = plainTitle(text);
  return { label: plain.replace(/\?$/, "").split(/\s+/).slice(0, maxLabelWords).join(" "), prompt: plain };
}
