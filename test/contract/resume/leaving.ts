import { describe, expect, test } from "vitest";
import type { TurnRequestInput } from "../../../shared/turn.ts";
import { dataOf } from "../../harness/conversation.ts";
import { gate } from "../../harness/gate.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import { waiting } from "./attempts.ts";
import type { ResumeStage } from "./stage.ts";
import { durableOf, follow } from "./turn-requests.ts";

/**
 * The client disconnects for good: running work is finished, and only a host that may continue begins
 * anything new.
 */
export function describeLeaving(stage: ResumeStage): void {
  const continues = stage.runtime !== "workerd";

  /** The rest of a turn whose client has left: followed if the host continues, otherwise posted again. */
  const rest = (body: TurnRequestInput) =>
    durableOf(continues ? follow(stage.product(), body) : postTurn(stage.product(), { ...body, attempt: 2 }));

  describe("a client that detaches", () => {
    test("between two requests of a turn: the command is finished and recorded, at most one answer is paid again", async () => {
      const talk = await stage.open([
        { calls: [{ name: "run_command", args: { command: waiting } }] },
        { text: "done" },
      ]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Append" });
      for await (const event of eventsOf(await postTurn(stage.product(), body)))
        if (event.event === "tool.output") break;
      await stage.go(talk.sandboxId);
      expect(dataOf(await rest(body), "turn.done").reason).toBe("stop");
      // A host that must stop may not have noticed that yet when the command ends.
      expect(stage.model().requests.length - before).toBeOneOf(continues ? [2] : [2, 3]);
      expect(await stage.file(talk, "log.txt")).toBe("once\n");
    });

    test("while the model streams: a host that keeps running reads to the end, another one closes the connection", {
      tags: stage.runtime === "node" ? [] : "long",
    }, async () => {
      const { passed, open } = gate();
      const talk = await stage.open([{ text: "done", hold: passed }]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Talk" });
      const gone = new AbortController();
      const events = eventsOf(await postTurn(stage.product(), body, gone.signal));
      // Waits for the events before the answer, because workerd may not notice a client that disconnects
      // during its first bytes.
      for (let next = await events.next(); !next.done; next = await events.next())
        if (next.value.event === "context") break;
      const reading = collect(events).catch(() => []);
      await stage.model().request(before + 1);
      gone.abort();
      await reading;
      if (!continues) await stage.model().abandoned(before + 1);
      open();
      expect(dataOf(await rest(body), "turn.done").reason).toBe("stop");
      expect(stage.model().requests.length).toBe(before + (continues ? 1 : 2));
    });
  });
}
