import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { McpToolList } from "../../../shared/mcp.ts";
import { type FakeMcp, startMcpServer } from "../../fakes/mcp-server.ts";
import { type Conversation, dataOf } from "../../harness/conversation.ts";
import { gate } from "../../harness/gate.ts";
import { collect, eventsOf, postTurn, type Target } from "../../harness/sse.ts";
import { until } from "../../sandbox/running-server.ts";
import { ask, post } from "../http/request.ts";
import { placing } from "../turns/mcp-programs.ts";
import type { ResumeStage } from "./stage.ts";
import { stop } from "./turn-requests.ts";

const name = "mcp__fake__post";
const calling = { calls: [{ id: "m-1", name, args: { text: "hi" } }] };

/** A call of an MCP server is sent once, whichever process dies meanwhile. */
export function describeMcpCalls(stage: ResumeStage): void {
  describe("a call of an MCP server", () => {
    let server: FakeMcp;
    beforeAll(async () => {
      server = await startMcpServer();
    });
    afterAll(() => server.close());

    /**
     * Sets up the tool `post`. `held` resolves when it is called, and its answer waits until the test lets it
     * go.
     */
    const begin = async () => {
      const [called, goes] = [gate(), gate()];
      Object.assign(server, { calls: [], onCall: called.open });
      server.tools = [{ name: "post", description: "Does post.", gives: "posted", waits: goes.passed }];
      const talk = await stage.open([calling, { text: "done" }]);
      const tool = {
        name: "post",
        description: "Does post.",
        inputSchema: { type: "object", properties: {} },
      };
      talk.options = { mcp: [{ name: "fake", url: server.url, tools: [{ ...tool, use: "allowed" }] }] };
      return { talk, body: talk.body({ type: "message", text: "Post it." }), called: called.passed, goes };
    };
    const again = async (talk: Conversation, body: ReturnType<Conversation["body"]>, at: Target) => {
      const events = await collect(eventsOf(await postTurn(at, { ...body, attempt: 2 })));
      for (const event of events) talk.keep(event);
      return events;
    };

    test("that was running when the edge died is unknown to the model, and is not sent again", async () => {
      const { talk, body, called } = await begin();
      const doomed = await stage.another();
      const seen = collect(eventsOf(await postTurn(doomed, body))).catch(() => []);
      await called;
      await doomed.kill("SIGKILL");
      await seen;
      stage.model().play([{ text: "I will look first." }]);
      const events = await again(talk, body, stage.product());
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect(talk.result(name)).toMatchObject({ ok: false, meta: { facts: { code: "outcome_unknown" } } });
      expect(talk.result(name).content).toContain("it is not sent again");
      expect(server.calls).toEqual(["post"]);
    });

    test("that was answered is journaled before the next model request", { tags: "long" }, async () => {
      const { talk, body, goes } = await begin();
      goes.open();
      stage.model().play([calling, { hang: true }]);
      const before = stage.model().requests.length;
      const doomed = await stage.another();
      const seen = collect(eventsOf(await postTurn(doomed, body))).catch(() => []);
      await stage.model().request(before + 2);
      await doomed.kill("SIGKILL");
      await seen;
      stage.model().play([{ text: "done" }]);
      await again(talk, body, stage.product());
      expect(talk.result(name)).toMatchObject({ ok: true, content: expect.stringContaining("posted") });
      expect(server.calls).toEqual(["post"]);
    });

    test("ends with a stop, which says that the call may have run", async () => {
      const { talk, body, called } = await begin();
      const response = await postTurn(stage.product(), body);
      const seen = collect(eventsOf(response));
      await called;
      expect((await stop(stage.product(), body)).status).toBe(202);
      for (const event of await seen) talk.keep(event);
      expect(dataOf(talk.events, "turn.done").reason).toBe("stopped");
      expect(talk.result(name).content).toContain("stopped while it ran");
      expect(server.calls).toEqual(["post"]);
    });
  });
}

/**
 * The same for a call of a program in the sandbox, whose output the sandbox stores like that of any command.
 */
export function describeMcpProgramCalls(stage: ResumeStage): void {
  describe("a call of an MCP server that is a program", () => {
    const command = "node small-mcp.mjs";
    const waiting = { calls: [{ id: "m-1", name: "mcp__small__wait", args: {} }] };
    /** A turn that has called `wait`, which answers once the stage says `go`. */
    const begin = async (at: Target) => {
      const talk = await stage.open([placing({ tools: [{ name: "wait", does: "wait" }] }), { text: "ok" }]);
      await talk.say("Write it.");
      const { sandboxId } = talk;
      // Some guests have no jail, and nothing can start read-only in them.
      const asked = post({ name: "small", command, sandboxId, write: true });
      const { tools } = McpToolList.parse((await ask(stage.product(), "/api/mcp/tools", asked)).json);
      const used = tools.map((tool) => ({ ...tool, use: "allowed" }));
      talk.options = { mcp: [{ name: "small", command, tools: used }] };
      stage.model().play([waiting, { text: "done" }]);
      const body = talk.body({ type: "message", text: "Go." });
      const seen = collect(eventsOf(await postTurn(at, body))).catch(() => []);
      await until(async () => (await stage.file(talk, "mcp-calls.txt")) !== undefined);
      return { talk, body, seen };
    };

    test("continues while the edge dies, and is answered to the next one, once", {
      tags: "long",
    }, async () => {
      const doomed = await stage.another();
      const { talk, body, seen } = await begin(doomed);
      await doomed.kill("SIGKILL");
      await seen;
      await stage.go(talk.sandboxId);
      stage.model().play([{ text: "done" }]);
      for await (const event of eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 })))
        talk.keep(event);
      expect(talk.result("mcp__small__wait")).toMatchObject({
        ...{ ok: true, content: expect.stringContaining("waited") },
      });
      expect(await stage.file(talk, "mcp-calls.txt")).toBe("wait\n");
    });

    test("ends with a stop, which says that the call may have run", async () => {
      const { talk, body, seen } = await begin(stage.product());
      expect((await stop(stage.product(), body)).status).toBe(202);
      for (const event of await seen) talk.keep(event);
      expect(dataOf(talk.events, "turn.done").reason).toBe("stopped");
      expect(talk.result("mcp__small__wait")).toMatchObject({
        ...{ ok: false, content: expect.stringContaining("stopped while it ran") },
      });
      expect(await stage.file(talk, "mcp-calls.txt")).toBe("wait\n");
    });
  });
}
