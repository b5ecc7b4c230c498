// Reasoning that is sent back to the model that wrote it, over HTTP, to providers that refuse a history
// without it.
import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import type { ModelScript, RequestBody } from "../../fakes/model-server.ts";
import { type StrictThinking, strictThinking } from "../../fakes/strict-thinking.ts";
import { type Conversation, dataOf } from "../../harness/conversation.ts";
import { postTurn } from "../../harness/sse.ts";
import type { Stage } from "./stage.ts";

const look = { name: "list_files", args: {} };
const other = { provider: "priced", id: "scripted" };

/** Two answers with a call, then words, each with its own reasoning. */
const rounds = (n: number, extra: Partial<ModelReply> = {}): ModelReply =>
  n % 3 === 0
    ? { reasoning: `thought ${n}`, text: `answer ${n}` }
    : { reasoning: `thought ${n}`, calls: [{ ...look, id: `call${n}` }], ...extra };

/** Plays `reply` by the number of answers so far, if `provider` accepts the history. */
function strict(provider: StrictThinking, reply: (n: number) => ModelReply): ModelScript & object {
  let answers = 0;
  return (body: RequestBody) => {
    const problem = strictThinking[provider](body);
    if (problem) return { status: 400, body: { error: { message: problem, type: "invalid_request_error" } } };
    answers += 1;
    return reply(answers);
  };
}

export function describeThinking(stage: Stage): void {
  describe("reasoning", () => {
    test("the effort that a turn asks for is sent to the provider, and with no other turn", async () => {
      const talk = await stage.open([{ text: "ok" }, { text: "ok" }]);
      const effort = () => stage.model().requests.at(-1)?.body.reasoning_effort;
      await talk.turn({ type: "message", text: "Think" }, { options: { effort: "high" } });
      expect(effort()).toBe("high");
      await talk.say("Do");
      expect(effort()).toBeUndefined();
      const bad = talk.body({ type: "message", text: "x" }, { options: { effort: "as much as it can" } });
      expect((await postTurn(stage.product(), bad)).status).toBe(400);
    });

    const last = () => stage.model().requests.at(-1)?.body.messages ?? [];
    const reasoningSent = () =>
      last().flatMap((message) => (message.role === "assistant" ? [message.reasoning_content] : []));
    const reasons = (talk: Conversation) => dataOf(talk.events, "turn.done").reason;

    test.each(["deepseek", "moonshot"] as const)(
      "is sent back to %s with every answer of a turn with calls, without one refusal",
      async (provider) => {
        const talk = await stage.open(strict(provider, rounds));
        const before = stage.model().requests.length;
        await talk.say("one");
        await talk.say("two");
        expect(reasons(talk)).toBe("stop");
        expect(stage.model().requests.length - before).toBe(6);
        expect(reasoningSent()).toEqual(["thought 1", "thought 2", "thought 3", "thought 4", "thought 5"]);
      },
    );

    test("of a turn without calls is not sent back", async () => {
      const talk = await stage.open([{ reasoning: "hm", text: "yes" }]);
      await talk.say("one");
      await talk.say("two");
      expect(reasoningSent()).toEqual([undefined]);
    });

    test("that was empty is sent back empty", async () => {
      const empty = { choices: [{ index: 0, delta: { reasoning_content: "" } }] };
      const call = { index: 0, id: "a", function: { name: "list_files", arguments: "{}" } };
      const calls = { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] };
      const talk = await stage.open([{ chunks: [empty, calls] }, { text: "done" }]);
      await talk.say("one");
      expect(reasoningSent()).toEqual([""]);
    });

    test("of another model is not sent; a placeholder replaces what a provider requires", async () => {
      const talk = await stage.open((_, n) => rounds(n));
      await talk.say("one");
      stage.model().play(strict("moonshot", rounds));
      await talk.turn({ type: "message", text: "two" }, { model: other });
      expect(reasons(talk)).toBe("stop");
      expect(reasoningSent()).toEqual([".", ".", ".", "thought 1", "thought 2"]);
      // The provider's rule is learned only once.
      const before = stage.model().requests.length;
      await talk.turn({ type: "message", text: "three" }, { model: other });
      expect(stage.model().requests.length - before).toBe(3);
    });

    test("that a provider refuses is left out", async () => {
      const talk = await stage.open(strict("groq", rounds));
      await talk.turn({ type: "message", text: "one" }, { model: { provider: "priced", id: "thinking" } });
      expect(reasons(talk)).toBe("stop");
      expect(reasoningSent()).toEqual([undefined, undefined]);
    });

    test("signatures of calls are sent back to Gemini, and a call without one gets Google's placeholder", async () => {
      const signed = (n: number) =>
        rounds(n, {
          calls: [{ ...look, id: `c${n}`, extra: { google: { thought_signature: `sig-${n}` } } }],
        });
      const talk = await stage.open(strict("gemini", signed));
      await talk.say("one");
      expect(reasons(talk)).toBe("stop");
      const signatures = () => last().flatMap(({ tool_calls }) => tool_calls?.[0]?.extra_content ?? []);
      expect(signatures()).toEqual([1, 2].map((n) => ({ google: { thought_signature: `sig-${n}` } })));
      await talk.turn({ type: "message", text: "two" }, { model: { provider: "priced", id: "thinking" } });
      expect(reasons(talk)).toBe("stop");
      expect(signatures()[0]).toEqual({ google: { thought_signature: "skip_thought_signature_validator" } });
    });

    test("details are sent back as one sequence, unmodified, and not if they hold a secret", async () => {
      const text = (words: string, more = {}) => ({ type: "reasoning.text", index: 0, text: words, ...more });
      const sealed = { type: "reasoning.encrypted", index: 1, data: "AAAAbbbb1234+/==", id: "rs_1" };
      const details = [text("I th"), text("ink.", { signature: "c2ln" }), sealed];
      const talk = await stage.open((_, n) =>
        n === 1
          ? { details, calls: [look] }
          : n === 2
            ? { details: [text("The key is AKIAIOSFODNN7EXAMPLQ.")], calls: [look] }
            : { text: "done" },
      );
      await talk.say("one");
      expect(last().flatMap(({ reasoning_details: sent }) => (sent ? [sent] : []))).toEqual([
        [text("I think.", { signature: "c2ln" }), sealed],
      ]);
      expect(JSON.stringify(talk.messages)).not.toContain("AKIAIOSFODNN7EXAMPLQ");
    });
  });
}
