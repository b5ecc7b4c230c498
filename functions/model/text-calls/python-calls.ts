// Calls written as Python, as Gemma and Llama 4 do: `read_file(path="a")`, bare or printed. Evaluates nothing.
import type { AssembledCall } from "../call-assembly.ts";

const call = /^(?:\w+\s*=\s*)?(?:print\(\s*)?(?:default_api\.|functions\.)?(\w+)\(([\s\S]*)\)$/;
const argument =
  /\s*(\w+)\s*=\s*("(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|-?\d+(?:\.\d+)?|True|False|None)\s*(?:,|$)/y;

/** The calls of `text`, one a line; undefined where it is anything but calls with named, plain arguments. */
export function parsePythonCalls(text: string): AssembledCall[] | undefined {
  const lines = text.split(/\n(?=[\w.]+\()/).map((line) => parseCall(line.trim()));
  return lines.every((line) => line !== undefined) ? lines : undefined;
}

function parseCall(line: string): AssembledCall | undefined {
  const found = call.exec(line);
  if (found?.[1] === undefined) return undefined;
  const printed = /^(?:\w+\s*=\s*)?print\(/.test(line);
  let rest = found[2] ?? "";
  if (printed) {
    if (!rest.trimEnd().endsWith(")")) return undefined;
    rest = rest.trimEnd().slice(0, -1);
  }
  const fields: Record<string, unknown> = {};
  argument.lastIndex = 0;
  while (argument.lastIndex < rest.trimEnd().length) {
    const match = argument.exec(rest);
    if (match?.[1] === undefined) return undefined;
    fields[match[1]] = plainValue(match[2] ?? "");
  }
  return { id: "", name: found[1], arguments: JSON.stringify(fields) };
}

const words: Readonly<Record<string, unknown>> = { True: true, False: false, None: null };
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "" };

function plainValue(text: string): unknown {
  if (Object.hasOwn(words, text)) return words[text];
  if (!/^["']/.test(text)) return Number(text);
  return text.slice(1, -1).replace(/\\([\s\S])/g, (_, char: string) => escapes[char] ?? char);
}
