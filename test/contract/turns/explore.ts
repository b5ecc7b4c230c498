// Helpers that read for the model: what they read stays with them, and only their report is returned.
import { describe, expect, test } from "vitest";
import { isEventOf } from "../../../shared/session/history.ts";
import { usageOf } from "../../../shared/session/spending.ts";
import type { RequestBody } from "../../fakes/model-server.ts";
import { type Conversation, dataOf } from "../../harness/conversation.ts";
import { postTurn } from "../../harness/sse.ts";
import type { Stage } from "./stage.ts";

const send = (task: string, id = "x1") => ({ id, name: "explore", args: { task } });
const read = { name: "read_file", args: { path: "src/gateway.js" } };

/** A helper is recognized by its system message, which differs from that of the turn's own model. */
export const isHelper = ({ messages }: RequestBody): boolean =>
  String(messages[0]?.content).startsWith("You look around");

export function describeExplore(stage: Stage): void {
  const helping = async (
    script: Parameters<Stage["open"]>[0],
    explore: object = {},
  ): Promise<Conversation> => {
    const talk = await stage.open(script);
    talk.options = { explore };
    return talk;
  };
  const bodies = () => stage.model().requests.map(({ body }) => body);
  const rounds = (talk: Conversation) => talk.messages.filter((message) => isEventOf(message, "explore"));

  describe("explore", () => {
    test("a helper reads in a context of its own, and only its report reaches the model", async () => {
      const talk = await helping([
        { calls: [send("Where are requests signed?")] },
        { calls: [read, { name: "search_files", args: { pattern: "sign" } }] },
        { text: "Requests are signed in src/gateway.js:3." },
        { text: "It is in the gateway." },
      ]);
      const events = await talk.say("Find it");
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect(talk.result("explore")).toMatchObject({
        ok: true,
        content: "Requests are signed in src/gateway.js:3.",
      });
      const [first, second] = bodies().slice(-3).filter(isHelper);
      expect(first?.messages.at(-1)?.content).toBe("Where are requests signed?");
      expect(first?.tools?.map(({ function: { name } }) => name)).toEqual([
        "read_file",
        "list_files",
        "search_files",
      ]);
      expect(JSON.stringify(second?.messages)).toContain("createGateway");
      expect(JSON.stringify(second?.messages)).not.toContain("Find it");
      const last = JSON.stringify(bodies().at(-1)?.messages);
      expect(last).toContain("Requests are signed in");
      expect(last).not.toContain("createGateway");
      // The helper's reads are reported round by round and counted in the turn's totals.
      expect(rounds(talk)).toHaveLength(2);
      expect(rounds(talk).map((message) => usageOf(message)?.inputTokens)).toEqual([100, 100]);
    });

    test("three run at once; a fourth call of the answer is told to wait", async () => {
      const tasks = ["one", "two", "three", "four"];
      const talk = await helping((body) => {
        if (isHelper(body)) return { text: `Looked at ${body.messages.at(-1)?.content}.` };
        return body.messages.some(({ role }) => role === "tool")
          ? { text: "Thanks." }
          : { calls: tasks.map((task) => send(task, task)) };
      });
      await talk.say("Find them");
      const said = talk.messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));
      expect(said.slice(0, 3)).toEqual(["Looked at one.", "Looked at two.", "Looked at three."]);
      expect(said[3]).toMatch(/at most 3 at once/);
      const asked = bodies().filter(isHelper);
      expect(asked.filter(({ messages }) => messages.at(-1)?.content === "four")).toEqual([]);
    });

    test("uses the model that the client names, counts its price, and refuses one that is not configured", async () => {
      const model = { provider: "priced", id: "scripted" };
      const talk = await helping([{ calls: [send("Look")] }, { text: "Nothing there." }, { text: "ok" }], {
        model,
      });
      await talk.say("Find it");
      expect(rounds(talk)[0]).toMatchObject({ extra: { event: { data: { model: "priced/scripted" } } } });
      expect(rounds(talk).map((message) => usageOf(message)?.cost)).toEqual([0.12]);
      talk.options = { explore: { model: { provider: "priced", id: "none" } } };
      const refused = await postTurn(stage.product(), talk.body({ type: "message", text: "Again" }));
      expect([refused.status, (await refused.json()).error.details.field]).toEqual([
        400,
        "options.explore.model.id",
      ]);
    });

    test("is not started where its request, with those already running, would exceed the spending limit", async () => {
      const model = { provider: "priced", id: "scripted" };
      let tasks = ["only"];
      const talk = await helping((body) => {
        if (isHelper(body)) return { text: `Looked at ${body.messages.at(-1)?.content}.` };
        return body.messages.at(-1)?.role === "tool"
          ? { text: "ok" }
          : { calls: tasks.map((task) => send(task, task)) };
      });
      const said = () =>
        talk.messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));
      const asked = bodies().length;
      talk.options = { explore: { model }, spendLimit: 0.01 };
      await talk.say("Find it");
      expect(bodies().slice(asked).filter(isHelper)).toEqual([]);
      const [, cost] =
        /would exceed the spending limit.*about \$([\d.]+), \$0\.01 is left/.exec(said()[0] ?? "") ?? [];
      // By that estimate, the limit is enough for one helper at a time.
      talk.options = { explore: { model }, spendLimit: Number(cost) * 1.5 };
      tasks = ["this", "that"];
      await talk.say("Find both");
      expect(said().slice(1)).toEqual([
        "Looked at this.",
        expect.stringContaining("would exceed the spending limit"),
      ]);
      expect(bodies().slice(asked).filter(isHelper)).toHaveLength(1);
    });

    test("changes nothing, reports at most 1,500 tokens, and its failures are reported", async () => {
      const write = { name: "write_file", args: { path: "x.txt", content: "x", base: null } };
      const talk = await helping([
        { calls: [send("Look")] },
        { calls: [write, { name: "run_command", args: { command: "echo x > y.txt" } }] },
        { text: "word ".repeat(5_000) },
        { calls: [send("Look again", "x2")] },
        { status: 400, body: { error: { message: "no" } } },
        { text: "ok" },
      ]);
      await talk.say("Find it");
      const [long, failed] = talk.messages.filter(
        (message) => message.role === "tool" && message.name === "explore",
      );
      expect(long?.content.length).toBeLessThan(5_400);
      expect(long?.content).toMatch(/cut: a report has at most 1,500 tokens/);
      expect(failed).toMatchObject({ ok: false, content: expect.stringContaining("could not continue") });
      expect(await stage.file(talk, "x.txt")).toBeUndefined();
      expect(await stage.file(talk, "y.txt")).toBeUndefined();
    });

    test("is not offered to a client that did not ask for it", async () => {
      const talk = await stage.open([{ calls: [send("Look")] }, { text: "ok" }]);
      await talk.say("Find it");
      expect(talk.result("explore").content).toMatch(/no helpers here/);
      expect(
        bodies()
          .at(-1)
          ?.tools?.map(({ function: { name } }) => name),
      ).not.toContain("explore");
    });
  });
}
