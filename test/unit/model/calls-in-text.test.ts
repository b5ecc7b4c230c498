// Malformed calls that are meant as calls: where they are, how their arguments are spelled, and what is left
// of the text.
import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { completeWith, endOf, tools } from "./complete-with.ts";

const parameters = {
  type: "object",
  properties: {
    path: { type: "string" },
    start: { type: "integer" },
    all: { type: "boolean" },
    edits: { type: "array" },
  },
};
const offered = tools.map((tool) => ({ ...tool, parameters }));

async function answered(reply: ModelReply) {
  const { events } = await completeWith([{ fragments: 30, ...reply }], { tools: offered });
  const { text, reasoning, calls, finish } = endOf(events);
  const kinds = events.flatMap((event) => (event.type === "diagnostic" ? event.kind : []));
  return {
    text,
    reasoning,
    finish,
    kinds,
    calls: calls.map(({ name, arguments: args }) => [name, JSON.parse(args)]),
  };
}

describe("arguments", () => {
  test.each([
    ['{"file_path": "a.js"}', { path: "a.js" }],
    ['{"path": "a.js", "start": "3", "all": "True"}', { path: "a.js", start: 3, all: true }],
    ['{"path": "a.js", "edits": "[{\\"op\\": \\"append\\"}]"}', { path: "a.js", edits: [{ op: "append" }] }],
  ])("in another form are read as the schema means them: %s", async (args, meant) => {
    const { calls, kinds } = await answered({ calls: [{ name: "read_file", args }] });
    expect(calls).toEqual([["read_file", meant]]);
    expect(kinds).toEqual(["field_form"]);
  });

  test.each([
    '{"path": "3", "start": 3}',
    '{"path": "a.js", "file_path": "b.js"}',
    '{"path": "a.js", "start": "three"}',
  ])("that fit, or are ambiguous, stay unchanged: %s", async (args) => {
    const { calls, kinds } = await answered({ calls: [{ name: "read_file", args }] });
    expect(calls).toEqual([["read_file", JSON.parse(args)]]);
    expect(kinds).toEqual([]);
  });

  test("with unquoted keys and Python's literals are read", async () => {
    const { calls } = await answered({
      calls: [{ name: "read_file", args: '{path: "a: {b", all: True, start: None,}' }],
    });
    expect(calls).toEqual([["read_file", { path: "a: {b", all: true }]]);
  });
});

const inLine: [name: string, text: string, calls: unknown[]][] = [
  [
    "Kimi, in the middle of a line",
    'I look.<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a.js"}<|tool_call_end|><|tool_calls_section_end|>',
    [["read_file", { path: "a.js" }]],
  ],
  [
    "DeepSeek, in the middle of a line",
    'I look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "a.js"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [["read_file", { path: "a.js" }]],
  ],
  [
    "Harmony behind text",
    'I look.<|start|>assistant<|channel|>commentary to=functions.run_command code<|message|>{"command": "ls"}<|call|>',
    [["run_command", { command: "ls" }]],
  ],
];

test.each(inLine)("marks in the middle of a line count too: %s", async (_, text, calls) => {
  for (const fragments of ["bytes", 1] as const)
    expect(await answered({ text, fragments })).toMatchObject({ text: "I look.", calls });
});

test("Harmony's marks in a name are removed", async () => {
  const { calls } = await answered({
    calls: [{ name: "read_file<|channel|>commentary", args: { path: "a" } }],
  });
  expect(calls).toEqual([["read_file", { path: "a" }]]);
});

describe("a call inside reasoning", () => {
  const call = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.js"}}\n</tool_call>';

  test("with nothing beside it is a call", async () => {
    const { calls, finish } = await answered({ reasoning: `I have to look.\n${call}`, text: "\n" });
    expect(calls).toEqual([["read_file", { path: "a.js" }]]);
    expect(finish).toBe("tool_calls");
  });

  test.each([
    [{ reasoning: call, text: "Done." }],
    [{ reasoning: call, calls: [{ name: "run_command", args: {} }] }],
    [{ reasoning: `${call}\nNo, not yet.` }],
  ])("beside an answer, or withdrawn, is not a call: %j", async (reply: ModelReply) => {
    const { calls } = await answered(reply);
    expect(calls.filter(([name]) => name === "read_file")).toEqual([]);
  });
});

test.each([
  "Done.\n</tool_call>",
  "Done.\n</function>\n</tool_call>\n",
  "Done.\n<|im_end|>",
  "Done.\n<｜tool▁calls▁end｜>",
])("leftover closing marks are not shown: %j", async (text) => {
  expect((await answered({ text })).text.trim()).toBe("Done.");
});

test("a closing mark in a fence, or in a sentence, stays", async () => {
  for (const text of ["```xml\n</tool_call>\n```", "It ends with </tool_call> as a rule."])
    expect((await answered({ text })).text).toBe(text);
});
