import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeMcp, startMcpServer } from "../../fakes/mcp-server.ts";
import { type Conversation, dataOf } from "../../harness/conversation.ts";
import { gate } from "../../harness/gate.ts";
import { collect, eventsOf, postTurn, type Target } from "../../harness/sse.ts";
import type { ResumeStage } from "./stage.ts";
import { stop } from "./turn-requests.ts";

const name = "mcp__fake__post";
const calling = { calls: [{ id: "m-1", name, args: { text: "hi" } }] };

/** A call of an MCP server is sent once, whoever dies in between. */
export function describeMcpCalls(stage: ResumeStage): void {
  describe("a call of an MCP server", () => {
    let server: FakeMcp;
    beforeAll(async () => {
      server = await startMcpServer();
    });
    afterAll(() => server.close());

    /** Sets the tool `post` up; `held`: resolves when it is called. Its answer waits for `let go`. */
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

    test("that was under way when the edge died is unknown to the model, and is not sent again", async () => {
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

    test("that was answered is journaled before the model goes on", async () => {
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

    test("ends with a stop, which says that it may have run", async () => {
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
