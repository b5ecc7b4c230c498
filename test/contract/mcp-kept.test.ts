// The sandbox server stores no key in the address of an MCP server, and no request with such a key.
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SandboxAnswer } from "../../shared/api.ts";
import { type FakeMcp, startMcpServer } from "../fakes/mcp-server.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { Conversation } from "../harness/conversation.ts";
import { type RunningEdge, startEdge } from "../harness/edge-in-process.ts";
import { gate } from "../harness/gate.ts";
import { filesWith } from "../harness/where-secret.ts";
import { ask, post } from "./http/request.ts";

const key = "a1b2c3d4e5f6a7b8c9d0";

let model: ModelServer;
let server: FakeMcp;
let edge: RunningEdge;
beforeAll(async () => {
  model = await startModelServer([]);
  server = await startMcpServer();
  edge = await startEdge(model.url);
});
afterAll(async () => {
  await edge.close();
  await server.close();
  await model.close();
});

/** A turn that calls `post` at `url`. Resolves with everything that is stored while the call runs. */
async function keptWhileItRuns(url: string) {
  const [called, goes] = [gate(), gate()];
  const tool = { name: "post", description: "Does post.", inputSchema: { type: "object", properties: {} } };
  Object.assign(server, { onCall: called.open, tools: [{ ...tool, gives: "posted", waits: goes.passed }] });
  const { sandboxId } = SandboxAnswer.parse((await ask(edge, "/api/sandboxes", post({}))).json);
  const talk = new Conversation(edge, sandboxId);
  talk.options = { mcp: [{ name: "fake", url, tools: [{ ...tool, use: "allowed" as const }] }] };
  model.play([{ calls: [{ id: "m-1", name: "mcp__fake__post", args: {} }] }, { text: "done" }]);
  const said = talk.say("Post it.");
  await called.passed;
  const kept = readdirSync(edge.state, { recursive: true, encoding: "utf8" });
  goes.open();
  await said;
  expect(talk.result("mcp__fake__post").ok).toBe(true);
  return kept.filter((path) => path.endsWith(".posted"));
}

test("a request that names a server by an address with a key is not stored: the turn needs its phone to continue", async () => {
  expect(await keptWhileItRuns(server.url)).toHaveLength(1);
  expect(await keptWhileItRuns(`${server.url}/${key}?project=shop`)).toEqual([]);
  expect(filesWith(edge.state, key)).toBe("");
});
