import { describe, expect, test } from "vitest";
import { dataOf, durable, names } from "../../harness/conversation.ts";
import { authorized, collect, eventsOf, postTurn } from "../../harness/sse.ts";
import type { Stage } from "./suite.ts";

export function describeResuming(stage: Stage): void {
  const follow = (sandboxId: string, turnId: string, after = 0) =>
    fetch(`${stage.product().url}/api/turns/${sandboxId}/${turnId}/events?after=${after}`, {
      headers: authorized(stage.product().token),
    });
  const stop = (sandboxId: string, turnId: string) =>
    fetch(`${stage.product().url}/api/turns/${sandboxId}/${turnId}/stop`, {
      method: "POST",
      headers: authorized(stage.product().token),
    });

  describe("resuming", () => {
    test("a finished turn posted again replays the same durable events, byte for byte, and asks no model", async () => {
      const talk = await stage.open([{ calls: [{ name: "list_files", args: {} }] }, { text: "done" }]);
      const body = talk.body({ type: "message", text: "Look" });
      const first = await (await postTurn(stage.product(), body)).text();
      const before = stage.model().requests.length;
      const again = await (await postTurn(stage.product(), { ...body, attempt: 2 })).text();
      expect(durableText(again)).toEqual(durableText(first));
      expect(stage.model().requests.length).toBe(before);
      const tail = await (await postTurn(stage.product(), { ...body, attempt: 3, after: 3 })).text();
      expect(durableText(tail)).toEqual(durableText(first).slice(3));
    });

    test("GET events gives the whole turn, or what comes after an id; an unknown turn is 404", async () => {
      const talk = await stage.open([{ text: "done" }]);
      const body = talk.body({ type: "message", text: "Look" });
      const first = durable(await collect(eventsOf(await postTurn(stage.product(), body))));
      expect(durable(await collect(eventsOf(await follow(talk.sandboxId, body.turnId))))).toEqual(first);
      expect(durable(await collect(eventsOf(await follow(talk.sandboxId, body.turnId, 2))))).toEqual(
        first.slice(2),
      );
      expect((await follow(talk.sandboxId, "never-posted")).status).toBe(404);
    });

    test("another input under the same turnId is 422, a lower attempt 409", async () => {
      const talk = await stage.open([{ text: "done" }]);
      const body = talk.body({ type: "message", text: "Look" });
      await collect(eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 })));
      const other = await postTurn(stage.product(), {
        ...body,
        attempt: 3,
        input: { type: "message", text: "Else" },
      });
      expect([other.status, (await other.json()).error.code]).toEqual([422, "key_reused"]);
      const shorter = await postTurn(stage.product(), { ...body, attempt: 3, messages: [user] });
      expect([shorter.status, (await shorter.json()).error.code]).toEqual([422, "key_reused"]);
      await collect(eventsOf(await postTurn(stage.product(), { ...body, attempt: 3 })));
      const behind = await postTurn(stage.product(), { ...body, attempt: 2 });
      expect([behind.status, (await behind.json()).error.code]).toEqual([409, "stale_epoch"]);
      const lower = await postTurn(stage.product(), { ...body, attempt: 1 });
      expect([lower.status, (await lower.json()).error.code]).toEqual([409, "stale_epoch"]);
    });

    test("two posts of one turn at once: one runs, the other follows, the model is asked once", async () => {
      let release = () => undefined as undefined;
      const hold = new Promise<void>((resolve) => {
        release = () => void resolve();
      });
      const talk = await stage.open([{ text: "once", hold }]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Look" });
      const posts = [postTurn(stage.product(), body), postTurn(stage.product(), body)];
      const responses = await Promise.all(posts);
      await stage.model().request(before + 1);
      release();
      const [one, two] = await Promise.all(
        responses.map(async (response) => durable(await collect(eventsOf(response)))),
      );
      expect(two).toEqual(one);
      expect(one?.at(-1)?.event).toBe("turn.done");
      expect(stage.model().requests.length).toBe(before + 1);
    });

    test("a client that went away finds its turn again with a higher attempt, nothing twice", async () => {
      let release = () => undefined as undefined;
      const hold = new Promise<void>((resolve) => {
        release = () => void resolve();
      });
      const talk = await stage.open([
        { calls: [{ name: "run_command", args: { command: "echo once >> log.txt" } }] },
        { text: "never read", hold },
      ]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Append" });
      const gone = new AbortController();
      const reading = collect(eventsOf(await postTurn(stage.product(), body, gone.signal))).catch(() => []);
      await stage.model().request(before + 2);
      gone.abort();
      await reading;
      stage.model().play([{ text: "done" }]);
      release();
      const events = await collect(eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 })));
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect(await stage.file(talk, "log.txt")).toBe("once\n");
    });

    test("stop ends the model's stream, keeps what was said, and is durable", async () => {
      const talk = await stage.open([
        { text: "half an answer", hang: false, hold: new Promise(() => undefined) },
      ]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Talk" });
      const reading = postTurn(stage.product(), body).then((response) => collect(eventsOf(response)));
      await stage.model().request(before + 1);
      expect((await stop(talk.sandboxId, body.turnId)).status).toBe(202);
      await stage.model().abandoned(before + 1);
      const events = await reading;
      expect(dataOf(events, "turn.done").reason).toBe("stopped");
      expect(names(await collect(eventsOf(await follow(talk.sandboxId, body.turnId)))).at(-1)).toBe(
        "turn.done",
      );
    });

    test("stop kills a running command, and every call has its result", async () => {
      const talk = await stage.open([
        {
          calls: [
            { id: "sleep", name: "run_command", args: { command: "echo began; sleep 60" } },
            { name: "list_files", args: {} },
          ],
        },
      ]);
      const body = talk.body({ type: "message", text: "Wait" });
      const response = await postTurn(stage.product(), body);
      for await (const event of eventsOf(response)) {
        talk.keep(event);
        if (event.event === "tool.output") expect((await stop(talk.sandboxId, body.turnId)).status).toBe(202);
      }
      expect(talk.messages.filter((message) => message.role === "tool")).toHaveLength(2);
      expect(dataOf(talk.events, "turn.done").reason).toBe("stopped");
      stage.model().play([{ text: "on" }]);
      expect(dataOf(await talk.say("Go on"), "turn.done").reason).toBe("stop");
    });

    test("a turn that is stopped before it starts asks no model", async () => {
      const talk = await stage.open([{ text: "never" }]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Hi" });
      expect((await stop(talk.sandboxId, body.turnId)).status).toBe(202);
      const events = await collect(eventsOf(await postTurn(stage.product(), body)));
      expect(dataOf(events, "turn.done").reason).toBe("stopped");
      expect(stage.model().requests.length).toBe(before);
    });
  });
}

/** The durable events of a stream as they stood on the wire. */
function durableText(stream: string): string[] {
  return stream.split("\n\n").filter((event) => event.startsWith("id: "));
}

const user = { id: "u0", role: "user" as const, content: "x", createdAt: 1, mode: "normal" as const };
