// Which part of an HTTP response counts as the answer to a request.
import { expect, test } from "vitest";
import { maxToolContentBytes } from "../../../functions/limits.ts";
import { HttpServer } from "../../../functions/mcp/http-server.ts";
import { readAnswer } from "../../../functions/mcp/json-rpc.ts";
import { mcpLimits } from "../../../functions/mcp/limits.ts";
import { resultWords } from "../../../functions/mcp/result-words.ts";
import { createRedactor } from "../../../shared/redact/redactor.ts";

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

/** `answers`: returns the result or the whole response for each request, by its method. */
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
    expect.stringContaining("It contains invisible characters: U+202E."),
    "a\u202eb",
  ]);
});

test("an answer above 2 MB is cut off, in one text and as a stream", async () => {
  const long = "x".repeat(mcpLimits.answerChars + 1);
  expect(await answering(long)).toContain("more than 2 MB");
  const headers = { "content-type": "text/event-stream" };
  await expect(readAnswer(new Response(`data: ${long}`, { headers }), "a-1")).rejects.toThrow(
    "more than 2 MB",
  );
});

test("no request follows a redirect, and none of its words are told", async () => {
  const redirects: unknown[] = [];
  const server = new HttpServer({
    url: new URL("https://x.example/mcp"),
    async fetch(_, init) {
      redirects.push(init?.redirect);
      return new Response("secret words", {
        status: 307,
        headers: { location: "https://y.example/a?key=1" },
      });
    },
    ...{ signal: new AbortController().signal, callMs: 1_000, version: "1" },
  });
  const failure = await server.open().catch((error: Error) => error.message);
  expect(failure).toContain("redirects to https://y.example. Redirects are not followed");
  expect(failure).not.toMatch(/secret|key=/);
  expect(redirects).toEqual(["manual"]);
});

test.each([
  ["says hello without a revision", "initialize", { result: {} }, "a revision of MCP that is not known"],
  ["says hello with a text", "initialize", { result: "2025-06-18" }, "a revision of MCP that is not known"],
  ["lists a text", "tools/list", { result: "none" }, "not a list of tools"],
  ["lists an object", "tools/list", { result: { tools: {} } }, "not a list of tools"],
  ["has forgotten the session", "tools/list", new Response("", { status: 404 }), "has forgotten the session"],
  [
    "wants a token",
    "initialize",
    new Response("", { status: 403 }),
    "does not take this token, or none was given.",
  ],
  [
    "wants a sign-in",
    "initialize",
    new Response("", { status: 401, headers: { "www-authenticate": "Bearer" } }),
    "may want a sign-in (OAuth)",
  ],
  ["is none", "initialize", new Response("", { status: 405 }), "has no MCP server at this address"],
])("a server that %s is refused in words", async (_, at, said, words) => {
  const { server } = serverOf((method, { id }) => {
    if (method === at) return said;
    if (method !== "initialize") return { result: {} };
    const headers = { "content-type": "application/json", "mcp-session-id": "1" };
    return new Response(JSON.stringify({ id, result: { protocolVersion: "2025-06-18" } }), { headers });
  });
  const work = async () => {
    await server.open();
    await server.tools();
  };
  await expect(work()).rejects.toThrow(words);
});

test("a title that is no text is none", async () => {
  const { server } = serverOf(() => ({
    result: { protocolVersion: "2025-06-18", serverInfo: { name: { toString: 1 } } },
  }));
  await server.open();
  expect(server.title).toBe("");
});

test.each([500, 502, 504, 408])(
  "a call that is answered with %i may have run, a list not",
  async (status) => {
    const { server } = serverOf(() => new Response("", { status }));
    await expect(server.call("post", {})).rejects.toMatchObject({ mayHaveRun: true });
    await expect(server.tools()).rejects.toMatchObject({ mayHaveRun: false });
  },
);

test.each([
  [-32000, true],
  [-32602, true],
  [-32601, false],
])("a call that is refused with the code %i may have run: %s", async (code, mayHaveRun) => {
  const { server } = serverOf(() => ({ error: { code, message: "no" } }));
  await expect(server.call("post", {})).rejects.toMatchObject({ mayHaveRun });
  await expect(server.tools()).rejects.toMatchObject({ mayHaveRun: false });
});

test("a connection that is opened again begins without the old session", async () => {
  const { server, seen } = serverOf((_, { id }) => {
    const headers = { "content-type": "application/json", "mcp-session-id": "first" };
    return new Response(JSON.stringify({ id, result: { protocolVersion: "2025-06-18" } }), { headers });
  });
  await server.open();
  await server.open();
  expect(seen.map((headers) => headers.get("mcp-session-id"))).toEqual([null, "first", null, "first"]);
});

test("a result loses its secrets, says when it failed, and is kept to the size of a tool's message", () => {
  const redact = (text: string) => text.replaceAll("the-token-1", "[redacted: secret]");
  const content = [{ type: "text", text: `the-token-1 ${"x".repeat(100_000)}` }];
  const { ok, text } = resultWords("docs", { content, isError: true }, redact);
  expect(ok).toBe(false);
  expect(text).toMatch(/^\[error from the MCP server docs: data, [^\n]*\n\[redacted: secret\] x/);
  expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(maxToolContentBytes);
});

test("at most ten kinds of hidden characters, and 500 characters of a resource's name, are told", () => {
  const hidden = Array.from({ length: 12 }, (_, at) => String.fromCodePoint(0x2060 + at)).join("");
  const content = [{ type: "text", text: hidden }];
  expect(resultWords("docs", { content }, (said) => said).text.match(/U\+/g)).toHaveLength(10);
  const link = { type: "resource_link", uri: "u".repeat(2_000) };
  expect(resultWords("docs", { content: [link] }, (said) => said).text).toContain(
    `[link: ${"u".repeat(500)}]`,
  );
});

test("no half of a secret is shown where a long answer is cut", () => {
  const { redact } = createRedactor();
  const secrets = Array.from({ length: 600 }, (_, n) => `ghp_${`aB3dE6gH9jK2${n + 1_000}`.repeat(12)}`);
  for (const said of [JSON.stringify(secrets), secrets.join("\n"), secrets.join(" ")]) {
    const { text } = resultWords("vault", { content: [{ type: "text", text: said }] }, redact);
    expect(text).toContain("[redacted: GitHub token]");
    expect(text).toContain("[…]");
    expect(text).not.toContain("aB3d");
    expect(text).not.toContain("jK2");
  }
});

test("nor where the program in the sandbox cut it, and left out enough", () => {
  const { redact } = createRedactor();
  const said = `from ghp_aB3dE6gH9jK2\n[…]\naB3dE6gH9jK2 to`;
  const { text } = resultWords("vault", { content: [{ type: "text", text: said }] }, redact);
  expect(text).toContain("from \n[…]\n to");
});
