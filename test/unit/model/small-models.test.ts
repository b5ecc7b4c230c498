// Small models without native calls get shorter instructions, and are limited to one form after an unreadable
// call.
import { describe, expect, test } from "vitest";
import type { Refused } from "../../../functions/model/provider.ts";
import { readProviders } from "../../../functions/model/read-providers.ts";
import { toTextForm } from "../../../functions/model/text-calls/text-form.ts";
import { fewTools, offeredTools } from "../../../functions/tools/offered-tools.ts";
import { toolDefinitions } from "../../../functions/tools/tool-index.ts";
import { completeWith, endOf, providerAt, tools } from "./complete-with.ts";

describe("a model's name", () => {
  test.each([
    "qwen2.5-coder:7b",
    "llama3.1:8b",
    "mistral",
    "gemma2:9b-instruct-q4_0",
    "phi3",
    "codellama:13b",
    "deepseek-ai/deepseek-coder-6.7b-instruct",
  ])("%s counts as small, and edits text", (id) => {
    const [provider] = readProviders({ OPENAI_BASE_URL: "http://127.0.0.1:1/v1", HANDRAIL_MODEL: id });
    expect(provider?.models[0]).toMatchObject({ small: true, edits: "text" });
    const [said] = readProviders({
      OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
      HANDRAIL_MODEL: id,
      HANDRAIL_EDITS: "rows",
    });
    expect(said?.models[0]?.edits).toBe("rows");
  });

  test.each([
    "gpt-4.1",
    "claude-sonnet-5",
    "qwen3:30b-a3b",
    "deepseek-r1:70b",
    "mistral-large-latest",
    "devstral-latest",
    "gemini-3.5-flash",
    "openai/gpt-oss-120b",
    "qwen/qwen3-32b",
    "scripted",
  ])("%s does not", (id) => {
    const [provider] = readProviders({ OPENAI_BASE_URL: "http://127.0.0.1:1/v1", HANDRAIL_MODEL: id });
    expect(provider?.models[0]).not.toHaveProperty("small");
  });
});

/** Rules of a GBNF grammar that are used but not defined. */
function undefinedRules(grammar: string): string[] {
  const bodies = grammar.split("\n").map((line) => line.split(" ::= "));
  const rules = new Set(bodies.map(([name]) => name));
  const used = bodies.flatMap(
    ([, body = ""]) => body.replace(/"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]/g, "").match(/[a-z]+/g) ?? [],
  );
  return used.filter((name) => !rules.has(name));
}

test("a small model gets half the instructions of others, with an example edit", () => {
  const offered = offeredTools("normal");
  const system = (names: readonly string[], small: boolean) =>
    toTextForm([{ role: "system", content: "" }], toolDefinitions(names, "text"), small)[0]?.content ?? "";
  const few = system(fewTools(offered), true);
  expect(few).toContain('"op": "replace_text"');
  for (const name of ["read_file", "search_files", "edit_file", "write_file", "run_command", "ask_user"])
    expect(few).toContain(`\n${name} {`);
  expect(few).not.toContain("set_plan");
  const toolsOnly = (text: string) => text.slice(text.indexOf("# Tools")).length;
  expect(toolsOnly(few)).toBeLessThan(toolsOnly(system(offered, false)) / 2);
});

describe("after a call that could not be read", () => {
  const messages = [
    { role: "user" as const, content: "read a" },
    { role: "assistant" as const, content: "{read a}" },
    {
      role: "user" as const,
      content: '<event subkind="system_notice" source="unread_call">\nNothing was run.\n</event>',
    },
  ];
  const answer = '{"say": "I read it.", "tool": "read_file", "args": {"path": "a"}}';
  const small = (url: string) => ({
    provider: providerAt(url, { small: true }),
    toolProtocol: "text" as const,
    messages,
  });

  test("a small model is limited to one object, which is read as its text and its call", async () => {
    const { events, server } = await completeWith([{ text: answer }], (url) => small(url));
    expect(server.requests[0]?.body.response_format).toMatchObject({ type: "json_schema" });
    expect(endOf(events)).toMatchObject({
      text: "I read it.",
      calls: [{ name: "read_file", arguments: '{"path":"a"}' }],
    });
  });

  // ggml-org/llama.cpp#11847: a build that accepts its own grammars but no schema.
  const llamaCpp = {
    status: 400,
    body: {
      error: {
        ...{ code: 400, type: "invalid_request_error" },
        message: 'Either "json_schema" or "grammar" can be specified, but not both',
      },
    },
  };

  test("a server that refuses the schema gets a grammar for the same, with every tool", async () => {
    const omit = new Set<Refused>();
    const { events, server } = await completeWith([llamaCpp, { text: answer }], (url) => ({
      ...small(url),
      omit,
    }));
    const [first, second] = server.requests.map(({ body }) => body);
    expect(
      [first, second].map((body) => ["response_format" in (body ?? {}), "grammar" in (body ?? {})]),
    ).toEqual([
      [true, false],
      [false, true],
    ]);
    const grammar = String(second?.grammar);
    for (const { name } of tools) expect(grammar).toContain(`"\\"${name}\\""`);
    expect(undefinedRules(grammar)).toEqual([]);
    expect([...omit]).toEqual(["response_format"]);
    expect(endOf(events).calls).toHaveLength(1);
  });

  test("a server that refuses both is asked without them from then on", async () => {
    const omit = new Set<Refused>();
    const strict = (name: string) => ({
      status: 400,
      body: { error: { message: `Unknown parameter: ${name}` } },
    });
    const replies = [strict("response_format"), strict("grammar"), { text: answer }, { text: answer }];
    const { events, server } = await completeWith(replies, (url) => ({ ...small(url), omit }));
    const last = server.requests.at(-1)?.body ?? {};
    expect(server.requests).toHaveLength(3);
    expect(["response_format", "grammar"].filter((name) => name in last)).toEqual([]);
    expect([...omit]).toEqual(["response_format", "grammar"]);
    expect(endOf(events).calls).toHaveLength(1);
  });

  test("a refusal that mentions a grammar where none was sent is about the tools", async () => {
    const refusal = {
      status: 400,
      body: { error: { message: "JSON schema conversion failed: Unrecognized schema: {} (json_schema)" } },
    };
    const { events, server } = await completeWith([refusal, { text: "hello" }]);
    expect(server.requests.map(({ body }) => "tools" in body)).toEqual([true, false]);
    expect(events).toContainEqual({ type: "refused", part: "tools" });
  });

  test("its final text comes as text", async () => {
    const done = '{"say": "All is done.", "tool": "none", "args": {}}';
    const { events } = await completeWith([{ text: done }], (url) => small(url));
    expect(endOf(events)).toMatchObject({ text: "All is done.", calls: [] });
  });
});
