// Servers of HANDRAIL_MCP: a permission is bound to the address that the person saw.
import { afterAll, beforeAll, expect, test } from "vitest";
import { SandboxAnswer } from "../../shared/api.ts";
import { McpKnown, McpToolList } from "../../shared/mcp.ts";
import { type FakeMcp, startMcpServer } from "../fakes/mcp-server.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { Conversation } from "../harness/conversation.ts";
import { type RunningEdge, startEdge } from "../harness/edge-in-process.ts";
import { ask, post } from "./http/request.ts";

let model: ModelServer;
let server: FakeMcp;
/** One edge, started twice. Its operator entered another address under the same name in between. */
let [before, after]: (RunningEdge | undefined)[] = [];
const elsewhere = "other";
beforeAll(async () => {
  model = await startModelServer([]);
  server = await startMcpServer();
  server.tools = [{ name: "post", description: "Does post.", gives: "posted" }];
  const settings = (url: string) => ({ HANDRAIL_MCP: JSON.stringify({ docs: { url } }) });
  before = await startEdge(model.url, settings(server.url));
  after = await startEdge(model.url, {
    ...before.sandbox,
    ...settings(`${server.url}?place=${elsewhere}`),
  });
});
afterAll(async () => {
  await after?.close();
  await before?.close();
  await server.close();
  await model.close();
});

/**
 * The outcome of a call of `post` that was allowed with the listing of `before`, in a turn that `at` runs.
 */
async function calledAt(at: RunningEdge | undefined, isBound = true) {
  if (!before || !at) throw new Error("it has not started");
  const { servers } = McpKnown.parse((await ask(before, "/api/mcp")).json);
  const { tools } = McpToolList.parse((await ask(before, "/api/mcp/tools", post({ name: "docs" }))).json);
  const place = { name: "docs", ...(isBound ? { at: servers[0]?.at } : {}) };
  const { sandboxId } = SandboxAnswer.parse((await ask(before, "/api/sandboxes", post({}))).json);
  const talk = new Conversation(at, sandboxId);
  talk.options = { mcp: [{ ...place, tools: tools.map((tool) => ({ ...tool, use: "allowed" as const })) }] };
  server.calls.splice(0);
  model.play([{ calls: [{ id: "m-1", name: "mcp__docs__post", args: {} }] }, { text: "done" }]);
  await talk.say("Post it.");
  return { result: talk.result("mcp__docs__post"), place };
}

test("a tool that was allowed is called at the address that the person saw", async () => {
  expect((await calledAt(before)).result).toMatchObject({
    ...{ ok: true, content: expect.stringContaining("posted") },
  });
  expect(server.calls).toEqual(["post"]);
});

test("it is not called at another address, however that is spelled, nor without a record of where it was seen", async () => {
  const { result, place } = await calledAt(after);
  expect(result).toMatchObject({
    ...{ ok: false, content: expect.stringContaining("has moved to a new address") },
    meta: { facts: { code: "tool_changed" } },
  });
  expect((await calledAt(before, false)).result.ok).toBe(false);
  expect(server.calls).toEqual([]);
  if (!after) throw new Error("it has not started");
  const { status, text } = await ask(after, "/api/mcp/tools", post(place));
  expect([status, text]).toEqual([400, expect.stringContaining("has another address by now")]);
});

test.each([
  ["https://user:pass@example.com/docs?key=secret#part", "https://example.com/docs"],
  ["https://example.com:8443/", "https://example.com:8443"],
  ["https://example.com/s/0123456789abcdefghijklmn/mcp", "https://example.com/s/…/mcp"],
  ["//user:pass@nowhere secret", "no valid address"],
])("for the address %s the person sees %s", async (url, host) => {
  const edge = await startEdge(model.url, {
    ...before?.sandbox,
    HANDRAIL_MCP: JSON.stringify({ docs: { url } }),
  });
  try {
    const { servers } = McpKnown.parse((await ask(edge, "/api/mcp")).json);
    expect(servers).toMatchObject([{ name: "docs", host }]);
  } finally {
    await edge.close();
  }
});
