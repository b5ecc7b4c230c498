// Two phones on one session that have different MCP servers of one name.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { McpToolList } from "../../../shared/mcp.ts";
import { type FakeMcp, startMcpServer } from "../../fakes/mcp-server.ts";
import { dataOf } from "../../harness/conversation.ts";
import { ask, post } from "../http/request.ts";
import type { Stage } from "./stage.ts";

export function describeMcpTwoPhones(stage: Stage): void {
  describe("two phones with different mcp servers of one name", () => {
    let servers: FakeMcp[];
    beforeAll(async () => {
      servers = await Promise.all([startMcpServer(), startMcpServer()]);
      for (const server of servers) server.tools = [{ name: "drop" }];
    });
    afterAll(() => Promise.all(servers.map((server) => server.close())));

    test("a permission counts for the server that it was asked for; the other phone is asked about its own", async () => {
      const called = () => servers.map(({ calls }) => calls);
      const optionsOf = async (server: FakeMcp | undefined, use: "asked" | "allowed") => {
        const place = { name: "db", url: server?.url };
        const { json } = await ask(stage.product(), "/api/mcp/tools", post(place));
        return {
          mcp: [{ ...place, tools: McpToolList.parse(json).tools.map((tool) => ({ ...tool, use })) }],
        };
      };
      const call = { id: "m-1", name: "mcp__db__drop", args: {} };
      const talk = await stage.open([{ calls: [call] }, { text: "done" }]);
      talk.options = await optionsOf(servers[0], "asked");
      expect(dataOf(await talk.say("Go."), "permission").why).toContain(servers[0]?.url);
      talk.options = await optionsOf(servers[1], "allowed");
      const permit = { type: "permit", toolCallId: "m-1", decision: "once" } as const;
      expect(dataOf(await talk.turn(permit), "permission").why).toContain(servers[1]?.url);
      expect(called()).toEqual([[], []]);
      await talk.turn(permit);
      expect(called()).toEqual([[], ["drop"]]);
    });
  });
}
