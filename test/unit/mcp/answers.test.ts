// What of an HTTP answer is taken for the answer to a request.
import { expect, test } from "vitest";
import { HttpServer } from "../../../functions/mcp/http-server.ts";
import { readAnswer } from "../../../functions/mcp/json-rpc.ts";
import { mcpLimits } from "../../../functions/mcp/limits.ts";
import { resultWords } from "../../../functions/mcp/result-words.ts";

const json = (said: unknown) =>
  new Response(typeof said === "string" ? said : JSON.stringify(said), {
    headers: { "content-type": "application/json" },
  });
const answering = (said: unknown) => readAnswer(json(said), "a-1").catch((error: unknown) => String(error));

test.each([
  [
    "of another id",
    [
      { id: "a-2", result: { stolen: true } },
      { id: null, result: {} },
    ],
  ],
  ["nested deeper than is read", `{"id":"a-1","result":${"[".repeat(5_000)}${"]".repeat(5_000)}}`],
  ["that is no JSON", "<html>"],
  ["without result and error", { id: "a-1" }],
])("an answer %s does not count", async (_, said) => {
  expect(await answering(said)).toContain("something that is not MCP");
});

test("an error's message counts only as text", async () => {
  expect(await answering({ id: "a-1", error: { code: -32000, message: { toString: 1 } } })).toEqual({
    error: { code: -32000, message: "no reason given" },
  });
});

/** `answers`: by the method that is asked, the result or the whole answer, each time. */
function serverOf(answers: (method: string, asked: { id: string; params: object }) => Response | object) {
  const seen: Headers[] = [];
  const server = new HttpServer({
    url: new URL("https://x.example/mcp"),
    async fetch(_, init) {
      const asked = JSON.parse(String(init?.body));
      seen.push(new Headers(init?.headers));
      const said = answers(asked.method, asked);
      return said instanceof Response ? said : json({ jsonrpc: "2.0", id: asked.id, ...said });
    },
    signal: new AbortController().signal,
    callMs: 60_000,
    version: "1",
  });
  return { server, seen };
}

test("an error is kept up to 4,000 characters", async () => {
  const { server } = serverOf(() => ({ error: { code: -32601, message: "x".repeat(5_000) } }));
  await expect(server.call("post", {})).rejects.toMatchObject({ said: "x".repeat(4_000), mayHaveRun: false });
});

test("only initialize starts a session: a later answer cannot replace it", async () => {
  const { server, seen } = serverOf((method, { id }) => {
    const result = method === "initialize" ? { protocolVersion: "2025-06-18" } : { tools: [] };
    const headers = { "content-type": "application/json", "mcp-session-id": `of ${method}` };
    return new Response(JSON.stringify({ id, result }), { headers });
  });
  await server.open();
  await server.tools();
  await server.tools();
  expect(seen.at(-1)?.get("mcp-session-id")).toBe("of initialize");
});

test("at most 20 pages of a list are read, and none after 300 tools", async () => {
  let pages = 0;
  const listing = (size: number) =>
    serverOf(() => {
      pages += 1;
      return { result: { tools: Array(size).fill({}), nextCursor: "more" } };
    }).server;
  await listing(1).tools();
  expect(pages).toBe(mcpLimits.pages);
  pages = 0;
  await listing(200).tools();
  expect(pages).toBe(2);
});

test("a long result shows its ends, without secrets, and none of its parts has to be text", () => {
  const looked: number[] = [];
  const redact = (text: string) => {
    looked.push(text.length);
    return text;
  };
  const content = [
    { type: "text", text: `begin${"x".repeat(1_500_000)}end` },
    { type: "text", text: { toString: 1 } },
  ];
  const { text } = resultWords("docs", { content }, redact);
  expect(text).toMatch(/begin[\s\S]*end/);
  expect(Math.max(...looked)).toBeLessThanOrEqual(mcpLimits.textChars + 10);
});

test("a result with characters that do not show says which, in front of its text", () => {
  const { text } = resultWords("docs", { content: [{ type: "text", text: "a\u202eb" }] }, (said) => said);
  expect(text.split("\n")).toEqual([
    expect.stringContaining("It holds characters that do not show: U+202E."),
    "a\u202eb",
  ]);
});
