// Calls written as elements: Cline's and Roo Code's `<read_file><path>a</path></read_file>`, Qwen-coder's `<tools>`, a
// name beside its parameters, attributes. https://github.com/cline/cline (src/core/prompts), RooCodeInc/Roo-Code#2708.
import type { JsonRecord } from "../json-value.ts";
import { plain, toolMeanings } from "./aliases.ts";
import { readLoose } from "./loose-json.ts";
import { namedCall, type WrittenCall, writtenCalls } from "./written-call.ts";

export interface FoundCalls {
  calls: WrittenCall[];
  /** Offset after them. */
  end: number;
  /** The closing tag is missing. */
  open?: true;
}

/** Elements around a call that is an object, or other elements. */
const wrappers = new Set(
  "tool_call tool_calls tool tools tool_use tool_code function_call function_calls function call action actions invoke use_tool tool_request".split(
    " ",
  ),
);

const opening = /<([A-Za-z_][\w.-]*)((?:\s+[\w-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/y;

/** The element that begins at `from`, where it is a call or holds calls; undefined if it is anything else. */
export function readElement(text: string, from: number, known: ReadonlySet<string>): FoundCalls | undefined {
  opening.lastIndex = from;
  const [whole, name = "", attributes = "", empty] = opening.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const isTool = known.has(name) || toolMeanings.has(plain(name));
  const isWrapper = wrappers.has(name.toLowerCase());
  if (!isTool && !isWrapper) return undefined;
  // `<search>`, `<list>` and the like also occur in many other texts.
  if (!isWrapper && !name.includes("_") && !known.has(name)) return undefined;
  const start = from + whole.length;
  const given = attributesOf(attributes);
  if (empty === "/") return isWrapper ? undefined : { calls: asCalls(name, given, known), end: start };
  const closing = `</${name}>`;
  const close = text.indexOf(closing, start);
  if (close < 0) {
    const calls: WrittenCall[] = [
      { kind: "unknown", tool: isTool ? name : "", why: `${closing} is missing` },
    ];
    return isTool || /^\s*[{[<]/.test(text.slice(start))
      ? { calls, end: text.length, open: true }
      : undefined;
  }
  const body = text.slice(start, close);
  const end = close + closing.length;
  if (isTool) return { calls: asCalls(name, { ...given, ...parametersOf(body) }, known, body), end };
  const calls = wrapped(given, body, known);
  return calls.length > 0 ? { calls, end } : undefined;
}

function asCalls(name: string, args: JsonRecord, known: ReadonlySet<string>, body = ""): WrittenCall[] {
  const json = Object.keys(args).length === 0 ? body.trim() : "";
  const call = namedCall(name, json === "" ? args : json, known);
  return [call ?? { kind: "unknown", tool: name, why: "" }];
}

/** What a wrapper holds: objects, elements, or a name and parameters. */
function wrapped(given: JsonRecord, body: string, known: ReadonlySet<string>): WrittenCall[] {
  const inner = body.trim();
  const named = given.name ?? given.tool;
  if (typeof named === "string") {
    const parameters = { ...parametersOf(inner) };
    return asCalls(named, parameters, known, inner);
  }
  if (inner.startsWith("{") || inner.startsWith("[")) return objectsIn(inner, known) ?? [];
  const fields = parametersOf(inner);
  const [nameKey] = ["tool_name", "name", "tool", "tool_code", "function"].filter(
    (key) => typeof fields[key] === "string",
  );
  if (nameKey !== undefined) {
    const { [nameKey]: name, ...rest } = fields;
    const [only] = ["parameters", "arguments", "args", "input", "tool_input"].filter((key) => key in rest);
    return asCalls(
      String(name).trim(),
      only === undefined ? rest : { ...elementsOf(rest[only]) },
      known,
      String(rest[only ?? ""] ?? ""),
    );
  }
  const calls: WrittenCall[] = [];
  for (let at = inner.indexOf("<"); at >= 0; at = inner.indexOf("<", at)) {
    const found = readElement(inner, at, known);
    if (found === undefined) return [];
    calls.push(...found.calls);
    at = found.end;
  }
  return calls;
}

/** One object after the other, nothing between them but space and commas; undefined if there is anything else. */
export function objectsIn(text: string, known: ReadonlySet<string>): WrittenCall[] | undefined {
  const calls: WrittenCall[] = [];
  for (let at = 0; text.slice(at).trim() !== ""; ) {
    const read = readLoose(text, at);
    if (!read.ok) return undefined;
    const found = writtenCalls(read.value, known);
    if (found.length === 0) return undefined;
    calls.push(...found);
    at = read.end + (/^\s*[,;]?/.exec(text.slice(read.end))?.[0].length ?? 0);
  }
  return calls;
}

function attributesOf(text: string): JsonRecord {
  const found = text.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return Object.fromEntries([...found].map(([, key = "", double, single]) => [key, double ?? single ?? ""]));
}

function elementsOf(value: unknown): JsonRecord {
  return typeof value === "string" ? parametersOf(value) : {};
}

const parameter = /<([A-Za-z_][\w-]*)(?:\s+name\s*=\s*"([\w-]+)")?\s*>/g;
/** Elements whose text may look like elements itself, and may even contain their own closing tag. */
const longOnes = new Set(["content", "diff", "new_str", "new_string", "new_text", "code", "file_text"]);
/** Roo Code: `<args><file><path>a</path></file></args>`. */
const groups = new Set(["args", "file", "files", "parameters", "arguments", "params"]);

/** Elements as arguments: the text in each, without the line ends around it. */
export function parametersOf(body: string): JsonRecord {
  const fields: [string, unknown][] = [];
  parameter.lastIndex = 0;
  const names = new RegExp(parameter);
  for (let found = names.exec(body); found; found = names.exec(body)) {
    const [whole, tag = "", name = tag] = found;
    const start = found.index + whole.length;
    const closing = `</${tag}>`;
    const close = longOnes.has(name) ? body.lastIndexOf(closing) : body.indexOf(closing, start);
    if (close < start) return {};
    const inner = body.slice(start, close);
    if (groups.has(tag) && /^\s*</.test(inner)) fields.push(...Object.entries(parametersOf(inner)));
    else fields.push([name, inner.replace(/^\r?\n|\r?\n[ \t]*$/g, "")]);
    names.lastIndex = close + closing.length;
  }
  return Object.fromEntries(fields.map(([key, value]) => [key, longOnes.has(key) ? value : trimmed(value)]));
}

function trimmed(value: unknown): unknown {
  return typeof value === "string" && !value.includes("\n") ? value.trim() : value;
}
