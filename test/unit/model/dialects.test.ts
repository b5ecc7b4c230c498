// Calls in the forms that other models were trained on, and text that only looks like calls.
import { describe, expect, test } from "vitest";
import { ModelAnswer } from "../../../functions/model/answer.ts";
import { readTextCalls } from "../../../functions/model/text-calls/text-form.ts";
import { ThinkTags } from "../../../functions/model/think-tags.ts";
import { readChunk } from "../../../functions/model/wires/chunk-fields.ts";
import { endOf, standing, tools } from "./complete-with.ts";

const known = new Set(tools.map(({ name }) => name));

function read(text: string, size: number, fences: boolean) {
  const reader = readTextCalls(known, { fences });
  const found = [];
  for (let at = 0; at < text.length; at += size) found.push(reader.push(text.slice(at, at + size)));
  found.push(reader.finish());
  return {
    text: found.map((part) => part.text).join(""),
    calls: found.flatMap((part) => part.calls.map(({ name, arguments: args }) => [name, parsed(args)])),
    kinds: found.flatMap((part) => part.diagnostics.map(({ kind }) => kind)),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const hermes = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.js"}}\n</tool_call>';
const a = ["read_file", { path: "a.js" }];
const b = ["run_command", { command: "ls" }];

const dialects: [name: string, text: string, calls: unknown[]][] = [
  ["two of Hermes on one line", `${hermes}${hermes}`, [a, a]],
  [
    "two of Hermes in one mark",
    '<tool_call>\n{"name":"read_file","arguments":{"path":"a.js"}}\n{"name":"run_command","arguments":{"command":"ls"}}\n</tool_call>',
    [a, b],
  ],
  ["Hermes with functions. before the name", hermes.replace("read_file", "functions.read_file"), [a]],
  ["Hermes without its end", hermes.replace("</tool_call>", ""), [a]],
  ["GLM", "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.js</arg_value>\n</tool_call>", [a]],
  ["Jamba", '<tool_calls>[{"name":"read_file","arguments":{"path":"a.js"}}]</tool_calls>', [a]],
  [
    "Claude",
    '<function_calls>\n<invoke name="read_file">\n<parameter name="path">a.js</parameter>\n</invoke>\n<invoke name="run_command">\n<parameter name="command">ls</parameter>\n</invoke>\n</function_calls>',
    [a, b],
  ],
  [
    "Claude, invoke alone",
    '<invoke name="read_file">\n<parameter name="path">a.js</parameter>\n</invoke>',
    [a],
  ],
  [
    "MiniMax",
    '<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="path">a.js</parameter>\n</invoke>\n</minimax:tool_call>',
    [a],
  ],
  [
    "DeepSeek 3.2",
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter name="path" string="true">a.js</｜DSML｜parameter>\n<｜DSML｜parameter name="start" string="false">3</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    [["read_file", { path: "a.js", start: 3 }]],
  ],
  [
    "DeepSeek 3.1",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "a.js"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>run_command<｜tool▁sep｜>{"command": "ls"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [a, b],
  ],
  [
    "DeepSeek 3",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"path": "a.js"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [a],
  ],
  [
    "Kimi",
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a.js"}<|tool_call_end|><|tool_calls_section_end|>',
    [a],
  ],
  [
    "Harmony",
    '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path": "a.js"}<|call|>',
    [a],
  ],
  ["Granite", '<|tool_call|>[{"name": "read_file", "arguments": {"path": "a.js"}}]', [a]],
  ["Phi", '<|tool_call|>[{"name": "read_file", "arguments": {"path": "a.js"}}]<|/tool_call|>', [a]],
  [
    "Command R",
    '<|START_ACTION|>[{"tool_name": "read_file", "parameters": {"path": "a.js"}}]<|END_ACTION|>',
    [a],
  ],
  ["Mistral", '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a.js"}}]', [a]],
  [
    "Mistral, newer",
    '[TOOL_CALLS]read_file[ARGS]{"path": "a.js"}[TOOL_CALLS]run_command[ARGS]{"command": "ls"}',
    [a, b],
  ],
  ["Llama with its mark", '<|python_tag|>{"name": "read_file", "parameters": {"path": "a.js"}}', [a]],
  ["Llama without it", '{"type": "function", "name": "read_file", "parameters": {"path": "a.js"}}', [a]],
  [
    "Gemma",
    "```tool_code\nread_file(path=\"a.js\")\nprint(default_api.run_command(command='ls'))\n```",
    [a, b],
  ],
  [
    "Gemma, other values",
    '```tool_code\nread_file(path="a\\"b.js", start=3)\n```',
    [["read_file", { path: 'a"b.js', start: 3 }]],
  ],
  [
    "a mark inside a string",
    '<tool_call>\n{"name": "write_file", "arguments": {"content": "</tool_call>"}}\n</tool_call>',
    [["write_file", { content: "</tool_call>" }]],
  ],
  [
    "an odd quote inside an element",
    '<function=write_file>\n<parameter=content>\nsay "hi\n</parameter>\n</function>',
    [["write_file", { content: 'say "hi' }]],
  ],
  [
    "broken JSON comes as it is",
    '<tool_call>\n{"name": "read_file", "arguments": {"path": }}\n</tool_call>',
    [["read_file", '{"path": }']],
  ],
];

const prose: [name: string, text: string][] = [
  ["in a fence", `Write it so:\n\`\`\`xml\n${hermes}\n\`\`\`\nand wait.`],
  ["in a fence of tildes", `~~~\n${hermes}\n~~~\n`],
  ["in backticks", 'Write `<tool_call>{"name":"read_file","arguments":{}}</tool_call>` for that.'],
  ["in a sentence", 'Write <tool_call>{"name":"read_file","arguments":{}}</tool_call> for that.'],
  ["indented", '  <tool_call>{"name":"read_file","arguments":{}}</tool_call>'],
  ["in a quotation", '> <tool_call>{"name":"read_file","arguments":{}}</tool_call>'],
  ["an object after text", 'Like so:\n{"name": "read_file", "arguments": {"path": "a.js"}}'],
  ["an object that is not a call", '{"name": "read_file", "size": 3}'],
  ["an object before text", '{"name": "read_file", "arguments": {}}\nis how one calls it.'],
  ["an unknown tool among known ones", '[TOOL_CALLS][{"name": "read_file"}, {"name": "fly"}]'],
  ["Python that is code", "```tool_code\nfor x in y:\n  read_file(x)\n```"],
  ["HTML", "<function>f</function> and <tool>x</tool>\n<t\n[T\n<|"],
];

describe.each([
  ["with native calls", false],
  ["in text form", true],
])("dialects %s", (_, fences) => {
  test.each(dialects)("%s", (_name, text, calls) => {
    for (const size of [1, 2, 3, 7, 1_000]) {
      const found = read(`Now.\n${text}`.replace(/^Now\.\n(?=\{)/, ""), size, fences);
      expect(found.calls).toEqual(calls);
      expect(found.text).toBe(text.startsWith("{") ? "" : "Now.");
      expect(found.kinds.every((kind) => kind === "dialect")).toBe(true);
    }
  });

  test.each(prose)("%s stays text", (_name, text) => {
    for (const size of [1, 2, 3, 7, 1_000])
      expect(read(text, size, fences)).toEqual({ text, calls: [], kinds: [] });
  });

  test("text after a call stays, invented results do not", () => {
    for (const size of [1, 3, 1_000]) {
      expect(read(`${hermes}\nThen I go on.`, size, fences)).toMatchObject({
        text: "Then I go on.",
        calls: [a],
      });
      expect(read(`${hermes}\n<tool_response>lies</tool_response>\nDone.`, size, fences)).toMatchObject({
        text: "",
        calls: [a],
        kinds: ["dialect", "imagined_result"],
      });
    }
  });
});

describe("reasoning in the text", () => {
  function split(text: string, size: number) {
    const tags = new ThinkTags();
    const parts = [];
    for (let at = 0; at < text.length; at += size) parts.push(tags.push(text.slice(at, at + size)));
    parts.push(tags.finish());
    return [parts.map((part) => part.reasoning).join(""), parts.map((part) => part.text).join("")];
  }

  const cases: [text: string, reasoning: string, said: string][] = [
    ["<think>\nHm, 3 < 4.\n\nSo.\n</think>\n\nYes.\n", "Hm, 3 < 4.\n\nSo.", "Yes.\n"],
    ["\n<think></think>Yes", "", "Yes"],
    ["<thinking>a</thinking> b", "a", "b"],
    ["[THINK]a[/THINK]b", "a", "b"],
    ["<think>never closed </thin", "never closed </thin", ""],
    ["Yes.<think>no</think>", "", "Yes.<think>no</think>"],
    ["<thin", "", "<thin"],
    ["<b>x</b>", "", "<b>x</b>"],
    ["  two spaces", "", "  two spaces"],
    ["", "", ""],
  ];
  test.each(cases)("%j", (text, reasoning, said) => {
    for (const size of [1, 2, 5, 1_000]) expect(split(text, size)).toEqual([reasoning, said]);
  });
});

describe("reasoning whose opening tag the server's template wrote", () => {
  /** The text without voided parts, and the calls. */
  function answered(text: string, size: number) {
    const answer = new ModelAnswer(known, readTextCalls(known, { fences: true }), readChunk);
    const events = [];
    for (let at = 0; at < text.length; at += size)
      events.push(
        ...answer.push([{ choices: [{ index: 0, delta: { content: text.slice(at, at + size) } }] }]),
      );
    events.push(...answer.finish());
    const left = standing(events);
    const said = (type: "text" | "reasoning") =>
      left.flatMap((event) => (event.type === type && "delta" in event ? event.delta : [])).join("");
    const end = endOf(events);
    expect([end.reasoning, end.text]).toEqual([said("reasoning"), said("text")]);
    expect(left.filter(({ type }) => type === "call")).toHaveLength(end.calls.length);
    return end;
  }

  const call = '```tool\n{"tool":"read_file","args":{"path":"a"}}\n```';
  const cases: [text: string, reasoning: string, said: string, calls: number][] = [
    ["Hm, 3 < 4.\n</think>\n\nYes.\n", "Hm, 3 < 4.", "Yes.\n", 0],
    ["Hm.\n</think>", "Hm.", "", 0],
    ["</think>\nYes.", "", "Yes.", 0],
    ["Hm.\r\n</think>\r\n\r\nYes.", "Hm.", "Yes.", 0],
    ["A model writes </think> when it is done.", "", "A model writes </think> when it is done.", 0],
    ["```xml\nHm.\n</think>\n```", "", "```xml\nHm.\n</think>\n```", 0],
    ["It goes:\n<think>\nHm.\n</think>\nYes.", "", "It goes:\n<think>\nHm.\n</think>\nYes.", 0],
    ["</b>\n</thin", "", "</b>\n</thin", 0],
    [`Perhaps:\n${call}\nNo.\n</think>\nYes.`, "Perhaps:\n\nNo.", "Yes.", 0],
    [`Hm.\n</think>\n\n${call}`, "Hm.", "", 1],
  ];
  test.each(cases)("%j", (text, reasoning, said, calls) => {
    for (const size of [1, 2, 5, 1_000]) {
      const end = answered(text, size);
      expect([end.reasoning.replace(/\n+/g, "\n"), end.text, end.calls.length]).toEqual([
        reasoning.replace(/\n+/g, "\n"),
        said,
        calls,
      ]);
    }
  });
});

describe("very long answers", () => {
  const content = "</tool_call> and on\n".repeat(8_000);
  const args = JSON.stringify({ path: "a.md", content });

  test("a closing mark repeated inside a string belongs to the call", () => {
    const text = `<tool_call>\n{"name": "write_file", "arguments": ${args}}\n</tool_call>`;
    expect(read(text, 50, true)).toMatchObject({
      text: "",
      calls: [["write_file", { path: "a.md", content }]],
    });
  });

  test("marks in the string of something that is not a call stay text", () => {
    const text = `<tool_call>see "${"</tool_call> ".repeat(8_000)}`;
    expect(read(text, 50, true)).toMatchObject({ text, calls: [] });
  });

  test("thousands of calls on one line", () => {
    expect(read(hermes.replaceAll("\n", "").repeat(6_000), 200_000, true).calls).toHaveLength(6_000);
  });

  test("thousands of native calls are all made, each id once", () => {
    const answer = new ModelAnswer(known, readTextCalls(known, { fences: false }), readChunk);
    const made = { name: "read_file", arguments: '{"path":"a.js"}' };
    for (let index = 0; index < 20_000; index += 1)
      answer.push([
        { choices: [{ delta: { tool_calls: [{ index, id: `c${index >> 1}`, function: made }] } }] },
      ]);
    const { calls } = endOf(answer.finish());
    expect(calls).toHaveLength(20_000);
    expect(calls.slice(0, 4).map(({ id }) => id)).toEqual(["c0", "", "c1", ""]);
  });
});
