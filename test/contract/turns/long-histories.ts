import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import { rowOf } from "../../../shared/hashline/rows.ts";
import type { Message } from "../../../shared/message.ts";
import { historyForTurn } from "../../../shared/session/history.ts";
import type { TurnRequestInput } from "../../../shared/turn.ts";
import { type Conversation, dataOf } from "../../harness/conversation.ts";
import { authorized, collect, eventsOf } from "../../harness/sse.ts";
import type { Stage } from "./stage.ts";

/** The limit of PROTOCOL 3.1 for a phone's upload for one turn, compressed, in a session of any length. */
const maxUploadBytes = 300_000;

export function describeLongHistories(stage: Stage): void {
  /**
   * Posts like the phone: the tail, compressed. Keeps what is received. Returns the events and the bytes
   * sent.
   */
  async function turn(talk: Conversation, input: TurnRequestInput["input"], messages = talk.messages) {
    const body = gzipSync(JSON.stringify(talk.body(input, { messages: historyForTurn(messages) })));
    const events: TurnEvent[] = [];
    const headers = { ...authorized(stage.product().token), "content-encoding": "gzip" };
    const response = await fetch(`${stage.product().url}/api/turn`, { method: "POST", headers, body });
    events.push(...(await collect(eventsOf(response))));
    for (const event of events) talk.keep(event);
    return { events, bytes: body.length };
  }
  const say = (talk: Conversation, text: string) => turn(talk, { type: "message", text });
  const lastPrompt = () => stage.model().requests.at(-1)?.body.messages;

  describe("long histories", () => {
    test("a session of 10,000 messages uploads less than 300 KB a turn", async () => {
      const talk = await stage.open([{ text: "on it" }]);
      const sizes: number[] = [];
      let markers = 0;
      while (talk.messages.length < 10_000) {
        talk.messages.push(...work(talk.messages.length, 100));
        const { events, bytes } = await say(talk, `Go on ${talk.messages.length}`);
        expect(dataOf(events, "turn.done").reason).toBe("stop");
        // Before the first marker, a history is posted whole. A session of 10,000 messages always has one.
        if (markers > 0) sizes.push(bytes);
        markers += markersIn(events).length;
      }
      expect(markers).toBeGreaterThan(3);
      expect(Math.max(...sizes)).toBeLessThan(maxUploadBytes);
      // A hundred turns of several megabytes.
    }, 600_000);

    test("the marker comes before the turn's own messages; the tail after it and the whole make one prompt", async () => {
      const talk = await stage.open([{ text: "noted" }]);
      talk.messages = [...work(0, 1_400)];
      const { events } = await say(talk, "Remember the tests");
      const named = events.flatMap((event) =>
        event.event === "message" ? [event.data.message.role] : "id" in event ? [event.event] : [],
      );
      expect(named).toEqual(["turn.started", "event", "user", "assistant", "turn.done"]);
      const marker = markersIn(events)[0];
      expect(marker?.content).toContain("messages before this are summarised here");
      expect(marker?.content).toContain("Person: Look at file 1396");
      expect(historyForTurn(talk.messages).length).toBeLessThan(10);

      const before = talk.messages;
      await say(talk, "Now");
      const fromTail = lastPrompt();
      const { sandboxId } = talk;
      const whole = talk.body({ type: "message", text: "Now" }, { messages: before, sandboxId });
      const headers = authorized(stage.product().token);
      const init = { method: "POST", headers, body: JSON.stringify(whole) };
      await collect(eventsOf(await fetch(`${stage.product().url}/api/turn`, init)));
      expect(lastPrompt()).toEqual(fromTail);
      expect(JSON.stringify(fromTail)).toContain("Remember the tests");
    });

    test("a turn after a marker is posted again and replays byte for byte", async () => {
      const talk = await stage.open([{ text: "noted" }]);
      talk.messages = [...work(0, 1_400)];
      const body = talk.body({ type: "message", text: "Once" });
      const post = async (attempt: number) => {
        const init = {
          method: "POST",
          headers: authorized(stage.product().token),
          body: JSON.stringify({ ...body, attempt }),
        };
        const text = await (await fetch(`${stage.product().url}/api/turn`, init)).text();
        return text.split("\n\n").filter((event) => event.startsWith("id: "));
      };
      const first = await post(1);
      expect(first.join()).toContain("summarization_marker");
      expect(await post(2)).toEqual(first);
    });

    test("after a marker calls get ids of ours, since older ones are not known", async () => {
      const talk = await stage.open([
        { calls: [{ id: "call_0", name: "list_files", args: {} }] },
        { text: "ok" },
      ]);
      talk.messages = [...work(0, 1_400)];
      await say(talk, "Look");
      await say(talk, "Look again");
      const ids = talk.messages
        .slice(1_400)
        .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
        .map(({ id }) => id);
      expect(ids.length).toBeGreaterThan(0);
      for (const id of ids) expect(id).toMatch(/^t\d+-\d+\.0\.0$/);
    });

    test("an open question is closed before the marker, either way", async () => {
      const question = {
        id: "q",
        label: "Way",
        prompt: "Which?",
        type: "single_select",
        options: [{ label: "A" }],
      };
      const asks = { calls: [{ name: "ask_user", args: { summary: "s", questions: [question] } }] };
      for (const said of ["else", "answer"] as const) {
        const talk = await stage.open([asks, { text: "ok" }]);
        await say(talk, "Ask me");
        const { toolCallId } = dataOf(talk.events, "questions");
        talk.messages = [...work(0, 1_400), ...talk.messages];
        const answers = [{ id: "q", raw: "1" }];
        const input =
          said === "else"
            ? { type: "message" as const, text: "Never mind" }
            : { type: "answers" as const, toolCallId, answers, run: false };
        const { events } = await turn(talk, input);
        const roles = events.flatMap((event) => (event.event === "message" ? [event.data.message.role] : []));
        expect(roles.slice(0, 2)).toEqual(["tool", "event"]);
        expect(dataOf(events, "turn.done").reason).toBe("stop");
        expect(dataOf((await say(talk, "On")).events, "turn.done").reason).toBe("stop");
        expect(markersIn(events)[0]?.extra.event.data).toMatchObject({
          mode: "normal",
          asked: said === "else" ? 0 : 1,
        });
      }
    });

    test("what was allowed for the session stays allowed", async () => {
      const remove = { calls: [{ name: "run_command", args: { command: "rm -rf gone" } }] };
      const talk = await stage.open([remove, { text: "removed" }]);
      const { events } = await say(talk, "Remove it");
      const { toolCallId } = dataOf(events, "permission");
      await turn(talk, { type: "permit", toolCallId, decision: "session" });
      talk.messages.push(...work(5_000, 1_400));
      stage.model().play([{ text: "noted" }]);
      expect(markersIn((await say(talk, "Long")).events)).toHaveLength(1);
      stage.model().play([remove, { text: "removed again" }]);
      const again = await say(talk, "Again");
      expect(dataOf(again.events, "turn.done").reason).toBe("stop");
    });
  });
}

function markersIn(events: readonly TurnEvent[]) {
  return events.flatMap((event) =>
    event.event === "message" &&
    event.data.message.role === "event" &&
    event.data.message.extra.event.subkind === "summarization_marker"
      ? [event.data.message]
      : [],
  );
}

const folder = fileURLToPath(new URL("../../../functions", import.meta.url));
const source = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(`${folder}/${name}`, "utf8"))
  .join("\n");

/**
 * `count` messages as real work produces them: messages of the person, files read, words about them. Ids
 * start at `from`.
 */
function work(from: number, count: number): Message[] {
  const messages: Message[] = [];
  const common = (at: number) => ({ id: `w${from + at}`, createdAt: from + at, mode: "normal" as const });
  for (let at = 0; at < count; at += 4) {
    const start = ((from + at) * 1_500) % (source.length - 6_000);
    const rows = source.slice(start, start + 6_000).split("\n");
    const call = {
      id: `old${from + at}`,
      name: "read_file",
      arguments: `{"path":"src/file${from + at}.ts"}`,
    };
    messages.push(
      { ...common(at), role: "user", content: `Look at file ${from + at}` },
      { ...common(at + 1), role: "assistant", content: "", finish: "tool_calls", toolCalls: [call] },
      {
        ...common(at + 2),
        role: "tool",
        toolCallId: call.id,
        name: "read_file",
        ok: true,
        content: rows.map((row, index) => rowOf(index + 1, row)).join("\n"),
      },
      { ...common(at + 3), role: "assistant", content: `It has ${rows.length} lines.`, finish: "stop" },
    );
  }
  return messages;
}
