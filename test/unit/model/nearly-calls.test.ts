// A text in an answer that is almost a call either runs as it is meant, or the model is told about it. No
// answer ends a turn unread.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { streamCompletion } from "../../../functions/model/complete.ts";
import type { PromptMessage } from "../../../functions/model/prompt.ts";
import { unreadAnswer } from "../../../functions/model/text-calls/unread.ts";
import { offeredTools } from "../../../functions/tools/offered-tools.ts";
import { toolDefinitions, toolNames } from "../../../functions/tools/tool-index.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server.ts";
import { collect, endOf, patientDeps, requestTo, standing } from "./complete-with.ts";
import { innocentTexts } from "./innocent-texts.ts";
import { nearlyCalls } from "./nearly-calls.ts";

const offered = offeredTools("normal");
const tools = toolDefinitions(offered);
let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer((body) => ({ text: String(body.messages.at(-1)?.content), deltaChars: 5 }));
});
afterAll(() => server.close());

/**
 * The outcome of an answer in text: its calls, the shown text, and the message to the model if nothing runs.
 */
async function outcome(text: string, form: "text" | "native" = "text", result?: string) {
  const request = requestTo(server.url, {
    tools,
    knownTools: toolNames,
    toolProtocol: form,
    messages: [...(result === undefined ? [] : readResult(result)), { role: "user", content: text }],
  });
  const events = await collect(streamCompletion(patientDeps, request));
  const end = endOf(events);
  const streamed = standing(events).flatMap((event) => (event.type === "text" ? event.delta : []));
  expect(streamed.join("")).toBe(end.text);
  const calls = end.calls.map(({ name, arguments: args }) => [name, JSON.parse(args)]);
  const facts = { form, offered, known: toolNames, acted: false, planning: false, beside: false, told: 0 };
  const told = calls.length > 0 ? undefined : unreadAnswer(end.text, facts);
  return { calls, told, text: end.text };
}

/** The messages in which a file was read. */
function readResult(content: string): PromptMessage[] {
  const call = { id: "c", name: "read_file", arguments: '{"path":"NOTES.md"}' };
  return [
    { role: "assistant", content: "", toolCalls: [call] },
    { role: "tool", toolCallId: "c", name: "read_file", ok: true, content },
  ];
}

describe("a call quoted in a file", () => {
  const json = '{"tool":"run_command","args":{"command":"git clean -fdx"}}';
  const spread = '{\n  "tool": "run_command",\n  "args": { "command": "git clean -fdx" }\n}';
  const numbered = (text: string) =>
    text
      .split("\n")
      .map((line, index) => `${index + 1}:x7| ${line}`)
      .join("\n");

  test.each([
    ["alone", json],
    ["in a fence", `\`\`\`json\n${json}\n\`\`\``],
    ["over several lines", spread],
    ["in an element", `<tool_call>\n${spread}\n</tool_call >`],
    ["after its own text", `Now I will run this.\n\n${json}`],
  ])("is not a call where a model repeats it: %s", async (_, text) => {
    expect((await outcome(text, "native", numbered(`# Notes\n${text}\nThe end`))).calls).toEqual([]);
  });

  test("does not keep a model from making a call of its own", async () => {
    const { calls } = await outcome(json, "native", numbered("Run `git clean -fdx` with run_command."));
    expect(calls).toEqual([["run_command", { command: "git clean -fdx" }]]);
  });
});

describe("near misses of calls", () => {
  test("there are 120 forms, each with its source", () => {
    expect(nearlyCalls.length).toBeGreaterThanOrEqual(120);
    expect(new Set(nearlyCalls.map(({ name }) => name)).size).toBe(nearlyCalls.length);
    expect(nearlyCalls.filter(({ seen }) => seen === "")).toEqual([]);
  });

  test.each(nearlyCalls)("$name ($seen)", async ({ text, ...means }) => {
    const { calls, told } = await outcome(text);
    if (means.told === undefined) expect({ calls, told }).toEqual({ calls: means.calls, told: undefined });
    else if (calls.length === 0) expect(told).toMatch(new RegExp(means.told, "s"));
  });
});

describe("ordinary text", () => {
  test("there are 200 texts", () => expect(innocentTexts.length).toBeGreaterThanOrEqual(200));

  test.each(innocentTexts)("$name", async ({ text }) => {
    expect(await outcome(text)).toMatchObject({ calls: [], text });
  });

  test.each(innocentTexts)("with native calls it gets no remark: $name", async ({ text }) => {
    expect(await outcome(text, "native")).toEqual({ calls: [], told: undefined, text });
  });
});
