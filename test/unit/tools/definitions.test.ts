import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { modeSwitchText } from "../../../functions/context/mode-switch.ts";
import { planningInstruction, systemPrompt } from "../../../functions/context/system-prompt.ts";
import { toWireTools } from "../../../functions/model/wire.ts";
import { sandboxToolArgs } from "../../../functions/tools/arguments.ts";
import {
  isReadOnlyChoice,
  offeredTools,
  refusal,
  toolDefinitions,
} from "../../../functions/tools/definitions.ts";
import { AskUserArgs } from "../../../shared/plan/questions.ts";
import { SetPlanArgs } from "../../../shared/plan/set-plan.ts";
import { UpdatePlanArgs } from "../../../shared/plan/update-plan.ts";

const modes = ["normal", "plan", "auto"] as const;
const tokens = (text: string) => encode(text).length;

test("a model whose setting is text edits is shown no row references", () => {
  const shown = JSON.stringify(toolDefinitions(["edit_file"], "text"));
  expect(shown).toContain("replace_text");
  expect(shown).not.toMatch(/insert_after|42foo/);
  expect(JSON.stringify(toolDefinitions(["edit_file"]))).toContain("insert_after");
  const told = systemPrompt({ planning: false, edits: "text" });
  expect(told).toContain("edit_file takes text to replace");
  expect(told).not.toMatch(/42foo|`lines`/);
  for (const edits of ["rows", undefined] as const)
    expect(systemPrompt({ planning: false, edits })).toContain(
      "edit_file takes rows as references (`42foo`)",
    );
});

describe("size", () => {
  test.each(modes)("the tool schemas of %s mode stay under 1,500 tokens on the wire", (mode) => {
    expect(tokens(JSON.stringify(toWireTools(toolDefinitions(offeredTools(mode)))))).toBeLessThan(1_500);
  });

  test("the system prompt stays under 1,000 tokens", () => {
    expect(tokens(systemPrompt({ planning: true }))).toBeLessThan(1_000);
  });
});

describe("the planning instruction", () => {
  const marks = (text: string) => text.split("PLANNING MODE").length - 1;

  test("stands in plan mode only, once", () => {
    expect(marks(systemPrompt({ planning: true }))).toBe(1);
    expect(marks(systemPrompt({ planning: false }))).toBe(0);
  });

  test("gives way to the caller's own", () => {
    const system = systemPrompt({ planning: true, planPrompt: "Think first." });
    expect(system).toContain("Think first.");
    expect(marks(system)).toBe(0);
  });

  test("travels in the mode switch where the caller's system message stands unchanged", () => {
    expect(systemPrompt({ planning: true, callers: "mine" })).toBe("mine");
    const change = { from: "normal", to: "plan", tools: [], plan: null, approved: false } as const;
    expect(marks(modeSwitchText({ ...change, instruction: planningInstruction }))).toBe(1);
    expect(marks(modeSwitchText(change))).toBe(0);
  });
});

describe("what is offered", () => {
  test("in plan mode nothing that writes, elsewhere no exit_plan", () => {
    expect(offeredTools("plan")).toEqual([
      "read_file",
      "list_files",
      "search_files",
      "run_command",
      "set_plan",
      "update_plan",
      "get_plan",
      "ask_user",
      "exit_plan",
    ]);
    expect(offeredTools("normal")).toEqual(offeredTools("auto"));
    expect(offeredTools("normal")).toContain("write_file");
    expect(offeredTools("normal")).not.toContain("exit_plan");
  });

  test("readOnlyTools replaces the file and command tools of plan mode only", () => {
    expect(offeredTools("plan", ["read_file"])).toEqual([
      "read_file",
      "set_plan",
      "update_plan",
      "get_plan",
      "ask_user",
      "exit_plan",
    ]);
    expect(offeredTools("normal", ["read_file"])).toEqual(offeredTools("normal"));
  });

  test("readOnlyTools may name reading tools only", () => {
    expect(["read_file", "run_command"].every(isReadOnlyChoice)).toBe(true);
    expect(["edit_file", "write_file", "ask_user", "rm", "toString"].some(isReadOnlyChoice)).toBe(false);
  });

  test("a tool that is not offered is refused in the words of the protocol", () => {
    expect(refusal("write_file", "plan")).toBe("error: tool `write_file` is not available in planning mode");
    expect(refusal("exit_plan", "auto")).toBe("error: unknown tool `exit_plan`");
  });
});

describe("what is accepted is what is shown", () => {
  const schemas: Record<string, z.core.$ZodType> = {
    ...sandboxToolArgs,
    set_plan: SetPlanArgs,
    update_plan: UpdatePlanArgs,
    ask_user: AskUserArgs,
    get_plan: z.object({}),
    exit_plan: z.object({ summary: z.optional(z.string()), plan: z.optional(z.string()) }),
  };
  const shown = toolDefinitions([...new Set([...offeredTools("normal"), ...offeredTools("plan")])]);

  test.each(shown)("$name", ({ name, parameters }) => {
    const schema = schemas[name];
    expect(schema).toBeDefined();
    if (!schema) return;
    expect(keyTree(parameters)).toEqual(keyTree(z.toJSONSchema(schema, { io: "output" })));
  });
});

/** Names of properties at every depth, those of alternatives together; a list counts as what it holds. */
function keyTree(schema: unknown): unknown {
  const tree: Record<string, unknown> = {};
  for (const { properties } of alternatives(schema)) {
    for (const [name, property] of Object.entries(properties ?? {})) tree[name] = keyTree(property);
  }
  return tree;
}

const JsonSchema = z.looseObject({
  properties: z.optional(z.record(z.string(), z.unknown())),
  items: z.optional(z.unknown()),
  anyOf: z.optional(z.array(z.unknown())),
  oneOf: z.optional(z.array(z.unknown())),
});

function alternatives(schema: unknown): z.infer<typeof JsonSchema>[] {
  const node = z.parse(JsonSchema, schema);
  const inner = [
    ...(node.anyOf ?? []),
    ...(node.oneOf ?? []),
    ...(node.items === undefined ? [] : [node.items]),
  ];
  return [node, ...inner.flatMap(alternatives)];
}
