// The call formats that models were trained on. They count only at the start of a line and for known tools.
import { isRecord } from "../../../shared/is-record.ts";
import type { AssembledCall } from "../call-assembly.ts";
import { parseJson, stringOrEmpty } from "../json-value.ts";
import { repairArguments, repairName, writers } from "../repair.ts";
import { readLoose } from "./loose-json.ts";
import { parsePythonCalls } from "./python-calls.ts";

export interface CallFormat {
  /** In the form that `plainMarks` returns. */
  opens: string;
  /** Absent = runs to the end of the text. */
  closes?: string;
  /** Counts only as a whole message, because ordinary text often begins like this. */
  alone?: true;
}

/** Marks of chat templates, as their models write them if the server does not remove them. */
export const callFormats: readonly CallFormat[] = [
  // Hermes, Qwen, GLM; Qwen-coder and Llama 3; Jamba.
  { opens: "<tool_call>", closes: "</tool_call>" },
  { opens: "<function=", closes: "</function>" },
  { opens: "<tool_calls>", closes: "</tool_calls>" },
  // Claude's form, and those of DeepSeek 3.2 and MiniMax after it.
  { opens: "<function_calls>", closes: "</function_calls>" },
  { opens: "<|DSML|function_calls>", closes: "</|DSML|function_calls>" },
  { opens: "<minimax:tool_call>", closes: "</minimax:tool_call>" },
  { opens: "<invoke name=", closes: "</invoke>" },
  // DeepSeek 3, Kimi, Granite and Phi, Command R.
  { opens: "<|tool_calls_begin|>", closes: "<|tool_calls_end|>" },
  { opens: "<|tool_calls_section_begin|>", closes: "<|tool_calls_section_end|>" },
  { opens: "<|tool_call|>" },
  { opens: "<|START_ACTION|>", closes: "<|END_ACTION|>" },
  // Harmony (gpt-oss).
  { opens: "<|start|>assistant<|channel|>commentary", closes: "<|call|>" },
  { opens: "<|channel|>commentary", closes: "<|call|>" },
  // Mistral; Llama's built-in form, with its mark and without.
  { opens: "[TOOL_CALLS]" },
  { opens: "<|python_tag|>" },
  { opens: "<|python_start|>", closes: "<|python_end|>" },
  { opens: '{"name":', alone: true },
  { opens: '{"type": "function"', alone: true },
  // Gemma.
  { opens: "```tool_code", closes: "\n```" },
  { opens: "```tool_call", closes: "\n```" },
];

export const longestOpening = Math.max(...callFormats.map(({ opens }) => opens.length));

/** Characters that a line must begin with for a format to begin. */
export const formatStarts = "<[{`";

/** DeepSeek writes its marks with special characters; the replacements have the same length, so positions stay valid. */
export function plainMarks(text: string): string {
  return text.replaceAll("｜", "|").replaceAll("▁", "_");
}

/** The calls in `text`, including their marks; none if any part is not a call of a known tool. */
export function parseCalls({ alone }: CallFormat, text: string, known: ReadonlySet<string>): AssembledCall[] {
  if (alone && !/"(arguments|parameters)"\s*:/.test(text)) return [];
  const inner = bare(text);
  return ofKnownTools(
    harmonyCalls(text) ??
      elementCalls(text) ??
      headedCalls(text) ??
      parsePythonCalls(inner) ??
      jsonCalls(inner),
    known,
  );
}

/** A broken object that begins like a call is a call with its raw arguments, so that the model is told the error. */
export function brokenCall({ alone }: CallFormat, text: string, known: ReadonlySet<string>): AssembledCall[] {
  const head =
    /^\{\s*["']name["']\s*:\s*["']([\w.-]+)["']\s*,\s*["'](?:arguments|parameters|args)["']\s*:([\s\S]*)$/.exec(
      bare(text),
    );
  if (alone || head?.[1] === undefined) return [];
  const raw = (head[2] ?? "").trim().replace(/\}$/, "").trim();
  return ofKnownTools([made(head[1], raw === "" ? "{" : raw)], known);
}

function ofKnownTools(calls: readonly AssembledCall[], known: ReadonlySet<string>): AssembledCall[] {
  const named = calls.map((call) => ({ ...call, name: repairName(call.name, known) }));
  return named.every((call) => known.has(call.name)) ? named : [];
}

/** JSON after a mark without attributes: not a call while one of its strings is open. */
export const jsonInMarks = /^<[^>\n="]*>\s*[[{]/;

const anyMark =
  /<\/?(?:[|｜](?:DSML[|｜])?)?(?:minimax:)?[A-Za-z_▁]+[|｜]?>|\[TOOL_CALLS\]|```(?:json|tool_code|tool_call)?/g;

/** The text between the marks. */
function bare(text: string): string {
  return text
    .trim()
    .replace(/^(?:(?:<[^>\n]{1,40}>|\[TOOL_CALLS\]|```[a-z_]*)\s*)+/, "")
    .replace(/(?:\s*(?:<\/(?:tool_calls?|function_calls)>|<[/|｜][^>\n]{1,40}[|｜]>|```))+$/, "")
    .trim();
}

const elements =
  /<(?:[|｜]DSML[|｜])?(?:function=|invoke name=")([\w.-]+)"?>([\s\S]*?)(?:<\/(?:[|｜]DSML[|｜])?(?:function|invoke)>|$)/g;
const parameterElements =
  /<(?:[|｜]DSML[|｜])?parameter(?:=| name=")([\w.-]+)"?([^>]*)>\n?([\s\S]*?)\n?<\/(?:[|｜]DSML[|｜])?parameter>/g;

/** `<function=name>` and `<invoke name="name">`, with parameters as elements or one JSON object; GLM's keys and values. */
function elementCalls(text: string): AssembledCall[] | undefined {
  const found = [...text.matchAll(elements)];
  if (found.length > 0 && text.replace(elements, "").replace(anyMark, "").trim() === "") {
    return found.map(([, name = "", body = ""]) => {
      const parameters = [...body.matchAll(parameterElements)];
      if (parameters.length === 0) return made(name, body);
      return withFields(
        name,
        parameters.map(([, key = "", attributes = "", value = ""]) => [
          key,
          attributes.includes('string="true"') ? value : looseValue(value),
        ]),
      );
    });
  }
  const glm = /^\s*([\w.-]+)\s*((?:<arg_key>[\s\S]*<\/arg_value>\s*)+)$/.exec(bare(text));
  if (glm?.[1] === undefined) return undefined;
  const pairs = [
    ...(glm[2] ?? "").matchAll(/<arg_key>([\s\S]*?)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g),
  ];
  return [
    withFields(
      glm[1],
      pairs.map(([, key = "", value = ""]) => [key.trim(), looseValue(value)]),
    ),
  ];
}

/** https://cookbook.openai.com/articles/openai-harmony: the recipient is the tool, the message its arguments. */
function harmonyCalls(text: string): AssembledCall[] | undefined {
  const found =
    /^(?:<\|start\|>assistant)?<\|channel\|>commentary\s+to=(?:functions\.)?([\w.-]+)[\s\S]*?<\|message\|>([\s\S]*?)(?:<\|call\|>)?\s*$/.exec(
      text,
    );
  return found?.[1] === undefined ? undefined : [made(found[1], found[2] ?? "")];
}

const heads = /\[TOOL_CALLS\]|<[|｜]tool[_▁]call[_▁]begin[|｜]>/;
const headed =
  /^(?:function)?(?:<[|｜]tool[_▁]sep[|｜]>)?([\w.-]+(?::\d+)?)\s*(?:\[CALL_ID\]\w+)?(?:\[ARGS\]|<[|｜]\w+[|｜]>|<[|｜]tool▁sep[|｜]>|```json)?\s*(\{[\s\S]*\})(?:\s*(?:```|<[^>]{1,40}>))*$/;

/** A name before its arguments: Mistral's newer form, DeepSeek, Kimi. */
function headedCalls(text: string): AssembledCall[] | undefined {
  if (!heads.test(text)) return undefined;
  const [, ...parts] = text.split(heads);
  const calls = parts.flatMap((part) => {
    const found = headed.exec(part.trim());
    return found?.[1] === undefined ? [] : [made(found[1], found[2] ?? "")];
  });
  return calls.length === parts.length ? calls : undefined;
}

/** Numbers, lists and objects are written bare in that form; everything else is text. */
function looseValue(text: string): unknown {
  if (!/^\s*(-?\d+|true|false|null|\[[\s\S]*\]|\{[\s\S]*\})\s*$/.test(text)) return text;
  return parseJson(text) ?? text;
}

function jsonCalls(json: string): AssembledCall[] {
  const writes = [...writers].some((name) => json.includes(`"${name}"`));
  const one = json.startsWith("[") ? undefined : repairArguments(json, writes);
  const parsed = parseJson(one?.text ?? json) ?? looseValueOf(json);
  if (parsed !== undefined) return Array.isArray(parsed) ? parsed.map(recordCall) : [recordCall(parsed)];
  // Several objects, one per line.
  const each = json.split(/\n\s*(?=\{)/).map((part) => parseJson(part));
  return each.every(isRecord) ? each.map(recordCall) : [];
}

/** Longer texts are parsed as JSON alone: each closing mark in one would cost another try. */
const maxLooseChars = 100_000;

function looseValueOf(json: string): unknown {
  if (!json.startsWith("[") || json.length > maxLooseChars) return undefined;
  const read = readLoose(json);
  return read.ok && json.slice(read.end).trim() === "" ? read.value : undefined;
}

/** Names no tool. */
const noCall: AssembledCall = { id: "", name: "", arguments: "" };

function recordCall(value: unknown): AssembledCall {
  if (!isRecord(value)) return noCall;
  const inner = isRecord(value.function) ? value.function : value;
  const args = inner.arguments ?? inner.parameters ?? inner.args ?? {};
  const name = stringOrEmpty(inner.name) || stringOrEmpty(inner.tool) || stringOrEmpty(inner.tool_name);
  return made(name, typeof args === "string" ? args : JSON.stringify(args));
}

function withFields(name: string, fields: (readonly [string, unknown])[]): AssembledCall {
  return made(name, JSON.stringify(Object.fromEntries(fields)));
}

function made(name: string, args: string): AssembledCall {
  return { id: "", name, arguments: args };
}
