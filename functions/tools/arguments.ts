// Arguments of the file and command tools: parsed, and turned into calls of the sandbox (PROTOCOL 4.1).
import * as z from "zod/mini";
import { Edit } from "../../shared/hashline/edit.ts";
import { isDeeperThan } from "../../shared/json-depth.ts";
import type { Mode } from "../../shared/mode.ts";
import { ListArgs, type OpName, ReadArgs, SearchArgs } from "../../shared/sandbox.ts";
import { describeProblem } from "../../shared/schema-problem.ts";
import { limits } from "../limits.ts";

const RunCommandArgs = z.strictObject({
  command: z.string().check(z.regex(/\S/, "must not be blank")),
  cwd: z.optional(z.string()),
  timeoutMs: z.optional(z.number().check(z.int(), z.positive(), z.lte(600_000))),
});
const EditFileArgs = z.strictObject({
  path: z.string(),
  base: z.string(),
  edits: z.array(Edit).check(z.minLength(1)),
});
const WriteFileArgs = z.strictObject({
  path: z.string(),
  content: z.string(),
  base: z._default(z.nullable(z.string()), null),
});

/** What each file and command tool accepts. */
export const sandboxToolArgs = {
  read_file: ReadArgs,
  list_files: z.omit(ListArgs, { limit: true }),
  search_files: z.omit(SearchArgs, { limit: true }),
  run_command: RunCommandArgs,
  edit_file: EditFileArgs,
  write_file: WriteFileArgs,
} as const;

export interface SandboxCall {
  op: OpName;
  args: Record<string, unknown>;
}

/** Arguments of a model as an object; an empty text is an empty object. */
export function parseArguments(
  name: string,
  json: string,
): { ok: true; value: unknown } | { ok: false; problem: string } {
  if (json.trim() === "") return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(json);
    if (!isDeeperThan(value, limits.jsonDepth)) return { ok: true, value };
    return {
      ok: false,
      problem: `error: the arguments of \`${name}\` are nested deeper than ${limits.jsonDepth} levels; call it again, flatter`,
    };
  } catch {
    return {
      ok: false,
      problem: `error: the arguments of \`${name}\` are not valid JSON; call it again with one JSON object`,
    };
  }
}

/** The sandbox call that a file or command tool stands for, or what is wrong with its arguments. */
export function toSandboxCall(
  name: string,
  value: unknown,
): { ok: true; call: SandboxCall } | { ok: false; problem: string } {
  switch (name) {
    case "read_file":
      return checked(name, sandboxToolArgs.read_file, value, (args) => ({ op: "read", args }));
    case "list_files":
      return checked(name, sandboxToolArgs.list_files, value, (args) => ({ op: "list", args }));
    case "search_files":
      return checked(name, sandboxToolArgs.search_files, value, (args) => ({ op: "search", args }));
    case "run_command":
      return checked(name, RunCommandArgs, value, (args) => ({ op: "exec", args }));
    case "edit_file":
      return checked(name, EditFileArgs, value, (args) => ({ op: "change", args: { files: [args] } }));
    case "write_file":
      return checked(name, WriteFileArgs, value, (args) => ({ op: "change", args: { files: [args] } }));
    default:
      return { ok: false, problem: `error: unknown tool \`${name}\`` };
  }
}

function checked<T extends z.core.$ZodType>(
  name: string,
  schema: T,
  value: unknown,
  build: (args: z.infer<T>) => SandboxCall,
): { ok: true; call: SandboxCall } | { ok: false; problem: string } {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return { ok: true, call: build(parsed.data) };
  // One line for the model: tool, field and remedy.
  const problem = describeProblem(parsed.error, "arguments", value);
  return { ok: false, problem: `error: ${name}: ${problem} Call it again, corrected.` };
}

/** Access of a batch in `mode`: the sandbox enforces it whatever else was believed here. */
export function accessOf(mode: Mode): "readonly" | "write" {
  return mode === "plan" ? "readonly" : "write";
}
