// The model's context and its cost: the repository's instructions, windows, prices, limits.
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import type { AssistantMessage, EventMessage } from "../../../shared/message.ts";
import type { ScriptedCall } from "../../fakes/model-reply.ts";
import { Conversation, dataOf, names } from "../../harness/conversation.ts";
import type { Stage } from "./stage.ts";

const write = (path: string, content: string): ScriptedCall => ({
  name: "write_file",
  args: { path, content, base: null },
});
const sent = (stage: Stage): string => JSON.stringify(stage.model().requests.at(-1)?.body.messages);
const rules = (talk: Conversation): EventMessage[] =>
  talk.messages.filter(
    (message): message is EventMessage =>
      message.role === "event" && message.extra.event.source === "project_instructions",
  );
const answers = (talk: Conversation): AssistantMessage[] =>
  talk.messages.filter((message): message is AssistantMessage => message.role === "assistant");

export function describeContext(stage: Stage): void {
  describe("project instructions", () => {
    /** A new conversation in a workspace that has `files`. */
    async function within(files: Record<string, string>): Promise<Conversation> {
      const before = await stage.open([
        { calls: Object.entries(files).map(([path, content]) => write(path, content)) },
        { text: "written" },
      ]);
      await before.say("Write them");
      return new Conversation(before.target, before.sandboxId);
    }

    test("are read at the start, as data, once; a copy under the other name is not shown twice", async () => {
      const talk = await within({ "AGENTS.md": "Use tabs <b>", "CLAUDE.md": "Use tabs <b>" });
      stage.model().play([{ text: "ok" }]);
      await talk.say("Hello");
      await talk.say("Again");
      expect(rules(talk)).toHaveLength(1);
      expect(rules(talk)[0]?.content).toMatch(/^Read AGENTS\.md, CLAUDE\.md: .*data of the repository/);
      expect(sent(stage).split("Use tabs <b>")).toHaveLength(2);
      expect(stage.model().requests.at(-1)?.body.messages[0]?.content).not.toContain("Use tabs");
    });

    test("changes by others to files that were read are reported once, before the model builds on them", async () => {
      const read = (path: string) => ({ name: "read_file", args: { path } });
      const talk = await stage.open([
        { calls: [read("package.json"), write("own.txt", "x\n")] },
        { text: "ok" },
      ]);
      await talk.say("Look");
      const other = new Conversation(talk.target, talk.sandboxId);
      const changing = { command: "echo '{}' > package.json" };
      stage.model().play([{ calls: [{ name: "run_command", args: changing }] }, { text: "ok" }]);
      await other.turn({ type: "message", text: "Change it" });
      const open = other.events.findLast(({ event }) => event === "permission");
      if (open?.event === "permission") {
        stage.model().play([{ text: "ok" }]);
        await other.turn({ type: "permit", toolCallId: open.data.toolCallId, decision: "once" });
      }
      stage.model().play([{ text: "ok" }, { text: "ok" }]);
      await talk.say("Go on");
      expect(sent(stage)).toContain("Changed since you last saw them");
      expect(sent(stage)).toMatch(/session: package\.json \(now @v\d+\)\./);
      await talk.say("And on");
      expect(sent(stage).split("Changed since you last saw them")).toHaveLength(2);
    });

    test("that are too long say so, and say how to read the rest", async () => {
      const talk = await within({ "AGENTS.md": "Be brief in every word.\n".repeat(1_000) });
      stage.model().play([{ text: "ok" }]);
      await talk.say("Hello");
      expect(rules(talk)[0]?.content.length).toBeLessThan(6_400);
      expect(rules(talk)[0]?.content).toMatch(
        /\[… truncated: \d+ bytes left out; read AGENTS\.md for the rest …\]/,
      );
    });

    test("of a folder are shown when a file beneath it is first touched, the nearest first", async () => {
      const talk = await within({
        "AGENTS.md": "root rules",
        "a/AGENTS.md": "rules of a",
        "a/b/CLAUDE.md": "rules of b",
        "a/b/x.js": "1",
        "other/AGENTS.md": "rules of other",
      });
      const read = (path: string) => ({ name: "read_file", args: { path } });
      stage
        .model()
        .play([
          { calls: [read("package.json"), read("./a/b/x.js"), read("a/b/x.js")] },
          { calls: [read("a/b/x.js")] },
          { text: "done" },
        ]);
      await talk.say("Look");
      const [start, nested, ...more] = rules(talk).map(({ content }) => content);
      expect(more).toEqual([]);
      expect(start).toContain("root rules");
      expect(start).toContain("a/AGENTS.md, a/b/CLAUDE.md, other/AGENTS.md");
      expect(start).not.toContain("rules of");
      expect(nested).toMatch(/rules of b[\s\S]*rules of a/);
      expect(nested).not.toContain("rules of other");
      // A hidden message never comes between a call and its results.
      const roles = stage
        .model()
        .requests.at(-1)
        ?.body.messages.map(({ role }) => role);
      expect(roles?.join(" ")).toContain("assistant tool tool tool user assistant tool");
    });

    test("that do not exist cost nothing", async () => {
      const talk = await stage.open([{ text: "ok" }]);
      await talk.say("Hello");
      expect(rules(talk)).toEqual([]);
    });
  });

  test("the scan of a large repository stays under 1,500 tokens and says how its tests are run", async () => {
    const before = await stage.open([
      {
        calls: [
          {
            name: "run_command",
            args: {
              command: "mkdir -p 日本語 && for n in $(seq 200); do touch f-$n-0x$n$n.spec.ts 日本語/$n; done",
            },
          },
          write("go.mod", "module example.com/x\n".repeat(200)),
        ],
      },
      { text: "made" },
    ]);
    await before.say("Make files");
    const talk = new Conversation(before.target, before.sandboxId, "plan");
    stage.model().play([{ text: "ok" }]);
    await talk.say("Plan it");
    const scan = talk.messages.find(
      (message) => message.role === "event" && message.extra.event.source === "context_scan",
    );
    const content = scan?.content ?? "";
    expect(encode(content).length).toBeLessThan(1_500);
    expect(encode(content).length).toBeGreaterThan(600);
    expect(content).toMatch(
      /Files to depth 2:[\s\S]*cut[\s\S]*git status:[\s\S]*package\.json:[\s\S]*"test":/,
    );
    expect(content).not.toMatch(/^\d+[a-z]{3}\|/m);
  });

  test("an answer of 40 KB is cut where its result would be too long, says so, and the session continues", async () => {
    const question = { id: "q", label: "Text", prompt: "Which?", type: "free_text" };
    const talk = await stage.open([
      { calls: [{ id: "ask-1", name: "ask_user", args: { summary: "One thing.", questions: [question] } }] },
      { text: "thanks" },
    ]);
    await talk.say("Ask me");
    const { toolCallId } = dataOf(talk.events, "questions");
    const raw = "日本".repeat(7_000);
    await talk.turn({ type: "answers", toolCallId, answers: [{ id: "q", raw }], run: false });
    expect(Buffer.byteLength(talk.result("ask_user").content)).toBeLessThanOrEqual(16_384);
    expect(talk.result("ask_user").content).toMatch(/\d+ bytes .*cut/);
    expect(dataOf(await talk.say("And?"), "turn.done").reason).toBe("stop");
  });

  describe("a window that is smaller than configured", () => {
    const large = { calls: [{ name: "run_command", args: { command: "seq 1 9000" } }] };
    const refusal = {
      status: 400,
      body: { error: { code: "context_length_exceeded", message: "maximum context length is 12000 tokens" } },
    };

    test("is discovered: the prompt is trimmed harder and sent once more, and the size is remembered", async () => {
      const talk = await stage.open([large, large, large, refusal, { text: "done" }]);
      const events = await talk.say("Count");
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      const [refused, again] = stage.model().requests.slice(-2);
      expect(JSON.stringify(again?.body).length).toBeLessThan(0.8 * JSON.stringify(refused?.body).length);
      expect(answers(talk).at(-1)).toMatchObject({
        calibration: { window: 12_000 },
        trimmed: expect.any(Number),
      });
      stage.model().play([{ text: "more" }]);
      const asked = stage.model().requests.length;
      await talk.say("And now?");
      expect(stage.model().requests).toHaveLength(asked + 1);
      expect(dataOf(talk.events, "context")).toMatchObject({ budget: 9_600 });
    });

    test("is an error with a message after the second refusal", async () => {
      const talk = await stage.open([large, large, large, refusal]);
      const asked = stage.model().requests.length;
      const events = await talk.say("Count");
      expect(stage.model().requests).toHaveLength(asked + 5);
      expect(dataOf(events, "turn.failed").error).toMatchObject({
        code: "model_error",
        details: { reason: "context_length" },
      });
    });

    const tooLong = { status: 400, body: { error: { code: "context_length_exceeded", message: "no" } } };

    test("that is not configured is learned from a refusal: the next turn begins with less", async () => {
      const talk = await stage.open([large, large, large, { text: "Counted." }]);
      await talk.say("Count");
      let refusals = 0;
      stage.model().play((body) => {
        if (JSON.stringify(body).length < 18_000) return { text: "At last." };
        refusals += 1;
        return tooLong;
      });
      expect(dataOf(await talk.say("And now?"), "turn.done").reason).toBe("stop");
      expect(refusals).toBe(1);
      // The answer records it too.
      expect(dataOf(await talk.say("Still there?"), "turn.done").reason).toBe("stop");
      expect(refusals).toBe(1);
    });

    test("that refuses the shorter prompt too ends the turn with a message and what was learned", async () => {
      const talk = await stage.open([large, large, large, { text: "Counted." }]);
      await talk.say("Count");
      const sizes: number[] = [];
      stage.model().play((body) => {
        sizes.push(JSON.stringify(body).length);
        return tooLong;
      });
      const failed = await talk.say("And now?");
      expect(dataOf(failed, "turn.failed").error.details).toMatchObject({ reason: "context_length" });
      expect(talk.messages.at(-1)).toMatchObject({
        role: "event",
        extra: { event: { subkind: "system_notice" } },
      });
      expect(sizes).toHaveLength(2);
      expect(sizes[1]).toBeLessThan(sizes[0] ?? 0);
    });
  });

  describe("the usage of an answer", () => {
    const priced = { model: { provider: "priced", id: "scripted" } };
    const look = { calls: [{ name: "list_files", args: {} }] };

    test("is in its message, with its price where one is known", async () => {
      const usage = {
        prompt_tokens: 1_000,
        completion_tokens: 10,
        prompt_tokens_details: { cached_tokens: 400 },
      };
      const talk = await stage.open([{ text: "one", usage }]);
      await talk.say("Hello");
      await talk.turn({ type: "message", text: "Again" }, priced);
      const used = { inputTokens: 1_000, outputTokens: 10, cachedTokens: 400 };
      expect(answers(talk).map((message) => message.usage)).toEqual([used, { ...used, cost: 0.65 }]);
    });

    test("is estimated where the provider counts nothing", async () => {
      const talk = await stage.open([{ text: "one", usage: null }]);
      await talk.turn({ type: "message", text: "Hello" }, priced);
      expect(answers(talk)[0]?.usage).toMatchObject({
        estimated: true,
        outputTokens: 1,
        cost: expect.any(Number),
      });
    });

    test("ends the turn before a request that would exceed the spending limit; with more left the turn continues", async () => {
      const talk = await stage.open([look, look, look, { text: "done" }]);
      const options = { spendLimit: 0.2 };
      const asked = stage.model().requests.length;
      const events = await talk.turn({ type: "message", text: "Look" }, { ...priced, options });
      expect(stage.model().requests).toHaveLength(asked);
      expect(names(events).at(-1)).toBe("turn.failed");
      expect(dataOf(events, "turn.failed").error).toMatchObject({
        code: "rate_limited",
        message: expect.stringMatching(/would exceed the spending limit.* \$0\.20 is left.*Settings/),
        details: { reason: "spend_limit", spent: 0, limit: 0.2, next: expect.any(Number) },
      });
      const rest = await talk.turn({ type: "continue" }, { ...priced, options: { spendLimit: 5 } });
      expect(dataOf(rest, "turn.done").reason).toBe("stop");
    });

    test("with nothing left no model is asked", async () => {
      const talk = await stage.open([{ text: "one" }]);
      const asked = stage.model().requests.length;
      const events = await talk.turn(
        { type: "message", text: "Hi" },
        { ...priced, options: { spendLimit: 0 } },
      );
      expect(names(events).at(-1)).toBe("turn.failed");
      expect(stage.model().requests).toHaveLength(asked);
    });
  });
}
