// Calls written as Python, as Gemma and Llama 4 do: `read_file(path="a")`, bare or printed. Evaluates nothing.
import type { AssembledCall } from "../call-assembly.ts";
import { readLoose } from "./loose-json.ts";

const begin = /(?:\w+\s*=\s*)?(print\(\s*)?(?:default_api\.|functions\.|tools\.)?([A-Za-z_]\w*)\(/y;
const keyword = /\s*([A-Za-z_]\w*)\s*=(?!=)\s*/y;
const separator = /\s*(,\s*)?/y;

export interface PythonCall {
  name: string;
  fields: Record<string, unknown>;
  /** Arguments without a name, in order. */
  plain: unknown[];
  /** Offset after the call. */
  end: number;
}

/** The call that begins at `from`, all of its arguments being plain values, lists or dictionaries of them. */
export function readPythonCall(text: string, from: number): PythonCall | undefined {
  begin.lastIndex = from;
  const [, printed, name] = begin.exec(text) ?? [];
  if (name === undefined) return undefined;
  const fields: [string, unknown][] = [];
  const plain: unknown[] = [];
  let at = begin.lastIndex;
  for (;;) {
    at = after(separator, text, at) ?? at;
    if (text.charAt(at) === ")") break;
    keyword.lastIndex = at;
    const key = keyword.exec(text)?.[1];
    const read = readLoose(text, key === undefined ? at : keyword.lastIndex);
    if (!read.ok) return undefined;
    at = read.end;
    if (!/^\s*[,)]/.test(text.slice(at, at + 200))) return undefined;
    if (key === undefined) plain.push(read.value);
    else fields.push([key, read.value]);
  }
  at += 1;
  if (printed !== undefined) {
    const closing = /^\s*\)/.exec(text.slice(at))?.[0];
    if (closing === undefined) return undefined;
    at += closing.length;
  }
  return { name, fields: Object.fromEntries(fields), plain, end: at };
}

function after(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/**
 * The calls of `text`; undefined if it is anything but calls with named arguments, in a list or one after the other.
 */
export function parsePythonCalls(text: string): AssembledCall[] | undefined {
  const calls: AssembledCall[] = [];
  const list = /^\s*\[([\s\S]*)\]\s*$/.exec(text)?.[1] ?? text;
  for (let at = 0; list.slice(at).trim() !== ""; ) {
    at += /^[\s,;]*/.exec(list.slice(at))?.[0].length ?? 0;
    const call = readPythonCall(list, at);
    if (call === undefined || call.plain.length > 0) return undefined;
    calls.push({ id: "", name: call.name, arguments: JSON.stringify(call.fields) });
    at = call.end;
  }
  return calls.length > 0 ? calls : undefined;
}
