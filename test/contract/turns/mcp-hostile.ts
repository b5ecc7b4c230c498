// Unexpected answers of MCP servers: other types, streams without an end, other revisions, endless lists.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { McpToolList } from "../../../shared/mcp.ts";
import { type FakeMcp, type FakeTool, startMcpServer } from "../../fakes/mcp-server.ts";
import { dataOf } from "../../harness/conversation.ts";
import { ask, post } from "../http/request.ts";
import type { Stage } from "./stage.ts";

export function describeMcpHostile(stage: Stage): void {
  describe("a misbehaving mcp server", () => {
    let server: FakeMcp;
    beforeAll(async () => {
      server = await startMcpServer();
    });
    afterAll(() => server.close());

    const list = () => ask(stage.product(), "/api/mcp/tools", post({ name: "fake", url: server.url }));
    const call = async (tool: FakeTool, more: object = {}) => {
      Object.assign(server, { tools: [tool], calls: [], seen: [], revision: "2025-06-18", page: 100 });
      const { tools } = McpToolList.parse((await list()).json);
      const used = tools.map((one) => ({ ...one, use: "allowed" }));
      const name = `mcp__fake__${tool.name}`;
      const talk = await stage.open([{ calls: [{ id: "m-1", name, args: {} }] }, { text: "done" }]);
      talk.options = { mcp: [{ name: "fake", url: server.url, ...more, tools: used }] };
      const events = await talk.say("Go.");
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      return talk.result(name);
    };

    test.each<[string, FakeTool["body"]]>([
      ["a page of a proxy", ["text/html", "<html>Please sign in</html>"]],
      ["nothing", ["application/json", ""]],
      ["an answer to another request", ["application/json", '{"jsonrpc":"2.0","id":"other","result":{}}']],
      ["JSON called a stream", ["text/event-stream", '{"jsonrpc":"2.0","id":"handrail-1","result":{}}']],
    ])(
      "that answers a call with %s may have run it, and nothing of the answer is passed on",
      async (_, body) => {
        const result = await call({ name: "odd", ...(body ? { body } : {}) });
        expect(result).toMatchObject({ ok: false, meta: { facts: { code: "outcome_unknown" } } });
        expect(result.content).not.toContain("sign in");
      },
    );

    test("is read where only the content type is wrong", async () => {
      const answer = {
        jsonrpc: "2.0",
        id: "handrail-3",
        result: { content: [{ type: "text", text: "hello" }] },
      };
      const result = await call({ name: "odd", body: ["text/plain", JSON.stringify(answer)] });
      expect(result).toMatchObject({ ok: true, content: expect.stringContaining("hello") });
    });

    test("whose event stream continues without an answer is abandoned", async () => {
      const result = await call({ name: "odd", drips: true }, { seconds: 1 });
      expect(result.content).toMatch(/did not answer within 1 seconds|answered with more than 2 MB/);
      expect(result.meta?.facts).toMatchObject({ code: "outcome_unknown" });
    });

    test.each([
      [-32603, true],
      [-32000, true],
      [-32601, false],
      [-32602, true],
    ])("that refuses with %i may have run it: %s", async (code, mayHaveRun) => {
      const result = await call({ name: "odd", refuses: "no", code });
      expect(result.content.startsWith("error: outcome unknown")).toBe(mayHaveRun);
    });

    test("that answers with an older revision is spoken to in that revision; an unknown one is refused", async () => {
      Object.assign(server, { tools: [{ name: "echo" }], revision: "2024-11-05", seen: [] });
      expect((await list()).status).toBe(200);
      expect(server.seen.at(-1)?.["mcp-protocol-version"]).toBe("2024-11-05");
      Object.assign(server, { revision: "1999-01-01", seen: [] });
      const { status, text } = await list();
      expect([status, text]).toEqual([400, expect.stringContaining("a revision of MCP that is not known")]);
      expect(server.seen).toHaveLength(1);
    });

    test("with endless pages is asked for 20 of them, and 300 tools at most are listed", async () => {
      const tools = Array.from({ length: 400 }, (_, at) => ({ name: `tool_${at}` }));
      Object.assign(server, { tools, revision: "2025-06-18", page: 10, seen: [] });
      const few = McpToolList.parse((await list()).json);
      expect(few.tools).toHaveLength(200);
      server.page = 400;
      const most = McpToolList.parse((await list()).json);
      expect([most.tools.length, most.left]).toEqual([300, 100]);
    });

    test("gets a token that was typed as `Bearer TOKEN` with one prefix", async () => {
      Object.assign(server, { tools: [{ name: "echo" }], page: 100, seen: [] });
      const headers = {
        "content-type": "application/json",
        "x-mcp-tokens": JSON.stringify({ fake: "bearer  secret-token-1234" }),
      };
      await ask(stage.product(), "/api/mcp/tools", { ...post({ name: "fake", url: server.url }), headers });
      expect(server.seen.at(-1)?.authorization).toBe("Bearer secret-token-1234");
    });
  });
}
