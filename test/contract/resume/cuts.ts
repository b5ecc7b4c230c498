// A turn with everything that has an effect: hooks, a helper, calls of MCP servers over HTTP and in the
// sandbox, a change.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import { HooksState } from "../../../shared/hooks.ts";
import { McpToolList } from "../../../shared/mcp.ts";
import { type FakeMcp, startMcpServer } from "../../fakes/mcp-server.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import type { RequestBody } from "../../fakes/model-server.ts";
import { type Conversation, dataOf, durable } from "../../harness/conversation.ts";
import { spread } from "../../harness/runs.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import { ask, post } from "../http/request.ts";
import { isHelper } from "../turns/explore.ts";
import { placing } from "../turns/mcp-programs.ts";
import { noticesOf, setPlan, step, write } from "../turns/plan-script.ts";
import type { ResumeStage } from "./stage.ts";

const times = ["beforeTurn", "beforeStep", "beforeChange", "afterChange", "afterStep", "afterTurn"];
/** The last hook fails, so that the model continues and the turn ends a second time. */
const hooks = Object.fromEntries(
  times.map((when) => [when, [`echo ${when} >> hooks.log${when === "afterTurn" ? "; exit 1" : ""}`]]),
);
const called = (id: string, name: string, args: Record<string, unknown>) => ({ calls: [{ id, name, args }] });
const script: ModelReply[] = [
  { calls: [setPlan("Write a note", [{ id: "s1", description: "Write it" }])] },
  called("x-1", "explore", { task: "Look" }),
  called("m-1", "mcp__small__echo", {}),
  called("m-2", "mcp__fake__post", {}),
  { calls: [write("note.txt")] },
  { calls: [step("s1", "done", "written")] },
  { text: "done" },
  { text: "seen" },
];
const helps: ModelReply[] = [
  { calls: [{ name: "read_file", args: { path: "src/gateway.js" } }] },
  { text: "The gateway is there." },
];

/** The edge is killed between any two effects of a turn: nothing runs twice, and nothing is left out. */
export function describeCuts(stage: ResumeStage): void {
  describe("an edge that dies between two requests to the sandbox", () => {
    let server: FakeMcp;
    beforeAll(async () => {
      server = await startMcpServer([{ name: "post", gives: "posted" }]);
    });
    afterAll(() => server.close());

    /** A turn that is ready to be posted, in a project with allowed hooks. */
    const begin = async (opened: Promise<Conversation>) => {
      const config = write(".handrail/config.json", JSON.stringify({ hooks }));
      const program = placing({ tools: [{ name: "echo" }] });
      const talk = await opened;
      stage.model().play([{ calls: [config] }, program, { text: "ready" }]);
      await talk.say("Write it.");
      const { sandboxId } = talk;
      const { json } = await ask(stage.product(), `/api/sandboxes/${sandboxId}/hooks`);
      talk.options = { hooks: true };
      await talk.turn({ type: "hooks", hash: HooksState.parse(json).hash });
      const listed = async (place: object) => {
        const { json } = await ask(stage.product(), "/api/mcp/tools", post(place));
        return McpToolList.parse(json).tools.map((tool) => ({ ...tool, use: "allowed" }));
      };
      const small = { name: "small", command: "node small-mcp.mjs" };
      const fake = { name: "fake", url: server.url };
      const mcp = [
        { ...small, tools: await listed({ ...small, sandboxId, write: true }) },
        { ...fake, tools: await listed(fake) },
      ];
      talk.options = { hooks: true, explore: {}, mcp };
      talk.mode = "auto";
      const before = answersIn(talk);
      stage.model().play((body) => {
        const [said, from] = isHelper(body) ? [helps, 0] : [script, before];
        return said[assistantsIn(body) - from] ?? { text: "beyond the script" };
      });
      server.calls = [];
      return { talk, body: talk.body({ type: "message", text: "Go." }) };
    };
    const judge = async (talk: Conversation, where: string) => {
      expect(dataOf(talk.events, "turn.done").reason, where).toBe("stop");
      expect(await stage.file(talk, "hooks.log"), where).toBe(`${[...times, "afterTurn"].join("\n")}\n`);
      expect(noticesOf(talk, "hook"), where).toHaveLength(2);
      expect(await stage.file(talk, "mcp-calls.txt"), where).toBe("echo\n");
      expect(talk.result("mcp__small__echo").ok, where).toBe(true);
      expect(talk.result("write_file").ok, where).toBe(true);
      expect(talk.result("explore").content, where).toBe("The gateway is there.");
      expect(talk.plan?.steps, where).toMatchObject([{ status: "done" }]);
      const posted = talk.result("mcp__fake__post");
      if (posted.ok) expect(server.calls, where).toEqual(["post"]);
      else {
        expect(posted.meta?.facts, where).toMatchObject({ code: "outcome_unknown" });
        expect(server.calls.length, where).toBeLessThanOrEqual(1);
      }
      return posted.ok;
    };

    /** A sandbox and the edge that is killed: both take seconds to start, so the next ones start during a cut. */
    const prepare = () => {
      const made = { opened: stage.openSandbox(), starting: stage.another() };
      // The code that awaits these promises reports their errors.
      for (const one of [made.opened, made.starting]) one.catch(() => undefined);
      return made;
    };

    test("has run each hook and each call once when another edge has finished the turn", {
      tags: "seeds",
      // All cuts in real containers: three seconds each on a quiet machine, fifteen on a busy one.
      timeout: 900_000,
    }, async ({ signal, onTestFinished }) => {
      const whole = await begin(stage.openSandbox());
      const part = (talk: Conversation) => `/${talk.sandboxId}/`;
      const posts = (talk: Conversation) =>
        stage.wire().requests.filter((one) => one.startsWith("POST") && one.includes(part(talk))).length;
      const [asked, sent] = [stage.model().requests.length, posts(whole.talk)];
      for await (const event of eventsOf(await postTurn(stage.product(), whole.body))) whole.talk.keep(event);
      expect(await judge(whole.talk, "uncut")).toBe(true);
      const answers = stage.model().requests.length - asked;
      expect(answers).toBe(script.length + helps.length);
      const cuts = Array.from({ length: posts(whole.talk) - sent }, (_, n) => n + 1);
      const all = (["after", "before"] as const).flatMap((when) => cuts.map((n) => [n, when] as const));
      let unknown = 0;
      let next = prepare();
      onTestFinished(async () => (await next.starting.catch(() => undefined))?.kill("SIGKILL"));
      for (const [n, when] of spread(all, 2, 6)) {
        // A test that ran out of time would disturb those after it: they share the model and the wire.
        signal.throwIfAborted();
        const where = `cut ${when} ${n} of ${cuts.length}`;
        const { opened, starting } = next;
        const { talk, body } = await begin(opened);
        const doomed = await starting;
        next = prepare();
        const before = stage.model().requests.length;
        const reached = stage.wire().cutAt(n, when, part(talk));
        const seen: TurnEvent[] = [];
        const reading = (async () => {
          for await (const event of eventsOf(await postTurn(doomed, body))) seen.push(event);
        })().catch(() => undefined);
        await reached;
        await doomed.kill("SIGKILL");
        await reading;
        stage.wire().mend();
        const again = await collect(eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 })));
        for (const event of again) talk.keep(event);
        const told = durable(seen);
        expect(durable(again).slice(0, told.length), where).toEqual(told);
        if (!(await judge(talk, where))) unknown += 1;
        // Only an answer that was not in the journal yet is requested again.
        expect(stage.model().requests.length - before - answers, where).toBeLessThanOrEqual(1);
      }
      // A call's outcome is unknown only between its mark and its result.
      expect(unknown).toBeLessThanOrEqual(2);
    });
  });
}

const assistantsIn = ({ messages }: RequestBody) =>
  messages.filter(({ role }) => role === "assistant").length;
const answersIn = ({ messages }: Conversation) => messages.filter(({ role }) => role === "assistant").length;
