import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import type { TurnRequestInput } from "../../../shared/turn.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import type { RequestBody } from "../../fakes/model-server.ts";
import { dataOf, durable } from "../../harness/conversation.ts";
import { gate } from "../../harness/gate.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import { isHelper } from "../turns/explore.ts";
import type { ResumeStage } from "./stage.ts";
import { stop } from "./turn-requests.ts";

const send = (task: string) => ({ id: task, name: "explore", args: { task } });
const read = { name: "read_file", args: { path: "src/gateway.js" } };

/**
 * Helpers in an interrupted turn: answers that were paid for are kept, and the helpers continue from there.
 */
export function describeExploring(stage: ResumeStage): void {
  /** The main model starts a helper for each task, then ends. `helps` answers each helper's n-th request. */
  const play = (tasks: readonly string[], helps: (task: string, n: number) => ModelReply) =>
    stage.model().play((body) => {
      if (!isHelper(body)) return hasReports(body) ? { text: "Done." } : { calls: tasks.map(send) };
      const said = body.messages.filter(({ role }) => role === "assistant").length;
      return helps(taskOf(body), said + 1);
    });
  const asked = (from: number) => stage.model().requests.slice(from);
  const helping = async () => {
    const talk = await stage.openSandbox();
    talk.options = { explore: {} };
    return talk;
  };
  const rounds = (events: readonly TurnEvent[]) =>
    events.filter(
      ({ event, data }) =>
        event === "message" &&
        data.message.role === "event" &&
        data.message.extra.event.subkind === "explore",
    );

  describe("helpers", () => {
    test("continue at another edge where they were when theirs was killed: no answer is paid for twice", async () => {
      const talk = await helping();
      const doomed = await stage.another();
      const before = stage.model().requests.length;
      // One helper has reported, one has read a file, and one still waits for its first answer.
      play(["reported", "reading", "asked"], (task, n) => {
        if (task === "reported") return { text: "Reported." };
        return task === "reading" && n === 1 ? { calls: [read] } : { hang: true };
      });
      const body = talk.body({ type: "message", text: "Look" });
      const seen: TurnEvent[] = [];
      const { passed, open } = gate();
      const reading = (async () => {
        for await (const event of eventsOf(await postTurn(doomed, body))) {
          seen.push(event);
          if (rounds(seen).length === 2) open();
        }
      })().catch(() => undefined);
      await stage.model().request(before + 5);
      await passed;
      await doomed.kill("SIGKILL");
      await reading;
      const told = durable(seen);
      const paid = asked(before).length;
      play([], (task) => ({ text: `${task}, after all.` }));
      const again = durable(
        await collect(eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 }))),
      );
      expect(again.slice(0, told.length)).toEqual(told);
      expect(dataOf(again, "turn.done").reason).toBe("stop");
      const results = again.flatMap(({ event, data }) =>
        event === "message" && data.message.role === "tool" ? [data.message.content] : [],
      );
      expect(results.map((text) => text.split("\n")[0])).toEqual([
        "Reported.",
        "reading, after all.",
        "asked, after all.",
      ]);
      expect(rounds(again)).toHaveLength(4);
      // Three requests are sent again: those of the two answers in progress, and the last one of the turn's
      // own model.
      const after = asked(before + paid).map(({ body: sent }) => (isHelper(sent) ? taskOf(sent) : "own"));
      expect(after.toSorted()).toEqual(["asked", "own", "reading"]);
      expect(JSON.stringify(asked(before + paid).map(({ body: sent }) => sent))).toContain("createGateway");
    });

    test("are stopped with their turn, and the result says what they had not reported", async () => {
      const talk = await helping();
      const before = stage.model().requests.length;
      play(["slow"], (_, n) => (n === 1 ? { calls: [read] } : { hang: true }));
      const body = talk.body({ type: "message", text: "Look" });
      const reading = collect(eventsOf(await postTurn(stage.product(), body)));
      await stage.model().request(before + 3);
      await stop(stage.product(), body);
      const events = await reading;
      expect(dataOf(events, "turn.done").reason).toBe("stopped");
      const result = durable(events).findLast(
        ({ event, data }) => event === "message" && data.message.role === "tool",
      );
      expect(result).toMatchObject({ data: { message: { ok: false } } });
      expect(JSON.stringify(result)).toContain("stopped: the helper has not reported");
      expect(JSON.stringify(events)).toContain("Stopped before it reported: explore `slow`.");
      expect(JSON.stringify(events)).not.toContain("Nothing was cut");
      await stage.model().abandoned(before + 3);
      expect(asked(before)).toHaveLength(3);
    });

    test("that need more requests than a host allows continue in the next turn, and each round is requested once", {
      tags: "long",
    }, async () => {
      const talk = await helping();
      const before = stage.model().requests.length;
      play(["a", "b", "c"], (task, n) => (n <= 10 ? { calls: [read] } : { text: `${task} is done.` }));
      const body = talk.body({ type: "message", text: "Look" });
      const { events, posts } = await untilDone(stage, body);
      expect(posts > 1).toBe(stage.runtime === "workerd");
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      // The turn's own model gets one request at the start and one at the end; three helpers get eleven each.
      expect(asked(before)).toHaveLength(1 + 3 * 11 + 1);
    });

    test("keep what was journaled when the turn is posted again after its end", {
      tags: "long",
    }, async () => {
      const talk = await helping();
      play(["a", "b"], (task, n) => (n === 1 ? { calls: [read] } : { text: `${task} is done.` }));
      const body = talk.body({ type: "message", text: "Look" });
      const first = durable(await collect(eventsOf(await postTurn(stage.product(), body))));
      const paid = stage.model().requests.length;
      const again = await collect(eventsOf(await postTurn(stage.other(), { ...body, attempt: 2 })));
      expect(durable(again)).toEqual(first);
      expect(stage.model().requests.length).toBe(paid);
    });
  });
}

/** Posts the turn again, as a client does, until it ends. */
async function untilDone(
  stage: ResumeStage,
  body: TurnRequestInput,
): Promise<{ events: TurnEvent[]; posts: number }> {
  for (let attempt = 1; attempt < 10; attempt += 1) {
    const events = await collect(eventsOf(await postTurn(stage.product(), { ...body, attempt })));
    if (events.some(({ event }) => event === "turn.done" || event === "turn.failed"))
      return { events, posts: attempt };
  }
  throw new Error("the turn does not end");
}

function taskOf({ messages }: RequestBody): string {
  return String(messages.find(({ role }) => role === "user")?.content);
}

function hasReports({ messages }: RequestBody): boolean {
  return messages.some(({ role }) => role === "tool");
}
