// Calls and results as text, for providers without native calls.
import { describe, expect, test } from "vitest";
import type { PromptMessage } from "../../../functions/model/prompt.ts";

import {
  readTextCalls,
  textInstructions,
  toTextForm,
} from "../../../functions/model/text-calls/text-form.ts";
import { completeWith, endOf, tools } from "./complete-with.ts";

const known = new Set(tools.map(({ name }) => name));

/** The calls and text found in `text` when it arrives in pieces of `size` characters. */
function read(text: string, size: number, fences = true) {
  const reader = readTextCalls(known, { fences });
  const found = [];
  for (let at = 0; at < text.length; at += size) found.push(reader.push(text.slice(at, at + size)));
  found.push(reader.finish());
  return {
    text: found.map((part) => part.text).join(""),
    calls: found.flatMap((part) => part.calls.map(({ name, arguments: args }) => [name, args])),
    kinds: found.flatMap((part) => part.diagnostics.map(({ kind }) => kind)),
  };
}

const call = '{"tool": "read_file", "args": {"path": "a.js"}}';
const readCall = ["read_file", '{"path":"a.js"}'];

const cases: [name: string, text: string, shown: string, calls: unknown[]][] = [
  ["a fence is a call", `\`\`\`tool\n${call}\n\`\`\`\n`, "", [readCall]],
  ["a fence without a language is a call", `\`\`\`\n${call}\n\`\`\``, "", [readCall]],
  ["text stays, the call is removed", `I look.\n\n\`\`\`json\n${call}\n\`\`\`\n`, "I look.", [readCall]],
  [
    "several fences are several calls",
    `\`\`\`\n${call}\n\`\`\`\n\n\`\`\`\n${call}\n\`\`\``,
    "",
    [readCall, readCall],
  ],
  ["text after a call stays", `\`\`\`\n${call}\n\`\`\`\nThen I go on.`, "Then I go on.", [readCall]],
  ["a fence that was not closed is a call", `\`\`\`\n${call}`, "", [readCall]],
  [
    "an unknown tool is text",
    '```\n{"tool": "fly", "args": {}}\n```\n',
    '```\n{"tool": "fly", "args": {}}\n```\n',
    [],
  ],
  [
    "a third key makes it text",
    '```\n{"tool": "read_file", "args": {}, "x": 1}\n```',
    '```\n{"tool": "read_file", "args": {}, "x": 1}\n```',
    [],
  ],
  [
    "an indented fence is text",
    `Like so:\n  \`\`\`\n  ${call}\n  \`\`\`\n`,
    `Like so:\n  \`\`\`\n  ${call}\n  \`\`\`\n`,
    [],
  ],
  ["a quoted fence is text", `> \`\`\`\n> ${call}\n> \`\`\``, `> \`\`\`\n> ${call}\n> \`\`\``, []],
  [
    "a fence inside a longer fence is text",
    `\`\`\`\`md\n\`\`\`\n${call}\n\`\`\`\n\`\`\`\`\n`,
    `\`\`\`\`md\n\`\`\`\n${call}\n\`\`\`\n\`\`\`\`\n`,
    [],
  ],
  [
    "a fence between tildes is text",
    `~~~\n\`\`\`\n${call}\n\`\`\`\n~~~\n`,
    `~~~\n\`\`\`\n${call}\n\`\`\`\n~~~\n`,
    [],
  ],
  ["an object in a sentence is text", `Write ${call} for that.`, `Write ${call} for that.`, []],
  ["code in a fence is text", "```js\nconst a = {};\n```\ndone", "```js\nconst a = {};\n```\ndone", []],
  ["a line in backticks is text", "```x``` is code\n", "```x``` is code\n", []],
  [
    "hermes",
    `Now.\n<tool_call>\n{"name": "read_file", "arguments": {"path": "a.js"}}\n</tool_call>`,
    "Now.",
    [readCall],
  ],
  [
    "qwen-coder",
    "<tool_call>\n<function=read_file>\n<parameter=path>\na.js\n</parameter>\n</function>\n</tool_call>",
    "",
    [readCall],
  ],
  ["llama", '<function=read_file>{"path": "a.js"}</function>', "", [["read_file", '{"path": "a.js"}']]],
  ["mistral", '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a.js"}}]', "", [readCall]],
  [
    "a dialect in a sentence is text",
    "The mark <tool_call> opens a call.",
    "The mark <tool_call> opens a call.",
    [],
  ],
  [
    "a dialect with an unknown tool is text",
    '<tool_call>{"name": "fly"}</tool_call>',
    '<tool_call>{"name": "fly"}</tool_call>',
    [],
  ],
];

describe("calls in text", () => {
  test.each(cases)("%s", (_name, text, shown, calls) => {
    for (const size of [1, 2, 3, 7, 1_000]) {
      const found = read(text, size);
      expect(found.text).toBe(shown);
      expect(found.calls).toEqual(calls);
    }
  });

  test("a broken call is a call, so that the model learns what was wrong", () => {
    expect(read('```\n{"tool": "read_file", "args": {"path": }}\n```', 5).calls).toEqual([
      ["read_file", '{"path": }'],
    ]);
  });

  test("a repaired call says how it was repaired", () => {
    const found = read('```\n{"tool": "read_file", "args": {"path": "a.js",}}\n```', 5);
    expect(found).toEqual({ text: "", calls: [readCall], kinds: ["trailing_comma"] });
  });

  test("results that the model invented are dropped", () => {
    const found = read(
      `\`\`\`\n${call}\n\`\`\`\n[TOOL_RESULT read_file 1 ok]\nlies\n[/TOOL_RESULT]\nSo it is done.`,
      4,
    );
    expect(found).toEqual({ text: "", calls: [readCall], kinds: ["imagined_result"] });
  });

  test("with native calls a fence stays text", () => {
    const text = `\`\`\`tool\n${call}\n\`\`\`\n`;
    expect(read(text, 3, false)).toEqual({ text, calls: [], kinds: [] });
  });
});

describe("a prompt in text form", () => {
  const prompt: PromptMessage[] = [
    { role: "system", content: "be good" },
    { role: "user", content: "look" },
    {
      role: "assistant",
      content: "I look.",
      toolCalls: [
        { id: "1", name: "read_file", arguments: '{"path":"a"}' },
        { id: "2", name: "run_command", arguments: "{broken" },
      ],
    },
    { role: "tool", toolCallId: "1", name: "read_file", ok: true, content: "x\n[/TOOL_RESULT]\ny" },
    { role: "tool", toolCallId: "2", name: "run_command", ok: false, content: "error: no" },
    { role: "user", content: "and now?" },
  ];

  test("has calls as fences and results as one message of blocks that cannot be closed from inside", () => {
    const [system, ...rest] = toTextForm(prompt, tools);
    expect(system?.content).toContain("be good\n\n# Calling tools");
    expect(rest).toEqual([
      { role: "user", content: "look" },
      {
        role: "assistant",
        content:
          'I look.\n\n```tool\n{"tool":"read_file","args":{"path":"a"}}\n```\n\n```tool\n{"tool":"run_command","args":{broken}\n```',
      },
      {
        role: "user",
        content:
          "[TOOL_RESULT read_file 1 ok]\nx\n[\\/TOOL_RESULT]\ny\n[/TOOL_RESULT]\n\n[TOOL_RESULT run_command 2 error]\nerror: no\n[/TOOL_RESULT]",
      },
      { role: "user", content: "and now?" },
    ]);
  });

  test("is read back as the same calls", () => {
    const assistant = toTextForm(prompt, tools).find(({ role }) => role === "assistant");
    expect(read(assistant?.content ?? "", 6)).toEqual({
      text: "I look.",
      calls: [
        ["read_file", '{"path":"a"}'],
        ["run_command", "{broken"],
      ],
      kinds: [],
    });
  });

  test("the instructions are at most 800 characters", () => {
    expect(textInstructions.length).toBeLessThanOrEqual(800);
  });

  test("no tools, no instructions", () => {
    expect(toTextForm([{ role: "system", content: "s" }], [])).toEqual([{ role: "system", content: "s" }]);
  });
});

describe("a completion in text form", () => {
  test("offers the tools in the system prompt and takes the call out of the text", async () => {
    const script = [{ text: `Reading.\n\n\`\`\`tool\n${call}\n\`\`\`\n`, fragments: 25 }];
    const { events, server } = await completeWith(script, { toolProtocol: "text" });
    expect(server.requests[0]?.body.tools).toBeUndefined();
    expect(String(server.requests[0]?.body.messages[0]?.content)).toContain("read_file {}: read_file");
    expect(endOf(events)).toMatchObject({
      finish: "tool_calls",
      text: "Reading.",
      calls: [{ id: "", name: "read_file" }],
    });
  });

  test("starts by itself where the provider refuses tools", async () => {
    const refusal = {
      status: 400,
      body: { error: { message: "registry.ollama.ai/library/gemma:2b does not support tools" } },
    };
    const { events, server } = await completeWith([refusal, { text: `\`\`\`\n${call}\n\`\`\`` }]);
    expect(events[0]).toEqual({ type: "refused", part: "tools" });
    expect(server.requests.map(({ body }) => body.tools !== undefined)).toEqual([true, false]);
    expect(endOf(events).calls).toHaveLength(1);
  });
});

test("the space before a word is sent with it, and an empty line before a call is not", () => {
  const reader = readTextCalls(known, { fences: true });
  expect(["I ", "look. ", "\n\n", "```\n"].map((piece) => reader.push(piece).text)).toEqual([
    "I ",
    "look. ",
    "",
    "",
  ]);
});
