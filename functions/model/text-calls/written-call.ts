// Reads a written object as calls: which tool, with which arguments, under whatever keys.
import { isRecord } from "../../../shared/is-record.ts";
import { type JsonRecord, stringOrEmpty } from "../json-value.ts";
import { repairName } from "../repair.ts";
import { argumentKeys, idleKeys, nameKeys, plain, toolMeanings } from "./aliases.ts";
import { readLoose } from "./loose-json.ts";
import { fits, meantArguments, toolsOf } from "./meant-arguments.ts";

/** A call as a model wrote it, read as one of our tools. */
export interface MeantCall {
  kind: "call";
  tool: string;
  args: JsonRecord;
}

/** Something that looks like a call, but not of one of our tools. `tool`: as it is written, "" if nothing is named. */
export interface UnknownCall {
  kind: "unknown";
  tool: string;
  why: string;
  /** The call that is meant, as far as that can be said. */
  own?: { tool: string; args: JsonRecord };
}

/** Another agent's tool for saying that the work is done. */
export interface EndWords {
  kind: "ends";
  text: string;
}

/** Tools that change nothing, so less certain forms of a call count for them. A new tool that reads need not be listed. */
export const readers: ReadonlySet<string> = new Set([
  "read_file",
  "list_files",
  "search_files",
  "get_plan",
  "ask_user",
]);

export type WrittenCall = MeantCall | UnknownCall | EndWords;

/**
 * The calls that `value` says, in order; [] if it does not look like one. `exactly`: only names that are ours count,
 * for texts that may well be about something else.
 */
export function writtenCalls(value: unknown, known: ReadonlySet<string>, exactly = false): WrittenCall[] {
  if (Array.isArray(value)) {
    const each = value.map((item: unknown) => writtenCalls(item, known, exactly));
    return each.length > 0 && each.every((calls) => calls.length > 0) ? each.flat() : [];
  }
  if (!isRecord(value)) return [];
  for (const key of [
    "tool_calls",
    "toolCalls",
    "calls",
    "tool_uses",
    "function_call",
    "tool_call",
    "actions",
  ])
    if (isRecord(value[key]) || Array.isArray(value[key])) return writtenCalls(value[key], known, exactly);
  if (isRecord(value.function)) return writtenCalls(value.function, known, exactly);
  const nameKey = nameKeys.find((key) => typeof value[key] === "string");
  if (nameKey === undefined) return namedByKey(value, known, exactly);
  const name = stringOrEmpty(value[nameKey]);
  const said = stringOrEmpty(value.say);
  if (name === "none" && said !== "") return [{ kind: "ends", text: said }];
  const argumentKey = argumentKeys.find((key) => key in value);
  if (argumentKey !== undefined) {
    const called = namedCall(name, value[argumentKey], known, exactly);
    if (called && said !== "") return [{ kind: "ends", text: said }, called];
    return called ? [called] : [{ kind: "unknown", tool: name, why: "" }];
  }
  const flat = Object.fromEntries(Object.entries(value).filter(([key]) => key !== nameKey && key !== "type"));
  const called = namedCall(name, flat, known, exactly);
  // Without a key for the arguments, any object with a name looks like a call. So under another agent's name only
  // tools that read are called.
  const isNamed = nameKey === "tool" || nameKey === "tool_name" || known.has(repairName(name, known));
  if (called?.kind === "call" && fits(called.tool, called.args))
    return isNamed || readers.has(called.tool)
      ? [called]
      : [{ kind: "unknown", tool: name, why: "", own: called }];
  if (called !== undefined && isNamed && (called.kind === "ends" || Object.keys(flat).length === 0))
    return [called];
  return nameKey === "tool" || nameKey === "tool_name" ? [{ kind: "unknown", tool: name, why: "" }] : [];
}

/** `{"read_file": {"path": "a"}}`, or the arguments alone. */
function namedByKey(value: JsonRecord, known: ReadonlySet<string>, exactly: boolean): WrittenCall[] {
  const entries = Object.entries(value).filter(([key]) => !idleKeys.has(key));
  const [only, ...others] = entries;
  if (only !== undefined && others.length === 0 && isRecord(only[1])) {
    const called = namedCall(only[0], only[1], known, exactly);
    if (called?.kind === "call" && fits(called.tool, called.args)) return [called];
  }
  const tools = exactly || entries.length < 2 ? [] : toolsOf(value);
  return tools.length > 0
    ? [{ kind: "unknown", tool: "", why: `these are arguments of ${tools.join(" or ")}` }]
    : [];
}

/** Undefined if no tool of that name is meant, or the arguments are not an object. */
export function namedCall(
  name: string,
  given: unknown,
  known: ReadonlySet<string>,
  exactly = false,
): MeantCall | EndWords | undefined {
  const own = repairName(name, known);
  const bare = name.trim().split(/[.:/]/).at(-1) ?? "";
  const meaning = exactly || known.has(own) ? undefined : toolMeanings.get(plain(bare));
  const args = recordOf(given);
  if (meaning !== undefined && "ends" in meaning) {
    const said = args?.[meaning.ends] ?? given;
    return { kind: "ends", text: stringOrEmpty(said) };
  }
  const tool = known.has(own) ? own : meaning?.tool;
  if (tool === undefined || !known.has(tool)) return ofEditor(bare, args, known, exactly);
  if (args === undefined) {
    const single = singleArgument(tool, given);
    return single && { kind: "call", tool, args: single };
  }
  return { kind: "call", tool, args: meantArguments(tool, args) };
}

/** Anthropic's text editor is one tool with a command. https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/text-editor-tool */
function ofEditor(
  name: string,
  args: JsonRecord | undefined,
  known: ReadonlySet<string>,
  exactly: boolean,
): MeantCall | undefined {
  if (exactly || args === undefined || !/^str_?replace.*edit(or|_tool)$|^text_editor/i.test(name))
    return undefined;
  const { command, ...rest } = args;
  const tools: Readonly<Record<string, string>> = {
    view: "read_file",
    create: "write_file",
    str_replace: "edit_file",
  };
  const tool = tools[stringOrEmpty(command)];
  return tool !== undefined && known.has(tool)
    ? { kind: "call", tool, args: meantArguments(tool, rest) }
    : undefined;
}

/** Arguments as an object, also where they were written as text. */
function recordOf(given: unknown): JsonRecord | undefined {
  if (isRecord(given)) return given;
  if (given === null || given === undefined || given === "") return {};
  if (typeof given !== "string") return undefined;
  const text = given.trim();
  if (!text.startsWith("{")) return undefined;
  const read = readLoose(text);
  return read.ok && isRecord(read.value) && text.slice(read.end).trim() === "" ? read.value : undefined;
}

const single: Readonly<Record<string, string>> = {
  ...{ read_file: "path", list_files: "path", search_files: "pattern", run_command: "command" },
};

/** ReAct's tools take one text. */
function singleArgument(tool: string, given: unknown): JsonRecord | undefined {
  const field = single[tool];
  return field !== undefined && typeof given === "string" && given.trim() !== ""
    ? { [field]: given.trim().replace(/^(["'`])([\s\S]*)\1$/, "$2") }
    : undefined;
}
