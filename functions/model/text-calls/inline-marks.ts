// Marks of calls that never occur in ordinary text: Kimi and DeepSeek write them anywhere in a line. A call begins a
// line for the reader, so each is put at the beginning of one.
import { plainMarks } from "./call-formats.ts";

const marks = [
  "<|tool_calls_section_begin|>",
  "<|tool_calls_begin|>",
  "<|DSML|function_calls>",
  "<|start|>assistant<|channel|>commentary",
  "<|channel|>commentary",
];
const longest = Math.max(...marks.map(({ length }) => length));

interface Part {
  text: string;
  /** It begins with a mark. */
  marked: boolean;
}

/** `text` cut before each mark; `rest` may become one. */
export function splitAtMarks(text: string): { parts: Part[]; rest: string } {
  if (!text.includes("<")) return { parts: [{ text, marked: false }], rest: "" };
  const plain = plainMarks(text);
  const starts = [0];
  for (let at = plain.indexOf("<"); at >= 0; at = plain.indexOf("<", at + 1)) {
    const found = marks.find((mark) => plain.startsWith(mark, at));
    if (found === undefined) continue;
    if (at > 0) starts.push(at);
    at += found.length - 1;
  }
  const tail = Math.max(starts.at(-1) ?? 0, plain.length - longest);
  const open = plain.indexOf("<", tail);
  const from = open < 0 ? -1 : beginningAt(plain, open);
  const end = from < 0 ? text.length : from;
  return {
    parts: starts.map((start, index) => ({
      text: text.slice(start, Math.min(end, starts[index + 1] ?? end)),
      marked: marks.some((mark) => plain.startsWith(mark, start)),
    })),
    rest: text.slice(end),
  };
}

/** Where the end of `plain` begins a mark, from `at` on; -1 if it does not. */
function beginningAt(plain: string, at: number): number {
  for (let from = at; from >= 0; from = plain.indexOf("<", from + 1))
    if (marks.some((mark) => mark.length > plain.length - from && mark.startsWith(plain.slice(from))))
      return from;
  return -1;
}

const closers = [
  ...[
    "</tool_call>",
    "</tool_calls>",
    "</function_calls>",
    "</function>",
    "</invoke>",
    "</minimax:tool_call>",
  ],
  ...["<|tool_calls_section_end|>", "<|tool_calls_end|>", "<|tool_call_end|>", "<|END_ACTION|>", "<|call|>"],
  ...["<|im_end|>", "<|eot_id|>", "<|end|>", "<|return|>", "</s>"],
];

/**
 * Whether a line contains only leftover closing marks of calls and turns, which mean nothing to a reader. "perhaps" =
 * more text is needed to tell.
 */
export function orphaned(line: string): boolean | "perhaps" {
  let rest = plainMarks(line).trimStart();
  for (let found: string | undefined = ""; found !== undefined; ) {
    rest = rest.slice(found.length).trimStart();
    found = closers.find((mark) => rest.startsWith(mark));
  }
  if (rest === "") return line.trim() !== "";
  return closers.some((mark) => mark.startsWith(rest)) ? "perhaps" : false;
}
