// Converts the arguments that a model wrote into the form of our tools, only where the meaning is unambiguous: unknown or
// missing arguments stay, so that the model is told.
import { type JsonRecord, parseJson } from "../json-value.ts";
import { argumentNames, idleKeys } from "./aliases.ts";
import { meantEdits } from "./meant-edits.ts";
import { meantValue, withOwnNames } from "./meant-values.ts";

/**
 * The arguments that our tools accept, whether or not the model is shown them. Calls of tools not listed here are left
 * as written.
 */
const fields: Readonly<Record<string, readonly string[]>> = {
  read_file: ["path", "start", "end", "lines"],
  list_files: ["path", "depth", "glob"],
  search_files: ["pattern", "regex", "glob", "context"],
  edit_file: ["path", "base", "edits"],
  write_file: ["path", "content", "base"],
  run_command: ["command", "cwd", "timeoutMs", "tree", "background"],
  ask_user: ["summary", "questions"],
  read_output: ["id", "waitMs"],
  stop_command: ["id"],
};

/** The arguments that a call of the tool must have. */
const needed: Readonly<Record<string, readonly string[]>> = {
  read_file: ["path"],
  search_files: ["pattern"],
  edit_file: ["path", "edits"],
  write_file: ["path", "content"],
  run_command: ["command"],
  ask_user: ["questions"],
};

/** The arguments of a tool for a model to read; optional ones with a question mark. */
export function fieldsOf(tool: string): string {
  const sure = needed[tool] ?? [];
  return (fields[tool] ?? []).map((field) => field + (sure.includes(field) ? "" : "?")).join(", ");
}

export function meantArguments(tool: string, written: JsonRecord): JsonRecord {
  const own = fields[tool];
  if (own === undefined) return withoutNull(written);
  const args = withOwnNames(withoutNull(written), argumentNames[tool] ?? {}, own);
  shapes[tool]?.(args);
  for (const key of Object.keys(args)) {
    if (!own.includes(key) && idleKeys.has(key)) delete args[key];
    else args[key] = meantValue(key, args[key]);
  }
  return args;
}

/** Whether a call has all required arguments and no unknown ones. */
export function fits(tool: string, args: JsonRecord): boolean {
  const own = fields[tool];
  return (
    own !== undefined &&
    Object.keys(args).every((key) => own.includes(key)) &&
    (needed[tool] ?? []).every((key) => args[key] !== undefined)
  );
}

/** The tools that these arguments belong to, if no name is written. */
export function toolsOf(written: JsonRecord): string[] {
  return Object.keys(needed).filter((tool) => fits(tool, meantArguments(tool, written)));
}

/** Optional arguments that are null count as absent. */
function withoutNull(written: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== null));
}

/** Arguments in another shape, by tool. Each function changes `args`. */
const shapes: Readonly<Record<string, (args: JsonRecord) => void>> = {
  read_file(args) {
    const { lines, limit } = args;
    const range = typeof lines === "string" ? parseJson(lines) : lines;
    if (typeof lines === "number") args.lines = String(lines);
    if (Array.isArray(range) && range.length > 0 && range.length < 3 && range.every(Number.isInteger)) {
      const [first, last] = range.map(Number);
      args.lines = last === undefined ? String(first) : `${first}-${last > 0 ? last : ""}`;
    }
    // Claude Code: the first line and how many; 0 is the beginning for those that count from there.
    if (Number(args.start) === 0) delete args.start;
    if (limit !== undefined && Number(limit) > 0) {
      args.end ??= Number(args.start ?? 1) + Number(limit) - 1;
      delete args.limit;
    }
    if (Array.isArray(args.path) && args.path.length === 1) [args.path] = args.path;
  },
  list_files(args) {
    if (args.path === "" || args.path === "/") delete args.path;
  },
  search_files(args) {
    // Cline: the pattern is called `regex`.
    if (typeof args.regex === "string" && args.pattern === undefined) {
      args.pattern = args.regex;
      args.regex = true;
    }
    if (typeof args.in !== "string") return;
    const place = args.in.replace(/^\.?\/+|\/+$/g, "").replace(/^\.$/, "");
    const glob = typeof args.glob === "string" ? args.glob : undefined;
    if (place !== "" && /\.\w+$/.test(place)) args.glob = place;
    else if (place !== "") args.glob = `${place}/**/${glob?.replace(/^\*\*\//, "") ?? "*"}`;
    delete args.in;
  },
  edit_file: meantEdits,
  run_command(args) {
    if (Array.isArray(args.command) && args.command.every((part) => typeof part === "string"))
      args.command = fromArgv(args.command);
    // A value below 1,000 means seconds: nobody sets a timeout of half a second.
    const timeout = Number(args.timeout);
    if (timeout > 0) {
      args.timeoutMs ??= timeout < 1_000 ? timeout * 1_000 : timeout;
      delete args.timeout;
    }
  },
  ask_user(args) {
    const { questions, options } = args;
    if (typeof questions !== "string") return;
    const choices = typeof options === "string" ? parseJson(options) : options;
    args.questions = [
      {
        label: "question",
        prompt: questions,
        ...(Array.isArray(choices) ? { options: choices.map(String) } : {}),
      },
    ];
    if (options === undefined || Array.isArray(choices)) delete args.options;
  },
};

/** Codex: `["bash", "-lc", "npm test"]`. Any other list is quoted word by word. */
function fromArgv(words: readonly string[]): string {
  const [shell = "", flag = "", script] = words;
  if (/^(ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag) && script !== undefined && words.length === 3)
    return script;
  return words
    .map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}
