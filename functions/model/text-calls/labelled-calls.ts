// Calls written after labels: ReAct's `Action:` and `Action Input:`, `Tool: read_file` with `Args:`, a name before an object.
// https://arxiv.org/abs/2210.03629; forms seen: run-llama/llama_index#12455, #10322, #19187, crewAIInc/crewAI#4186.
import { isRecord } from "../../../shared/is-record.ts";
import type { JsonRecord } from "../json-value.ts";
import { readLoose } from "./loose-json.ts";
import { namedCall, type WrittenCall } from "./written-call.ts";
import type { FoundCalls } from "./xml-calls.ts";

const label =
  /^[ \t]*(?:[-*] )?(?:\*\*)?(?:Action|Tool|Function|Tool[ _]call|Tool[ _]name|Function[ _]call|Call)(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*/imy;
const named = /`?([A-Za-z_][\w.-]*)`?[ \t]*/y;
const input =
  /\s*(?:[-*] )?(?:\*\*)?(?:Action[ _]Input|Input|Args|Arguments|Parameters|Tool[ _]Input)(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*/imy;
/** Models that know ReAct make up its next lines too. */
const after = /\n[ \t]*(?:Observation|Thought|Final Answer|Action|Result)[ \t]*:/i;

/** The call that the line at `from` begins; undefined if it does not. */
export function readLabelled(text: string, from: number, known: ReadonlySet<string>): FoundCalls | undefined {
  const start = matched(label, text, from);
  if (start === undefined) return undefined;
  named.lastIndex = start;
  const name = named.exec(text)?.[1];
  if (name === undefined || /^(none|n\/a|null)$/i.test(name)) return undefined;
  const afterName = named.lastIndex;
  const given = matched(input, text, afterName);
  const rest = given ?? afterName;
  const value = valueAt(text, rest, given !== undefined);
  if (value === undefined) return undefined;
  const call = namedCall(name, value.value, known);
  const calls: WrittenCall[] = [call ?? { kind: "unknown", tool: name, why: "" }];
  return { calls, end: value.end };
}

/** A line that is a name of ours and an object: `read_file {"path": "a"}`. */
export function readNamed(text: string, from: number, known: ReadonlySet<string>): FoundCalls | undefined {
  named.lastIndex = from;
  const name = named.exec(text)?.[1];
  if (name === undefined) return undefined;
  const at =
    named.lastIndex +
    (/^[ \t]*:?\s*/.exec(text.slice(named.lastIndex, named.lastIndex + 20))?.[0].length ?? 0);
  if (text.charAt(at) !== "{") return undefined;
  const read = readLoose(text, at);
  if (!read.ok || !isRecord(read.value)) return undefined;
  const call = namedCall(name, read.value, known);
  return call && { calls: [call], end: read.end };
}

function matched(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** An object, fenced or bare or in brackets; lines `key: value`; or the rest of the line. */
function valueAt(text: string, from: number, labelled: boolean): { value: unknown; end: number } | undefined {
  const opened = /^\s*(?:```\w*\s*)?\(?\s*/.exec(text.slice(from, from + 200))?.[0] ?? "";
  if (text.charAt(from + opened.length) === "{") {
    const read = readLoose(text, from + opened.length);
    if (!read.ok) return undefined;
    const closed = /^\s*\)?(?:\s*```)?/.exec(text.slice(read.end))?.[0].length ?? 0;
    return { value: read.value, end: read.end + closed };
  }
  if (!labelled) return undefined;
  const stop = text.slice(from).search(after);
  const end = stop < 0 ? text.length : from + stop;
  const lines = text.slice(from, end).trim();
  const pairs = flatPairs(lines);
  if (pairs !== undefined) return { value: pairs, end };
  return lines === "" || lines.includes("\n") ? undefined : { value: lines, end };
}

/** `path: src/a.js`, one a line, as YAML has it. */
function flatPairs(text: string): JsonRecord | undefined {
  const pairs = text.split("\n").map((line) => /^[ \t]*([A-Za-z_]\w*)[ \t]*:[ \t]*(\S.*)$/.exec(line));
  if (!pairs.every((pair) => pair !== null)) return undefined;
  return Object.fromEntries(
    pairs.map(([, key = "", value = ""]) => [key, value.trim().replace(/^(["'])(.*)\1$/, "$2")]),
  );
}
