// Repairs malformed tool calls if that cannot change their meaning. Other calls are left as they are.
import { isRecord } from "../../shared/is-record.ts";
import type { AssembledCall } from "./call-assembly.ts";
import { parseJson, parseRecord } from "./json-value.ts";

/** Tools that may write. An incomplete call of one of these is refused, because the missing part is unknown. */
export const writers: ReadonlySet<string> = new Set(["edit_file", "write_file", "run_command"]);

/** A call's defect; `repaired` false = the call is returned to the model as an error. */
export interface CallDiagnostic {
  kind: string;
  repaired: boolean;
}

export interface RepairedCall {
  call: AssembledCall;
  diagnostics: CallDiagnostic[];
}

/**
 * `call` with a known name and valid arguments, if it can be repaired safely. `cutByLength`: the answer reached its
 * token limit, so more than the closing brackets may be missing.
 */
export function repairCall(
  call: AssembledCall,
  knownNames: ReadonlySet<string>,
  cutByLength = false,
): RepairedCall {
  const diagnostics: CallDiagnostic[] = [];
  const name = repairName(call.name, knownNames);
  if (!knownNames.has(name)) diagnostics.push({ kind: "unknown_tool", repaired: false });
  else if (name !== call.name) diagnostics.push({ kind: "tool_name", repaired: true });
  const repaired = repairArguments(call.arguments, cutByLength || writers.has(name));
  if (repaired === undefined) diagnostics.push({ kind: "arguments", repaired: false });
  else if (repaired.kind !== undefined) diagnostics.push({ kind: repaired.kind, repaired: true });
  return { call: { ...call, name, arguments: repaired?.text ?? call.arguments }, diagnostics };
}

/** `readFile`, `read-file`, `functions.read_file:0` and `read_file()` mean `read_file` if that tool is offered. */
export function repairName(name: string, knownNames: ReadonlySet<string>): string {
  if (knownNames.has(name)) return name;
  const bare =
    name
      .trim()
      // Harmony's special tokens end up in names: `read_file<|channel|>commentary`.
      .replace(/<\|[\s\S]*$/, "")
      .replace(/\(\)$|:\d+$/, "")
      .split(/[.:/]/)
      .at(-1) ?? "";
  const wanted = plainName(bare);
  const matches = [...knownNames].filter((known) => plainName(known) === wanted);
  return (matches.length === 1 ? matches[0] : undefined) ?? (name.trim() || "unknown");
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/**
 * The arguments as the text of one JSON object, with the repair that was needed (`kind` is absent if none was), or
 * undefined. An empty text counts as an empty object, for tools without arguments.
 */
export function repairArguments(
  text: string,
  cutByLength = false,
): { text: string; kind?: string } | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null") return { text: "{}" };
  if (parseRecord(trimmed) !== undefined) return { text: trimmed };
  const steps: [kind: string, repair: (from: string) => string][] = [
    ["fence", withoutFence],
    ["double_encoded", decoded],
    ["empty_prefix", (from) => from.replace(/^\{\s*\}(?=\s*\{)/, "")],
    ["control_characters", escapeControls],
    ["quotes", pythonQuotes],
    ["bare_words", quoteBareWords],
    ["trailing_comma", withoutTrailingCommas],
    ["cut_off", cutByLength ? (from) => from : closeBrackets],
  ];
  let current = trimmed;
  for (const [kind, repair] of steps) {
    const next = repair(current).trim();
    if (next !== current && parseRecord(next) !== undefined) return { text: next, kind };
    current = next;
  }
  return undefined;
}

function withoutFence(text: string): string {
  return /^```[a-z]*\s*\n?([\s\S]*?)\n?```$/i.exec(text)?.[1] ?? text;
}

/** Decodes an object that was written as a JSON string. */
function decoded(text: string): string {
  if (!text.startsWith('"')) return text;
  const value = parseJson(text);
  return typeof value === "string" ? value : isRecord(value) ? JSON.stringify(value) : text;
}

/** Escapes raw line ends and tabs inside strings, which JSON does not allow. */
function escapeControls(text: string): string {
  const escapes: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  return mapOutside(
    text,
    (outside) => outside,
    (inside) => inside.replace(/[\n\r\t]/g, (char) => escapes[char] ?? char),
  );
}

/**
 * Converts Python's notation of an object, but only without double quotes, which would make it ambiguous where strings
 * end.
 */
function pythonQuotes(text: string): string {
  if (text.includes('"') || text.includes("\\") || !/^\{\s*'/.test(text)) return text;
  const strings = text.match(/'[^']*'/g) ?? [];
  const rest = text.replace(/'[^']*'/g, "");
  if (strings.length === 0 || rest.includes("'") || /[^\s{}[\]:,\w.+-]/.test(rest)) return text;
  const words: Record<string, string> = { True: "true", False: "false", None: "null" };
  return text.replace(
    /'([^']*)'|\b(True|False|None)\b/g,
    (_, string: string | undefined, word: string | undefined) =>
      string === undefined ? (words[word ?? ""] ?? "") : JSON.stringify(string),
  );
}

/** Quotes keys without quotes, and converts Python's words, outside strings. */
function quoteBareWords(text: string): string {
  const words: Record<string, string> = { True: "true", False: "false", None: "null" };
  return mapOutside(
    text,
    (outside) =>
      outside
        .replace(/([{,]\s*)([A-Za-z_]\w*)(\s*:)/g, '$1"$2"$3')
        .replace(/\b(True|False|None)\b/g, (word) => words[word] ?? word),
    (inside) => inside,
  );
}

function withoutTrailingCommas(text: string): string {
  return mapOutside(
    text,
    (outside) => outside.replace(/,(\s*[}\]])/g, "$1"),
    (inside) => inside,
  );
}

/** Adds missing closing brackets at the end. Never inside a string, because the rest of the string is unknown. */
function closeBrackets(text: string): string {
  const open: string[] = [];
  let balanced = true;
  let inString = false;
  mapOutside(
    text,
    (outside) => {
      for (const char of outside) {
        if (char === "{") open.push("}");
        else if (char === "[") open.push("]");
        else if ((char === "}" || char === "]") && open.pop() !== char) balanced = false;
      }
      return outside;
    },
    (inside, closed) => {
      inString = !closed;
      return inside;
    },
  );
  // If the text does not end with a complete value, more than brackets is missing.
  if (!balanced || inString || open.length === 0 || !/(["}\]]|true|false|null)\s*$/.test(text)) return text;
  return text + open.reverse().join("");
}

const closedString = /^"[^"\\]*(?:\\[\s\S][^"\\]*)*"$/;

/** Applies one function to the parts of `text` outside double-quoted strings and another to those inside. */
function mapOutside(
  text: string,
  outside: (part: string) => string,
  inside: (part: string, closed: boolean) => string,
): string {
  return text
    .split(/("[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$))/)
    .map((part) => (part.startsWith('"') ? inside(part, closedString.test(part)) : outside(part)))
    .join("");
}
