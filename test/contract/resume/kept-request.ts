import { describe, expect, test } from "vitest";
import { dataOf } from "../../harness/conversation.ts";
import { descendantsOf } from "../../harness/processes.ts";
import { authorized, collect, eventsOf, postTurn } from "../../harness/sse.ts";
import type { ResumeStage } from "./stage.ts";
import { durableOf } from "./turn-requests.ts";

/** Continuing a turn whose request the sandbox has stored: no history is uploaded again. */
export function describeKeptRequest(stage: ResumeStage): void {
  const resume = (turn: { sandboxId: string; turnId: string }, body: Record<string, unknown>) =>
    fetch(`${stage.product().url}/api/turns/${turn.sandboxId}/${turn.turnId}/resume`, {
      method: "POST",
      headers: { ...authorized(stage.product().token), "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  /** A turn with a history, which is in its second round when its edge is killed. */
  async function leftBehind(headers: Record<string, string> = {}) {
    const talk = await stage.open([{ text: "a first answer" }]);
    await talk.say(`Remember: ${"ä".repeat(2_000)}`);
    stage
      .model()
      .play([
        { calls: [{ name: "run_command", args: { command: "echo once >> log.txt" } }] },
        { text: "never", hold: new Promise(() => undefined) },
      ]);
    const before = stage.model().requests.length;
    const dying = await stage.another();
    const body = talk.body({ type: "message", text: "Append" });
    const response = await fetch(`${dying.url}/api/turn`, {
      method: "POST",
      headers: { ...authorized(dying.token), "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const seen = collect(eventsOf(response)).catch(() => []);
    await stage.model().request(before + 2);
    await dying.kill("SIGKILL");
    for (const { pid } of descendantsOf(dying.pid)) process.kill(pid, "SIGKILL");
    await seen;
    stage.model().play([{ text: "Done." }]);
    return { talk, body };
  }

  describe("a turn whose request is kept", () => {
    test("resumes from its id alone, with the history it was posted with, and then is no longer kept", async () => {
      const { talk, body } = await leftBehind();
      const before = stage.model().requests.length;
      const events = await durableOf(resume(body, { attempt: 2 }));
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect(JSON.stringify(stage.model().requests[before]?.body)).toContain("ä".repeat(2_000));
      expect(await stage.file(talk, "log.txt")).toBe("once\n");
      const again = await resume(body, { attempt: 3 });
      expect([again.status, (await again.json()).error.code]).toEqual([404, "not_found"]);
      // A client falls back to posting the turn itself, which has ended by then.
      expect(await durableOf(postTurn(stage.product(), { ...body, attempt: 3 }))).toEqual(events);
    });

    test("returns what comes after an event; a lower attempt is 409, an unknown turn 404, a wrong field 400", async () => {
      const { body } = await leftBehind();
      const events = await durableOf(resume(body, { attempt: 2, after: 3 }));
      expect(events[0]).toMatchObject({ id: 4 });
      const { body: other } = await leftBehind();
      const lower = await resume(other, { attempt: 1 });
      // A client that sends the same attempt follows the events.
      expect(lower.status).toBe(200);
      await lower.body?.cancel();
      expect((await resume({ ...other, turnId: "never-posted" }, { attempt: 2 })).status).toBe(404);
      const wrong = await resume(other, { after: 1 });
      expect([wrong.status, (await wrong.json()).error.message]).toEqual([
        400,
        expect.stringContaining("attempt"),
      ]);
      expect(dataOf(await durableOf(resume(other, { attempt: 2 })), "turn.done").reason).toBe("stop");
    });

    test("with the person's own model key waits for the phone, and says so", async () => {
      const { body } = await leftBehind({ "x-model-key": "sk-of-the-person" });
      const answer = await resume(body, { attempt: 2 });
      expect([answer.status, (await answer.json()).error.message]).toEqual([
        404,
        expect.stringContaining("own model key, which is never kept"),
      ]);
      const events = await durableOf(postTurn(stage.product(), { ...body, attempt: 2 }));
      expect(dataOf(events, "turn.done").reason).toBe("stop");
    });
  });
}
