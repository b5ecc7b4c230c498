// Other forms of calls in text, which models write that were trained on them. Only at the start of a line, only known tools.
import type { AssembledCall } from "./call-assembly.ts";
import { isRecord, textOf } from "./json-value.ts";
import { repairArguments, repairName } from "./repair.ts";

export interface Dialect {
  opens: string;
  /** Absent = goes on to the end of the text. */
  closes?: string;
}

/** Hermes and Qwen; Llama and Qwen-coder; Mistral; Llama's built-in form. */
export const dialects: readonly Dialect[] = [
  { opens: "<tool_call>", closes: "</tool_call>" },
  { opens: "<function=", closes: "</function>" },
  { opens: "[TOOL_CALLS]" },
  { opens: "<|python_tag|>" },
];

/** The calls in the text between the marks; none where any of it is not a call of a known tool. */
export function parseDialect({ opens }: Dialect, body: string, known: ReadonlySet<string>): AssembledCall[] {
  const calls = opens === "<function=" ? [functionCall(body)] : (nested(body) ?? jsonCalls(body));
  const named = calls.map((call) =>
    call === undefined ? undefined : { ...call, name: repairName(call.name, known) },
  );
  return named.every((call) => call !== undefined && known.has(call.name))
    ? named.flatMap((call) => call ?? [])
    : [];
}

/** Qwen-coder puts its function form inside tool_call. */
function nested(body: string): (AssembledCall | undefined)[] | undefined {
  const inner = /^\s*<function=([\s\S]*?)<\/function>\s*$/.exec(body)?.[1];
  return inner === undefined ? undefined : [functionCall(inner)];
}

/** `name>{"path": "a"}`, or `name>` with `<parameter=path>a</parameter>`. */
function functionCall(body: string): AssembledCall | undefined {
  const head = /^\s*([\w.-]+)>([\s\S]*)$/.exec(body);
  if (head?.[1] === undefined) return undefined;
  const rest = head[2] ?? "";
  const parameters = [...rest.matchAll(/<parameter=([\w.-]+)>\n?([\s\S]*?)\n?<\/parameter>/g)];
  if (parameters.length === 0) return made(head[1], rest);
  const args = Object.fromEntries(parameters.map(([, name = "", value = ""]) => [name, looseValue(value)]));
  return made(head[1], JSON.stringify(args));
}

/** Numbers, lists and objects are written bare in that form; everything else is text. */
function looseValue(text: string): unknown {
  if (!/^\s*(-?\d+|true|false|null|\[[\s\S]*\]|\{[\s\S]*\})\s*$/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function jsonCalls(body: string): (AssembledCall | undefined)[] {
  const text = body.trim();
  const one = repairArguments(text);
  const parsed: unknown = one === undefined ? parseList(text) : JSON.parse(one.text);
  if (Array.isArray(parsed)) return parsed.map(recordCall);
  return [recordCall(parsed)];
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function recordCall(value: unknown): AssembledCall | undefined {
  if (!isRecord(value)) return undefined;
  const inner = isRecord(value.function) ? value.function : value;
  const args = inner.arguments ?? inner.parameters ?? inner.args ?? {};
  const name = textOf(inner.name) || textOf(inner.tool);
  return name === "" ? undefined : made(name, typeof args === "string" ? args : JSON.stringify(args));
}

function made(name: string, args: string): AssembledCall {
  return { id: "", name, arguments: args };
}
