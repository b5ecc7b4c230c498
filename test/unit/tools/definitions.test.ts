import { readdirSync, readFileSync } from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { modeSwitchText } from "../../../functions/context/mode-switch.ts";
import { planningInstruction, systemPrompt } from "../../../functions/context/system-prompt.ts";
import { writers } from "../../../functions/model/repair.ts";
import { readers } from "../../../functions/model/text-calls/written-call.ts";
import { toWireTools } from "../../../functions/model/wires/chat-messages.ts";
import {
  isPlanned,
  notOfferedText,
  offeredTools,
  readOnlyChoices,
  shownTools,
} from "../../../functions/tools/offered-tools.ts";
import { toolDefinitions, tools } from "../../../functions/tools/tool-index.ts";
import { isRecord } from "../../../shared/is-record.ts";
import type { AssistantMessage, Message, ToolMessage } from "../../../shared/message.ts";
import { planningTools, readingTools } from "../../../shared/session/tool-groups.ts";

const modes = ["normal", "plan", "auto"] as const;
const calls = [{ id: "c", name: "run_command", arguments: '{"command":"npm run dev","background": true}' }];
const wantsPush = { role: "user", content: "Make it, then open a PR." } as Message;
const began = { role: "assistant", content: "", toolCalls: calls } as AssistantMessage;
const tokens = (text: string) => encode(text).length;

test("a model whose setting is text edits is shown no row references", () => {
  const shown = JSON.stringify(toolDefinitions(["edit_file"], "text"));
  expect(shown).toContain("replace_text");
  expect(shown).not.toMatch(/insert_after|42foo/);
  expect(JSON.stringify(toolDefinitions(["edit_file"]))).toContain("insert_after");
  const told = systemPrompt({ planning: false, edits: "text" });
  expect(told).toContain("edit_file takes text to replace.");
  expect(told).toContain("rows `LINE|text`");
  expect(told).not.toMatch(/42foo|`lines`/);
  for (const edits of ["rows", undefined] as const)
    expect(systemPrompt({ planning: false, edits })).toContain(
      "edit_file takes rows as references (`42foo`) and the version as base.",
    );
});

test("PROTOCOL's table has a row for each tool, and the tests of every runtime call it", () => {
  const rows = [...readFileSync("PROTOCOL.md", "utf8").matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  const folder = "test/contract/turns";
  const calls = readdirSync(folder)
    .map((file) => readFileSync(`${folder}/${file}`, "utf8"))
    .join("\n");
  const names = tools.map(({ name }) => name);
  expect(names.filter((name) => !rows.includes(name))).toEqual([]);
  expect(names.filter((name) => !calls.includes(`"${name}"`))).toEqual([]);
});

describe("size of the request, with the system message", () => {
  const size = (
    mode: (typeof modes)[number],
    planned: boolean,
    history: readonly Message[] = [],
    delivers = false,
  ) =>
    tokens(systemPrompt({ planning: mode === "plan" })) +
    tokens(
      JSON.stringify(
        toWireTools(toolDefinitions(shownTools(offeredTools(mode), planned, history, delivers))),
      ),
    );

  test.each([
    ["normal", false, 900],
    ["auto", false, 900],
    ["plan", true, 1_300],
    ["normal", true, 1_450],
  ] as const)("%s mode, planned: %s, has at most %i tokens", (mode, planned, most) => {
    expect(size(mode, planned)).toBeLessThanOrEqual(most);
  });

  test("the push tool comes with the first mention of it, and takes at most 75 tokens", () => {
    expect(size("normal", false, [], true)).toBe(size("normal", false));
    expect(size("normal", false, [wantsPush], true) - size("normal", false)).toBeLessThanOrEqual(75);
  });

  test("helpers come where the client allows them, and take at most 60 tokens", () => {
    const withHelpers = (mode: (typeof modes)[number], helpers: boolean) =>
      tokens(
        JSON.stringify(
          toWireTools(toolDefinitions(shownTools(offeredTools(mode), false, [], false, helpers))),
        ),
      );
    for (const mode of modes)
      expect(withHelpers(mode, true) - withHelpers(mode, false)).toBeLessThanOrEqual(60);
    expect(shownTools(offeredTools("normal"), false, [])).not.toContain("explore");
    expect(offeredTools("plan", ["read_file"])).not.toContain("explore");
  });

  test("the background tools come with the first background command, and take at most 90 tokens", () => {
    expect(size("normal", false, [began]) - size("normal", false)).toBeLessThanOrEqual(90);
  });
});

test("deliver is offered where the client has a sheet for it and the repository a remote, never while planning", () => {
  expect(shownTools(offeredTools("normal"), false, [wantsPush], true)).toContain("deliver");
  expect(shownTools(offeredTools("normal"), false, [wantsPush])).not.toContain("deliver");
  expect(offeredTools("plan")).not.toContain("deliver");
});

describe("plan tools", () => {
  const read = { role: "tool", name: "enter_plan", ok: true } as ToolMessage;

  test("are offered while planning, with a plan, and once they were requested; enter_plan otherwise", () => {
    expect(isPlanned("plan", null, [])).toBe(true);
    expect(isPlanned("normal", null, [])).toBe(false);
    expect(isPlanned("auto", null, [read])).toBe(true);
    const all = offeredTools("normal");
    const beside = ["read_output", "stop_command", "deliver", "explore"];
    const usual = all.filter((name) => !beside.includes(name));
    expect(shownTools(all, false, [])).toEqual(
      usual.filter((name) => !/_plan$/.test(name) || name === "enter_plan"),
    );
    expect(shownTools(all, true, [])).toEqual(usual.filter((name) => name !== "enter_plan"));
    expect(shownTools(all, true, [began, wantsPush], true, true)).toEqual(
      all.filter((name) => name !== "enter_plan"),
    );
  });

  test("that are not offered are accepted all the same: an older answer may name them", () => {
    expect(offeredTools("normal")).toEqual(expect.arrayContaining(["set_plan", "update_plan", "get_plan"]));
  });
});

describe("the planning instruction", () => {
  const marks = (text: string) => text.split("PLANNING MODE").length - 1;

  test("is included in plan mode only, once", () => {
    expect(marks(systemPrompt({ planning: true }))).toBe(1);
    expect(marks(systemPrompt({ planning: false }))).toBe(0);
  });

  test("is replaced by the caller's own", () => {
    const system = systemPrompt({ planning: true, planPrompt: "Think first." });
    expect(system).toContain("Think first.");
    expect(marks(system)).toBe(0);
  });

  test("is sent with the mode switch where the caller's system message is unchanged", () => {
    expect(systemPrompt({ planning: true, callers: "mine" })).toBe("mine");
    const change = { from: "normal", to: "plan", tools: [], plan: null, approved: false } as const;
    expect(marks(modeSwitchText({ ...change, instruction: planningInstruction }))).toBe(1);
    expect(marks(modeSwitchText(change))).toBe(0);
  });
});

describe("offered tools", () => {
  test("in plan mode include none that writes, elsewhere no exit_plan", () => {
    const all = tools.map(({ name }) => name);
    expect(all).toEqual(expect.arrayContaining(["edit_file", "write_file", "exit_plan"]));
    expect(offeredTools("plan")).toEqual(
      all.filter((name) => !/^((edit|write)_file|enter_plan|deliver)$/.test(name)),
    );
    expect(offeredTools("normal")).toEqual(all.filter((name) => name !== "exit_plan"));
    expect(offeredTools("auto")).toEqual(offeredTools("normal"));
  });

  test("are replaced by readOnlyTools in plan mode only, for files and commands", () => {
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

  test("may be only reading ones in readOnlyTools", () => {
    expect(readOnlyChoices).toEqual(expect.arrayContaining(["read_file", "run_command"]));
    expect(readOnlyChoices).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/edit|write|ask|plan/)]),
    );
  });

  test("are the only ones to run: another one is refused as the protocol says", () => {
    expect(notOfferedText("write_file", "plan")).toBe(
      "error: tool `write_file` is not available in planning mode; put the change into the plan",
    );
    expect(notOfferedText("exit_plan", "auto")).toContain("`exit_plan` is for planning mode only");
  });
});

describe("what is sent to providers", () => {
  const fixture = (name: string) => JSON.parse(readFileSync(new URL(`${name}.json`, fixtures), "utf8"));
  const fixtures = new URL("../../fixtures/tools/", import.meta.url);
  const names = readdirSync(fixtures).map((file) => file.slice(0, -".json".length));

  // Compared byte by byte, because another order of the same keywords would invalidate the caches of every
  // provider.
  test.each(names.filter((name) => !name.includes(".")))("%s", (name) => {
    expect(JSON.stringify(toolDefinitions([name])[0])).toBe(JSON.stringify(fixture(name)));
  });

  test("edit_file for a model whose edits are text", () => {
    expect(JSON.stringify(toolDefinitions(["edit_file"], "text")[0])).toBe(
      JSON.stringify(fixture("edit_file.text")),
    );
  });

  test("only keywords that every provider accepts", () => {
    const known = new Set("type enum items properties required description minItems maxItems".split(" "));
    for (const { parameters, shownAsText } of tools)
      for (const schema of [parameters, shownAsText?.parameters])
        expect(keywordsOf(schema).filter((keyword) => !known.has(keyword))).toEqual([]);
  });
});

/** The keywords of a JSON schema at every depth. */
function keywordsOf(schema: unknown): string[] {
  if (!isRecord(schema)) return [];
  const inner = isRecord(schema.properties) ? Object.values(schema.properties) : [];
  return [...Object.keys(schema), ...[...inner, schema.items].flatMap(keywordsOf)];
}

test("the transcript's groups of tools name existing tools", () => {
  const names = tools.map(({ name }) => name);
  expect([...readingTools, ...planningTools].filter((name) => !names.includes(name))).toEqual([]);
});

test("a tool that reads is summed up in the transcript, unless it is known to have a card of its own", () => {
  const withCard = ["read_output", "stop_command", "explore"];
  const reading = tools.filter(({ name, reads }) => reads && !withCard.includes(name));
  expect(reading.map(({ name }) => name).sort()).toEqual([...readingTools].sort());
});

test("a truncated call is refused for each tool of the sandbox that writes", () => {
  const writing = tools.filter(({ kind, reads }) => kind === "sandbox" && !reads);
  expect(writing.map(({ name }) => name).sort()).toEqual([...writers].sort());
});

test("under another agent's name, only tools that change nothing are called", () => {
  const harmless = tools.filter(({ name, reads }) => reads || name === "ask_user").map(({ name }) => name);
  expect([...readers].filter((name) => !harmless.includes(name))).toEqual([]);
});
