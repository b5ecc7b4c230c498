import { describe, expect, test } from "vitest";
import { startModelServer } from "../../fakes/model-server.ts";
import { StrictWindow } from "../../fakes/strict-window.ts";
import { dataOf, names } from "../../harness/conversation.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import type { Stage } from "./stage.ts";

const noTools = { status: 400, body: { error: { message: "this model does not support tools" } } };
const fence = '```tool\n{"tool":"read_file","args":{"path":"package.json"}}\n```';

export function describeModels(stage: Stage): void {
  describe("models", () => {
    test("a model that refuses native calls in mid-turn loses nothing, and the history says so", async () => {
      const native = { calls: [{ name: "list_files", args: {} }] };
      const talk = await stage.open((body, n) =>
        n === 1 ? native : body.tools ? noTools : n === 3 ? { text: fence } : { text: "Seen." },
      );
      const events = await talk.say("Look");
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 3 });
      expect(talk.messages.map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "tool",
        "event",
        "assistant",
        "tool",
        "assistant",
      ]);
      expect(talk.messages[3]).toMatchObject({
        content: "scripted takes no native tool calls: from here on calls are written as text.",
        extra: {
          event: {
            subkind: "system_notice",
            data: { kind: "fallback", provider: "default", model: "scripted", part: "tools" },
          },
        },
      });
      expect(talk.result("read_file")).toMatchObject({ ok: true });

      // If the history records it, no second refusal is needed, whatever the client remembers.
      stage.model().play([{ text: "still here" }]);
      talk.options = { toolProtocol: "native" };
      const next = await talk.say("And now?");
      expect(dataOf(next, "turn.started").toolProtocol).toBe("text");
      expect(stage.model().requests.at(-1)?.body.tools).toBeUndefined();
    });

    test("a replay of a turn that fell back is the same, byte for byte", async () => {
      const talk = await stage.open((body) => (body.tools ? noTools : { text: "Works." }));
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Hi" });
      const first = await collect(eventsOf(await postTurn(stage.product(), body)));
      const again = await collect(eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 })));
      const durable = (events: typeof first) => events.filter((event) => "id" in event);
      expect(durable(again)).toEqual(durable(first));
      expect(names(first)).toEqual(["turn.started", "message", "message", "message", "turn.done"]);
      expect(stage.model().requests.length - before).toBe(2);
    });

    test("a prompt that the provider calls too long is trimmed harder and sent once more", async () => {
      const long = "word ".repeat(6_000);
      const talk = await stage.open([{ text: long }, { text: long }, { text: long }, { text: "short" }]);
      for (const text of ["one", "two", "three"]) await talk.say(text);
      const size = (body: unknown) => JSON.stringify(body).length;
      stage
        .model()
        .play((body) =>
          size(body.messages) > 60_000
            ? { status: 400, body: { error: { message: "too long", code: "context_length_exceeded" } } }
            : { text: "Fits." },
        );
      const before = stage.model().requests.length;
      const events = await talk.say("four");
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect(talk.messages.at(-1)?.content).toBe("Fits.");
      expect(stage.model().requests.length - before).toBe(2);
      expect(String(stage.model().requests.at(-1)?.body.messages.at(-1)?.content)).toBe("four");
    });

    test("a provider that silently drops the beginning is noticed, reported, and sent less", async () => {
      const windowTokens = 5_000;
      const counts = new StrictWindow(Infinity, false);
      const sizes: number[] = [];
      const talk = await stage.open((body, n) => {
        sizes.push(counts.count(body));
        const usage = { prompt_tokens: Math.min(windowTokens, counts.count(body)), completion_tokens: 20 };
        const args = { command: `seq ${n}00000 ${n}00400` };
        return n < 8 ? { calls: [{ name: "run_command", args }], usage } : { text: "Done.", usage };
      });
      await talk.turn({ type: "message", text: "Count" }, { model: { provider: "priced", id: "thinking" } });
      const said = talk.messages.filter(({ content }) => content.includes("drops the beginning"));
      expect(said[0]?.content).toMatch(/keeps only about 5000 tokens/);
      expect(Math.max(...sizes)).toBeGreaterThan(windowTokens);
      expect(sizes.at(-1)).toBeLessThan(windowTokens);
      // A request that was not counted teaches nothing about token counts.
      for (const message of talk.messages)
        if (message.role === "assistant") expect(message.calibration?.scale ?? 1).toBeGreaterThan(0.7);
    });

    test("a provider's redirect is not followed: the key is sent nowhere else, and the error names the setting", async () => {
      const elsewhere = await startModelServer([{ text: "stolen" }]);
      const location = `${elsewhere.url}/chat/completions`;
      const talk = await stage.open([{ status: 307, body: "", headers: { location } }]);
      const { error } = dataOf(await talk.say("Hello"), "turn.failed");
      expect(error.message).toMatch(/redirects to another address \(307\).*OPENAI_BASE_URL/);
      expect(elsewhere.requests).toEqual([]);
      await elsewhere.close();
    });

    test("a prompt that stays too long ends the turn with a message", async () => {
      const talk = await stage.open([
        { status: 400, body: { error: { message: "maximum context length is 3000 tokens" } } },
      ]);
      const before = stage.model().requests.length;
      const events = await talk.say("Hello");
      expect(dataOf(events, "turn.failed").error).toMatchObject({ code: "model_error" });
      expect(stage.model().requests.length - before).toBeLessThanOrEqual(2);
    });

    test("images are sent to a model that accepts them, and left out with a note for one that refuses", async () => {
      const attachments = [{ kind: "image" as const, name: "a.png", mediaType: "image/png", data: "AAAA" }];
      const talk = await stage.open([{ text: "I see." }]);
      await talk.turn({ type: "message", text: "What is this?", attachments });
      expect(JSON.stringify(stage.model().requests.at(-1)?.body.messages)).toContain(
        "data:image/png;base64,AAAA",
      );
      stage
        .model()
        .play((body) =>
          JSON.stringify(body.messages).includes("image_url")
            ? { status: 400, body: { error: { message: "image input is not supported" } } }
            : { text: "I cannot see it." },
        );
      const events = await talk.turn({ type: "message", text: "And this?", attachments });
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect(JSON.stringify(stage.model().requests.at(-1)?.body.messages)).toContain(
        "this model takes no images",
      );
      expect(talk.messages.some(({ content }) => content.startsWith("scripted takes no images"))).toBe(true);
      const before = stage.model().requests.length;
      await talk.say("Fine.");
      expect(stage.model().requests.length - before).toBe(1);
    });

    test("an image in a format that no model reads is refused by name", async () => {
      const talk = await stage.open([{ text: "never" }]);
      const attachments = [{ kind: "image" as const, name: "a.heic", mediaType: "image/heic", data: "AAAA" }];
      const response = await postTurn(
        stage.product(),
        talk.body({ type: "message", text: "What is this?", attachments }),
      );
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: {
          message: expect.stringContaining("send PNG, JPEG"),
          details: { field: "input.attachments.0" },
        },
      });
    });

    test("a person's own key is passed on to nobody, even where the provider repeats it", async () => {
      const key = "9f3kQ77zzPersonsOwnW2";
      const said = { error: { message: `Incorrect API key provided: ${key}. Check it.` } };
      const talk = await stage.open((_, n) => ({ status: n === 1 ? 403 : 422, body: said }));
      for (let n = 0; n < 2; n += 1) {
        const response = await fetch(`${stage.product().url}/api/turn`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${stage.product().token}`,
            "content-type": "application/json",
            "x-model-key": key,
          },
          body: JSON.stringify(talk.body({ type: "message", text: "hi" })),
        });
        const text = await response.text();
        expect(text).toContain("turn.failed");
        expect(text).not.toContain(key);
      }
      expect(stage.model().requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`);
      expect(stage.product().logs()).not.toContain(key);
    });

    test("every malformed call is counted, and the sixth with the same fault ends the turn with a message", async () => {
      const talk = await stage.open([
        { calls: [{ name: "readFile", args: '{"path": "package.json",}' }] },
        { calls: [{ name: "read_file", args: { place: "a" } }] },
        { calls: [{ name: "fly", args: {} }] },
        { calls: [{ name: "read_file", args: '{"path": [[' }] },
      ]);
      const body = talk.body({ type: "message", text: "Look" });
      const events = await collect(eventsOf(await postTurn(stage.product(), body)));
      const kinds = events.flatMap(({ event, data }) =>
        event === "diagnostic" ? [[data.kind, data.repaired]] : [],
      );
      expect(kinds).toEqual([
        ["tool_name", true],
        ["trailing_comma", true],
        ["fields", false],
        ["unknown_tool", false],
        ...Array.from({ length: 6 }, () => ["arguments", false]),
      ]);
      const results = events.flatMap((event) =>
        event.event === "message" && event.data.message.role === "tool" ? [event.data.message] : [],
      );
      expect(results.map(({ ok }) => ok)).toEqual([true, ...Array.from({ length: 8 }, () => false)]);
      expect(results[1]?.content).toMatch(/read_file: .*path.* Call it again, corrected, for example:/s);
      expect(results[3]?.content).toContain('was not closed: {"path": [[⟦end⟧');
      expect(events.at(-1)).toMatchObject({
        event: "turn.failed",
        data: { error: { code: "model_error", message: expect.stringContaining("choose another model") } },
      });
    });

    test("a malformed call is counted once", async () => {
      const read = (args: string) => ({ calls: [{ name: "read_file", args }] });
      const talk = await stage.open([read("[1,2]"), read('{"start":2}'), { text: "Sorry." }]);
      const kinds = (await talk.say("Read")).flatMap((event) =>
        event.event === "diagnostic" ? event.data.kind : [],
      );
      expect(kinds).toEqual(["arguments", "fields"]);
    });

    test("a call in another model's dialect is made, a quoted one is not", async () => {
      const call = '<tool_call>\n{"name": "read_file", "arguments": {"path": "package.json"}}\n</tool_call>';
      const talk = await stage.open([
        { text: `Like so:\n\`\`\`xml\n${call}\n\`\`\`\nNow really.\n${call}` },
        { text: "done" },
      ]);
      await talk.say("Look");
      expect(talk.messages.filter(({ role }) => role === "tool")).toHaveLength(1);
      expect(talk.messages[1]?.content).toContain("Now really.");
    });

    test("reasoning between tags is reasoning", async () => {
      const talk = await stage.open([{ text: "<think>Hm.</think>\n\nYes.", fragments: "bytes" }]);
      await talk.say("Well?");
      expect(talk.messages.at(-1)).toMatchObject({ content: "Yes.", reasoning: "Hm." });
    });

    test("reasoning that only its closing tag separates from the answer is sent again as reasoning, in a new message", async () => {
      const talk = await stage.open([{ text: "Hm.\n</think>\n\nYes.", fragments: "bytes" }]);
      const events = await talk.say("Well?");
      const answer = talk.messages.at(-1);
      expect(answer).toMatchObject({ content: "Yes.", reasoning: "Hm." });
      const said = (type: "text.delta" | "reasoning.delta") =>
        events
          .flatMap((event) =>
            event.event === type && event.data.messageId === answer?.id ? event.data.delta : [],
          )
          .join("");
      expect([said("reasoning.delta"), said("text.delta")]).toEqual(["Hm.", "Yes."]);
    });

    test("an empty answer is counted and requested again, with a note about what is missing", async () => {
      const talk = await stage.open([{ text: " \n" }, { text: "Here I am." }]);
      const events = await talk.say("Hello?");
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 2 });
      expect(dataOf(events, "diagnostic")).toMatchObject({ kind: "empty_answer", repaired: false });
      expect(talk.messages.at(-1)?.content).toBe("Here I am.");
      expect(String(stage.model().requests.at(-1)?.body.messages.at(-1)?.content)).toContain(
        "The answer before this was empty.",
      );
    });

    test("a model that only sends empty answers ends the turn with a message, and a replay is the same", async () => {
      const talk = await stage.open([{ text: "", reasoning: "Hm." }]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Hello?" });
      const first = await collect(eventsOf(await postTurn(stage.product(), body)));
      expect(first.at(-1)).toMatchObject({
        event: "turn.failed",
        data: {
          error: { code: "model_error", message: expect.stringContaining("keeps answering with nothing") },
        },
      });
      const again = await collect(eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 })));
      const durable = (events: typeof first) => events.filter((event) => "id" in event);
      expect(durable(again)).toEqual(durable(first));
      expect(stage.model().requests.length - before).toBe(6);
    });

    test.each([
      ["length", /used up the tokens of its answer/],
      ["content_filter", /filter withheld the answer/],
    ])("only the finish %s ends the turn with a message at once", async (finish, words) => {
      const talk = await stage.open([{ text: "", finish }]);
      const { error } = dataOf(await talk.say("Hello?"), "turn.failed");
      expect(error).toMatchObject({ code: "model_error", message: expect.stringMatching(words) });
    });

    test("a requested pause is waited for, and attempts are counted in the turn's budget", async () => {
      const talk = await stage.open([
        { status: 429, headers: { "retry-after": "0" } },
        { status: 503, headers: { "retry-after-ms": "1" } },
        { text: "ok" },
      ]);
      expect(dataOf(await talk.say("Hi"), "turn.done")).toEqual({ reason: "stop", rounds: 1 });
    });
  });
}
