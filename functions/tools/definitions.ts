// The tools as the model sees them (PROTOCOL 6): names, schemas, and which mode offers which.
import type { Mode } from "../../shared/mode.ts";
import type { ToolDefinition } from "../model/prompt.ts";
import type { EditDialect } from "../model/provider.ts";

const text = { type: "string" } as const;
const integer = { type: "integer" } as const;
const strings = { type: "array", items: text } as const;

function object(properties: Record<string, unknown>, required: string[] = []) {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

const checkpoint = object({ command: text }, ["command"]);
const onFail = { type: "string", enum: ["ask", "retry", "rollback", "skip", "stop"] };
const stepProperties = {
  id: text,
  description: text,
  actions: strings,
  preconditions: strings,
  postconditions: strings,
  checkpoint,
  onFail,
};
const question = object(
  {
    id: text,
    label: text,
    prompt: text,
    type: { type: "string", enum: ["single_select", "multi_select", "free_text"] },
    options: { type: "array", maxItems: 4, items: object({ label: text, description: text }, ["label"]) },
  },
  ["id", "label", "prompt", "type"],
);
const edit = object(
  {
    op: {
      type: "string",
      enum: ["replace", "delete", "insert_before", "insert_after", "append", "prepend", "replace_text"],
    },
    at: { ...text, description: "row reference such as 42foo" },
    to: { ...text, description: "last row of a range" },
    lines: { ...strings, description: "plain lines, no row prefixes" },
    old: text,
    new: text,
    all: { type: "boolean" },
  },
  ["op"],
);

/** The other dialect, for models that do better with text than with references. */
const textEdit = object(
  {
    op: { type: "string", enum: ["replace_text", "append", "prepend"] },
    old: { ...text, description: "text to replace, exactly as it stands; once in the file unless all" },
    new: text,
    all: { type: "boolean" },
    lines: strings,
  },
  ["op"],
);

const definitions = {
  read_file: {
    description: "Read a text file. Rows are LINEanchor|text under a header [PATH @VERSION lines A-B of N].",
    parameters: object({ path: text, start: integer, end: integer }, ["path"]),
  },
  list_files: {
    description: "List files and folders; git-ignored ones are left out.",
    parameters: object({ path: text, depth: integer, glob: text }),
  },
  search_files: {
    description: "Search file contents; matches are rows that can be edited at once.",
    parameters: object({ pattern: text, regex: { type: "boolean" }, glob: text, context: integer }, [
      "pattern",
    ]),
  },
  run_command: {
    description:
      "Run a shell command in the workspace. In plan mode nothing can be written and there is no network.",
    parameters: object({ command: text, cwd: text, timeoutMs: integer }, ["command"]),
  },
  edit_file: {
    description:
      "Edit one file by row references of the version that was read (base). replace, delete: at, to?, lines; insert_before, insert_after: at, lines; append, prepend: lines; replace_text: old, new, all?. All or nothing.",
    parameters: object(
      {
        path: text,
        base: { ...text, description: "version, such as v3" },
        edits: { type: "array", items: edit },
      },
      ["path", "base", "edits"],
    ),
  },
  write_file: {
    description: "Write a whole file. base: the version it replaces, null for a new file.",
    parameters: object({ path: text, content: text, base: { type: ["string", "null"] } }, [
      "path",
      "content",
      "base",
    ]),
  },
  set_plan: {
    description:
      "Install the plan, or a new version of it: goal in one or two lines, few steps, each with a checkpoint: a command that exits 0 once it is done.",
    parameters: object({
      goal: text,
      steps: { type: "array", items: object(stepProperties, ["description"]) },
      decisionPoints: { type: "array", items: question },
      checkpoints: { type: "array", items: checkpoint, description: "run once at the end" },
      rollback: strings,
      summary: text,
      markdown: { ...text, description: "the whole plan as text, instead of goal and steps" },
    }),
  },
  update_plan: {
    description:
      "Change the plan or report progress: a step becomes active when work on it starts, done with a one-line note when it is finished.",
    parameters: object({
      note: text,
      steps: {
        type: "array",
        items: object(
          {
            id: text,
            status: { type: "string", enum: ["pending", "active", "done", "failed", "skipped"] },
            description: text,
            note: text,
            checkpoint,
            onFail,
          },
          ["id"],
        ),
      },
      addSteps: { type: "array", items: object({ ...stepProperties, after: text }, ["description"]) },
      removeSteps: strings,
      summary: text,
    }),
  },
  get_plan: { description: "Read the current plan.", parameters: object({}) },
  ask_user: {
    description:
      "Ask 1 to 5 questions where the answer changes approach, scope, compatibility, migration or safety. Prefer choices; an option for none or other is added by itself. summary: the situation in 1 to 3 lines.",
    parameters: object(
      { summary: text, questions: { type: "array", minItems: 1, maxItems: 5, items: question } },
      ["questions"],
    ),
  },
  exit_plan: {
    description: "Submit the plan for review and end planning.",
    parameters: object({
      summary: text,
      plan: { ...text, description: "the plan as text, only if set_plan was not called" },
    }),
  },
} satisfies Record<string, { description: string; parameters: Record<string, unknown> }>;

const editByText = {
  description: "Edit one file of the version that was read (base) by replacing text. All or nothing.",
  parameters: object({ path: text, base: text, edits: { type: "array", items: textEdit } }, [
    "path",
    "base",
    "edits",
  ]),
};

export type ToolName = keyof typeof definitions;
const names = Object.keys(definitions) as ToolName[];
export const allToolNames: ReadonlySet<string> = new Set(names);

const writing: ReadonlySet<ToolName> = new Set<ToolName>(["edit_file", "write_file"]);
const engineOnly: ReadonlySet<ToolName> = new Set<ToolName>([
  "set_plan",
  "update_plan",
  "get_plan",
  "ask_user",
  "exit_plan",
]);

/** File and command tools that `readOnlyTools` may name. */
export function isReadOnlyChoice(name: string): boolean {
  return allToolNames.has(name) && !writing.has(name as ToolName) && !engineOnly.has(name as ToolName);
}

export function isToolName(name: string): name is ToolName {
  return allToolNames.has(name);
}

/**
 * The tools offered in `mode`, in a fixed order so that provider caches hold.
 * `readOnlyTools` replaces the plan-mode set of file and command tools.
 */
export function offeredTools(mode: Mode, readOnlyTools?: readonly string[]): ToolName[] {
  if (mode !== "plan") return names.filter((name) => name !== "exit_plan");
  const allowed = readOnlyTools ? new Set(readOnlyTools) : undefined;
  return names.filter((name) => !writing.has(name) && (engineOnly.has(name) || (allowed?.has(name) ?? true)));
}

/** `edits`: the dialect in which this model changes files; every dialect is understood whatever is shown. */
export function toolDefinitions(offered: readonly ToolName[], edits: EditDialect = "rows"): ToolDefinition[] {
  const shown = edits === "text" ? { ...definitions, edit_file: editByText } : definitions;
  return offered.map((name) => ({ name, ...shown[name] }));
}

/** What a model reads when it calls a tool that is not offered (PROTOCOL 6). */
export function refusal(name: string, mode: Mode): string {
  return mode === "plan"
    ? `error: tool \`${name}\` is not available in planning mode`
    : `error: unknown tool \`${name}\``;
}
