import { describe, expect, test } from "vitest";
import { dataOf, durable } from "../../harness/conversation.ts";
import { gate } from "../../harness/gate.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import { planned } from "../turns/plan-script.ts";
import type { ResumeStage } from "./stage.ts";
import { follow as followAt } from "./turn-requests.ts";

/** Replaying, following, and refusing a turn that is not the same. */
export function describeResuming(stage: ResumeStage): void {
  const follow = (sandboxId: string, turnId: string, after = 0) =>
    followAt(stage.product(), { sandboxId, turnId }, after);

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
      const { passed: hold, open: release } = gate();
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

    test("a client that left resumes its turn with a higher attempt, nothing runs twice", async () => {
      const { passed: hold, open: release } = gate();
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

    test.each([
      ["while its first request is asked", 1],
      ["after it has worked", 2],
    ])(
      "a plan that started fresh, killed %s, resumes at another edge with the same clean context, and works once",
      {
        tags: "long",
      },
      async (_, requests) => {
        const reading = { calls: [{ name: "read_file", args: { path: "src/gateway.js" } }] };
        const talk = await stage.open([reading, ...planned], "plan");
        await talk.say("Plan the note");
        const doomed = await stage.another();
        const { planVersion, planHash } = dataOf(talk.events, "proposal");
        const body = talk.body({ type: "approve", planVersion, planHash, mode: "normal", fresh: true });
        const work = { calls: [{ name: "run_command", args: { command: "echo once >> log.txt" } }] };
        stage.model().play(requests === 1 ? [{ hang: true }] : [work, { hang: true }]);
        const before = stage.model().requests.length;
        const seen = collect(eventsOf(await postTurn(doomed, body))).catch(() => []);
        await stage.model().request(before + requests);
        await doomed.kill("SIGKILL");
        await seen;
        stage.model().play([...(requests === 1 ? [work] : []), { text: "done" }, { text: "done" }]);
        const again = await collect(eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 })));
        const markers = again.filter(
          ({ event, data }) =>
            event === "message" &&
            data.message.role === "event" &&
            data.message.extra.event.source === "start_fresh",
        );
        expect(markers).toHaveLength(1);
        expect(dataOf(again, "turn.done").reason).toBe("stop");
        expect(await stage.file(talk, "log.txt")).toBe("once\n");
        const sent = JSON.stringify(stage.model().requests.at(-1)?.body.messages);
        expect(sent).toContain("echo once");
        expect(sent).not.toContain("createGateway");
      },
    );

    test("a plan that the model proposes waits for the tap through a kill, and the tap counts once", {
      tags: stage.runtime === "node" ? [] : "long",
    }, async () => {
      const enter = { id: "enter-1", name: "enter_plan", args: {} };
      const talk = await stage.open([{ text: "Big.", calls: [enter] }]);
      const before = stage.model().requests.length;
      const first = await talk.say("Rename it");
      const asked = talk.body({
        type: "answers",
        toolCallId: "enter-1",
        answers: [{ id: "plan_first", raw: "1" }],
        run: false,
      });
      expect(stage.model().requests.length).toBe(before + 1);
      const doomed = await stage.another();
      stage.model().play([{ calls: [{ name: "list_files", args: {} }] }, { hang: true }]);
      const seen = collect(eventsOf(await postTurn(doomed, asked))).catch(() => []);
      await stage.model().request(before + 3);
      await doomed.kill("SIGKILL");
      const told = durable(await seen);
      stage.model().play(planned);
      const again = durable(
        await collect(eventsOf(await postTurn(stage.product(), { ...asked, attempt: 2 }))),
      );
      expect(again.slice(0, told.length)).toEqual(told);
      expect(again.filter(({ event }) => event === "mode")).toHaveLength(1);
      expect(dataOf(again, "turn.done").reason).toBe("proposed");
      // Only the request that was in progress when the edge died is sent again.
      expect(stage.model().requests.length).toBe(before + 5);
      expect(dataOf(first, "questions").questions).toHaveLength(1);
    });

    test("a background command outlives the edge that started it, and is started once", {
      tags: stage.runtime === "node" ? [] : "long",
    }, async () => {
      const args = {
        command: "echo once >> log.txt; until [ -e go ]; do sleep 0.02; done; echo seen",
        background: true,
      };
      const talk = await stage.open([{ calls: [{ name: "run_command", args }] }, { hang: true }]);
      const before = stage.model().requests.length;
      const doomed = await stage.another();
      const body = talk.body({ type: "message", text: "Start it" });
      const seen = collect(eventsOf(await postTurn(doomed, body))).catch(() => []);
      await stage.model().request(before + 2);
      await doomed.kill("SIGKILL");
      await seen;
      await stage.go(talk.sandboxId);
      stage.model().play([{ calls: [{ name: "read_output", args: { waitMs: 30_000 } }] }, { text: "done" }]);
      const again = await collect(eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 })));
      for (const event of again) talk.keep(event);
      expect(talk.result("read_output").content).toMatch(/^exit 0\nseen/);
      expect(await stage.file(talk, "log.txt")).toBe("once\n");
    });
  });
}

/** The durable events of a stream, exactly as they arrived. */
function durableText(stream: string): string[] {
  return stream.split("\n\n").filter((event) => event.startsWith("id: "));
}

const user = { id: "u0", role: "user" as const, content: "x", createdAt: 1, mode: "normal" as const };
