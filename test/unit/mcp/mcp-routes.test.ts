// The routes of MCP: what they say of servers and their tools, and which requests reach a server or a sandbox.
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { McpKnown, McpToolList } from "../../../shared/mcp.ts";
import { type Asked, edgeAlone } from "../edge/edge-alone.ts";

const token = "mcp-token-0123456789";
const docs = { docs: { url: "https://docs.test/mcp?key=key-0123456789abcdef", token } };
const program = { files: { command: "npx files" } };
const settings = { HANDRAIL_MCP: JSON.stringify({ ...docs, ...program }) };
const atDocs = (asked: Asked) => asked.at.startsWith("https://docs.test");

/** Plays the server of `docs`. */
const plays = (said: { title?: string; tools?: object[]; error?: string }) => (asked: Asked) => {
  if (!atDocs(asked)) return undefined;
  const { id, method } = JSON.parse(asked.body);
  if (said.error !== undefined)
    return Response.json({ jsonrpc: "2.0", id, error: { code: 1, message: said.error } });
  const result =
    method === "initialize"
      ? { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: said.title ?? "" } }
      : { tools: said.tools ?? [] };
  return Response.json({ jsonrpc: "2.0", id, result });
};

test("a server is listed without what is secret in its address, and its token is sent to it alone", async () => {
  const edge = edgeAlone(
    settings,
    plays({ tools: [{ name: "find", description: "Finds.", inputSchema: {} }] }),
  );
  const list = await (await edge.send("GET /api/mcp")).text();
  expect(list).not.toMatch(/key-0123456789abcdef|mcp-token/);
  expect(z.parse(McpKnown, JSON.parse(list)).servers.map(({ name, program }) => [name, program])).toEqual([
    ["docs", undefined],
    ["files", true],
  ]);
  const tools = z.parse(McpToolList, await (await edge.send("POST /api/mcp/tools", { name: "docs" })).json());
  expect(tools.tools.map(({ name }) => name)).toEqual(["find"]);
  expect(
    edge.asked.every((asked) => atDocs(asked) && asked.headers.get("authorization") === `Bearer ${token}`),
  ).toBe(true);
});

test("a server that was given another address since it was seen is not asked", async () => {
  const edge = edgeAlone(settings, plays({}));
  const body = { name: "docs", at: "0".repeat(64) };
  expect(await edge.refusal("POST /api/mcp/tools", body)).toContain("has another address by now");
  expect(edge.asked).toEqual([]);
  const { servers } = z.parse(McpKnown, await (await edge.send("GET /api/mcp")).json());
  expect((await edge.send("POST /api/mcp/tools", { name: "docs", at: servers[0]?.at })).status).toBe(200);
});

test("a token that comes with the request goes to its server, and is not repeated", async () => {
  const own = "own-token-0123456789";
  const edge = edgeAlone({}, (asked) =>
    plays({
      title: `I was sent ${own}`,
      tools: [{ name: "echo", description: `Says ${own}`, inputSchema: {} }],
    })(asked),
  );
  const headers = { "x-mcp-tokens": JSON.stringify({ docs: own }) };
  const body = { name: "docs", url: "https://docs.test/mcp" };
  const answer = await (await edge.send("POST /api/mcp/tools", body, headers)).text();
  expect(edge.asked[0]?.headers.get("authorization")).toBe(`Bearer ${own}`);
  expect(answer).toContain("echo");
  expect(answer).not.toContain(own);
});

describe("what a server says of itself", () => {
  test("is at most 200 characters of its name, none of them from its token", async () => {
    const title = `${"a ".repeat(95)}${token} ${"a ".repeat(50)}`;
    const edge = edgeAlone(settings, plays({ title }));
    const { server } = z.parse(
      McpToolList,
      await (await edge.send("POST /api/mcp/tools", { name: "docs" })).json(),
    );
    expect(server.length).toBe(200);
    expect(server).not.toContain(token.slice(0, 10));
  });

  test("is at most 1,000 characters of its error, none of them from its token", async () => {
    const error = `${"e ".repeat(495)}${token} ${"e ".repeat(1_000)}`;
    const edge = edgeAlone(settings, plays({ error }));
    const refusal = await edge.refusal("POST /api/mcp/tools", { name: "docs" });
    expect(refusal).toContain("It says: e e e");
    expect(refusal.length).toBeLessThan(1_100);
    expect(refusal).not.toContain(token.slice(0, 10));
  });
});

describe("a program", () => {
  const line = (value: object) => `${JSON.stringify(value)}\n`;
  const answers = (asked: Asked) =>
    asked.at.includes("/calls") ? new Response(line({ type: "end" })) : undefined;

  test.each([
    ["without a sandbox", { name: "files" }],
    ["with a sandbox's id that could be a path", { name: "files", sandboxId: "a/../b" }],
    [
      "with an address too",
      { name: "files", sandboxId: "s1", url: "https://docs.test/mcp", command: "npx files" },
    ],
  ])("%s is not started", async (_how, body) => {
    const edge = edgeAlone(settings, answers);
    expect(await edge.refusal("POST /api/mcp/tools", body)).toMatch(/^invalid_request: /);
    expect(edge.asked).toEqual([]);
  });

  test.each([
    [undefined, "readonly", true],
    [false, "readonly", true],
    [true, "write", false],
  ])("asked with write: %s gets access %s", async (write, access, offline) => {
    const edge = edgeAlone(settings, answers);
    await edge.send("POST /api/mcp/tools", { name: "files", sandboxId: "s1", write });
    const [asked] = edge.asked;
    const { calls, ...sent } = JSON.parse(asked?.body ?? "{}");
    expect([sent.access, JSON.stringify(calls).includes("npm_config_fetch_retries")]).toEqual([
      access,
      offline,
    ]);
  });
});
