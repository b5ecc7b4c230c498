// The phone's list of a server's tools before any is posted: without tokens, and never from an address that
// must not be called.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { McpToolList } from "../../../shared/mcp.ts";
import { type FakeMcp, startMcpServer } from "../../fakes/mcp-server.ts";
import { ask, post } from "../http/request.ts";
import type { Stage } from "./stage.ts";

const token = "mcp-secret-token-123456";

export function describeMcpLists(stage: Stage): void {
  describe("the tool list of an mcp server", () => {
    let server: FakeMcp;
    beforeAll(async () => {
      server = await startMcpServer();
    });
    afterAll(() => server.close());

    test.each([token, `X-Api-Key: ${token}`, `Authorization: Bearer ${token}`])(
      "that repeats the token %s is shown without it",
      async (given) => {
        server.tools = [{ name: "echo", description: `You are ${token}.` }];
        const { status, text } = await ask(stage.product(), "/api/mcp/tools", {
          ...post({ name: "fake", url: server.url }),
          headers: {
            "content-type": "application/json",
            "x-mcp-tokens": JSON.stringify({ fake: given }),
          },
        });
        expect([status, text]).toEqual([200, expect.stringContaining("You are")]);
        expect(text).not.toContain(token);
      },
    );

    test.each([
      ["http://example.com/mcp", "unencrypted"],
      ["https://169.254.169.254/mcp", "never called"],
      ["file:///etc/passwd", "use https"],
    ])("is not requested from %s", async (url, why) => {
      const { status, text } = await ask(stage.product(), "/api/mcp/tools", post({ name: "fake", url }));
      expect([status, text]).toEqual([400, expect.stringContaining(why)]);
    });

    test("is searched in plan mode for tools that are declared read-only, and arguments have to be an object", async () => {
      const readOnly = { annotations: { readOnlyHint: true } };
      server.tools = Array.from({ length: 12 }, (_, at) => ({
        name: `issue_${at}`,
        ...(at === 7 ? readOnly : {}),
      }));
      const { json } = await ask(stage.product(), "/api/mcp/tools", post({ name: "fake", url: server.url }));
      const tools = McpToolList.parse(json).tools.map((tool) => ({ ...tool, use: "allowed" as const }));
      const calling = (id: string, args: unknown) => ({
        calls: [{ id, name: "call_tool", args: { name: "mcp__fake__issue_7", arguments: args } }],
      });
      const talk = await stage.open(
        [
          { calls: [{ id: "f-1", name: "find_tool", args: { query: "issue" } }] },
          calling("m-1", ["x"]),
          { text: "ok" },
        ],
        "plan",
      );
      talk.options = { mcp: [{ name: "fake", url: server.url, tools }] };
      server.calls.splice(0);
      await talk.say("Plan it.");
      const found = talk.result("find_tool").content.match(/issue_\d+(?=")/g);
      expect([...new Set(found)]).toEqual(["issue_7"]);
      expect(talk.result("call_tool").content).toContain("the arguments have to be a JSON object");
      expect(server.calls).toEqual([]);
    });
  });
}
