import { describe, expect, test } from "vitest";
import { dataOf, names } from "../../harness/conversation.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import type { Stage } from "./stage.ts";

export function describeTalking(stage: Stage): void {
  describe("talking", () => {
    test("a text answer arrives whole, however the provider's stream is cut", async () => {
      const text = 'Grüße: 日本語, "quotes" and 🚏 survive.\nSecond line.';
      const talk = await stage.open([
        { text, fragments: "bytes", deltaChars: 1, quirks: { crlf: true, comments: true } },
      ]);
      const events = await talk.say("Hello");
      expect(names(events)).toEqual(["turn.started", "message", "message", "turn.done"]);
      expect(talk.messages.map(({ role, content }) => [role, content])).toEqual([
        ["user", "Hello"],
        ["assistant", text],
      ]);
      const deltas = events.flatMap((event) => (event.event === "text.delta" ? [event.data.delta] : []));
      expect(deltas.join("")).toBe(text);
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 1 });
    });

    test("an endless answer is cut at a million characters; what arrived is kept, and is what was streamed", async () => {
      const talk = await stage.open([{ text: "on and on ".repeat(130_000), deltaChars: 40_000 }]);
      const events = await talk.say("Go on");
      const [, answer] = talk.messages;
      expect(answer).toMatchObject({ role: "assistant", finish: "length" });
      expect(answer?.content.length).toBeGreaterThan(1_000_000);
      expect(answer?.content.length).toBeLessThan(1_100_000);
      const deltas = events.flatMap((event) => (event.event === "text.delta" ? [event.data.delta] : []));
      expect(deltas.join("") === answer?.content).toBe(true);
    });

    test("durable ids count 1, 2, 3 and no other event has one", async () => {
      const talk = await stage.open([{ calls: [{ name: "list_files", args: {} }] }, { text: "done" }]);
      const events = await talk.say("Look");
      expect(events.flatMap((event) => ("id" in event ? [event.id] : []))).toEqual(
        names(events).map((_, index) => index + 1),
      );
    });

    test("the system prompt is sent once, and the history grows from turn to turn", async () => {
      const talk = await stage.open([{ text: "one" }, { text: "two" }]);
      await talk.say("first");
      await talk.say("second");
      const { messages } = stage.model().requests.at(-1)?.body ?? { messages: [] };
      expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
      expect(messages.slice(1).map(({ content }) => content)).toEqual(["first", "one", "second"]);
    });

    test("hidden roles never reach a provider", async () => {
      const talk = await stage.open([{ text: "ok" }], "plan");
      await talk.say("Look around");
      const roles = new Set(
        stage.model().requests.flatMap(({ body }) => body.messages.map(({ role }) => role)),
      );
      expect([...roles].filter((role) => !["system", "user", "assistant", "tool"].includes(role))).toEqual(
        [],
      );
    });

    test("continue after a plain answer adds nothing to the history, and asks with one user message", async () => {
      const talk = await stage.open([{ text: "one" }, { text: "two" }]);
      await talk.say("first");
      await talk.turn({ type: "continue" });
      expect(talk.messages.map(({ content }) => content)).toEqual(["first", "one", "two"]);
      const { messages } = stage.model().requests.at(-1)?.body ?? { messages: [] };
      expect(messages.slice(1).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    });

    test("a model without native calls works through text, in the same history form", async () => {
      const fence = '```json\n{"tool":"read_file","args":{"path":"package.json"}}\n```';
      const talk = await stage.open([{ text: `Let me look.\n${fence}` }, { text: "Seen." }]);
      talk.options = { toolProtocol: "text" };
      const events = await talk.say("Look");
      expect(dataOf(events, "turn.started").toolProtocol).toBe("text");
      expect(talk.messages[1]).toMatchObject({ role: "assistant", toolCalls: [{ name: "read_file" }] });
      expect(talk.messages[1]?.content).not.toContain("```");
      const sent = stage.model().requests.at(-1)?.body;
      expect(sent?.tools).toBeUndefined();
      expect(sent?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
      expect(String(sent?.messages[2]?.content)).toContain('"tool":"read_file"');
      expect(String(sent?.messages[3]?.content)).toMatch(
        /^\[TOOL_RESULT read_file \S+ ok\][\s\S]*\[\/TOOL_RESULT\]/,
      );
    });

    test("a provider that refuses tools is asked again in text, in the same turn", async () => {
      const talk = await stage.open((body) =>
        body.tools
          ? { status: 400, body: { error: { message: "this model does not support tools" } } }
          : { text: "Works." },
      );
      const events = await talk.say("Hi");
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect(talk.messages.at(-1)?.content).toBe("Works.");
    });

    test("an endless answer is cut, and can be posted again with the history", async () => {
      const talk = await stage.open([{ text: "x".repeat(3_000_000), deltaChars: 200_000 }, { text: "ok" }]);
      await talk.say("Talk");
      expect(talk.messages.at(-1)).toMatchObject({ role: "assistant", finish: "length" });
      expect(talk.messages.at(-1)?.content.length).toBeLessThan(1_300_000);
    });

    test("a provider's 401 fails the turn with a message, and the input is kept", async () => {
      const talk = await stage.open([{ status: 401, body: { error: { message: "bad key" } } }]);
      const events = await talk.say("Hello");
      expect(names(events)).toEqual(["turn.started", "message", "turn.failed"]);
      expect(dataOf(events, "turn.failed").error).toMatchObject({
        requestId: expect.stringMatching(/\S/),
        code: "model_error",
        message: expect.stringContaining("OPENAI_API_KEY"),
      });
      stage.model().play([{ text: "now it works" }]);
      expect(names(await talk.turn({ type: "continue" }))).toEqual(["turn.started", "message", "turn.done"]);
      expect(talk.messages.map(({ content }) => content)).toEqual(["Hello", "now it works"]);
    });

    test("a person's own key is sent to the provider for that request", async () => {
      const talk = await stage.open([{ text: "ok" }]);
      const response = await fetch(`${stage.product().url}/api/turn`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${stage.product().token}`,
          "content-type": "application/json",
          "x-model-key": "my-own-key",
        },
        body: JSON.stringify(talk.body({ type: "message", text: "hi" })),
      });
      await collect(eventsOf(response));
      expect(stage.model().requests.at(-1)?.headers.authorization).toBe("Bearer my-own-key");
    });

    test.each([
      ["an unknown field", { nonsense: 1 }],
      ["an unknown model", { model: { provider: "nobody", id: "x" } }],
      ["a writing tool among the read-only ones", { options: { readOnlyTools: ["edit_file"] } }],
      ["a call without its result", { messages: [user("u1"), assistant("a1", "read_file"), user("u2")] }],
      [
        "a result without its call",
        {
          messages: [
            user("u1"),
            { ...user("r1"), role: "tool" as const, toolCallId: "x", name: "read_file", ok: true },
          ],
        },
      ],
      [
        "an attachment that is not base64",
        {
          input: {
            type: "message",
            text: "x",
            attachments: [{ kind: "image", name: "a", mediaType: "image/png", data: "!!!" }],
          },
        },
      ],
      ["a repeated call id", { messages: [user("u1"), twice("a1")] }],
      [
        "a tool message of more than 16 KB",
        {
          messages: [
            user("u1"),
            assistant("a1", "read_file"),
            {
              ...user("r1"),
              role: "tool" as const,
              toolCallId: "call-a1",
              name: "read_file",
              ok: true,
              content: "x".repeat(20_000),
            },
          ],
        },
      ],
      [
        "a system message in the middle",
        { messages: [user("u1"), { ...user("s1"), role: "system" as const }] },
      ],
    ])("%s is refused with 400 before anything happens", async (_, more) => {
      const talk = await stage.open([{ text: "never" }]);
      const before = stage.model().requests.length;
      const response = await postTurn(stage.product(), {
        ...talk.body({ type: "message", text: "hi" }),
        ...more,
      } as never);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { code: "invalid_request", message: expect.stringMatching(/\S/) },
      });
      expect(stage.model().requests.length).toBe(before);
    });
  });
}

const user = (id: string) => ({
  id,
  role: "user" as const,
  content: "x",
  createdAt: 1,
  mode: "normal" as const,
});
const assistant = (id: string, name: string) => ({
  ...user(id),
  role: "assistant" as const,
  finish: "tool_calls" as const,
  toolCalls: [{ id: `call-${id}`, name, arguments: "{}" }],
});
const twice = (id: string) => ({
  ...assistant(id, "run_command"),
  toolCalls: [1, 2].map(() => ({ id: "same", name: "run_command", arguments: "{}" })),
});
