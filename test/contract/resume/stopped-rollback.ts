import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import { type Conversation, dataOf } from "../../harness/conversation.ts";
import { postTurn } from "../../harness/sse.ts";
import { reportsOf, setPlan, statusesOf, step, write } from "../turns/plan-script.ts";
import type { ResumeStage } from "./stage.ts";
import { durableOf, follow, stop } from "./turn-requests.ts";

/**
 * A stop while the rollback of a failed checkpoint restores files. The rollback cannot be stopped, so the
 * turn must report it.
 */
export function describeStoppedRollback(stage: ResumeStage): void {
  /** The files of a step are being restored. The answer is withheld until `release`. */
  async function rollingBack() {
    const waits = { command: "while [ ! -e go ]; do sleep 0.05; done; false" };
    const steps = [
      { id: "s1", description: "Write", checkpoint: waits, onFail: "rollback" },
      { id: "s2", description: "More" },
    ];
    const talk = await stage.open([
      { calls: [setPlan("Write", steps)] },
      { calls: [step("s1", "active"), write("first.txt")] },
      { calls: [step("s2", "skipped", "not needed")] },
      { calls: [write("later.txt")] },
      { calls: [{ name: "list_files", args: {} }] },
      {
        calls: [
          { ...step("s1", "done", "tried"), id: "done-1" },
          { name: "list_files", args: {} },
        ],
      },
      { text: "never" },
    ]);
    // Without this option, a failed check would also be tried on the unchanged files before the rollback.
    const body = talk.body({ type: "message", text: "Go" }, { options: { baseline: false } });
    const running = durableOf(postTurn(stage.product(), body));
    const results = () => stage.results(body);
    await expect.poll(() => stage.begun(body), { timeout: 10_000 }).toContain(`${body.turnId}/5/0/cp`);
    const release = stage.wire().keepBack("/calls");
    await stage.go(talk.sandboxId);
    await expect.poll(results, { timeout: 10_000 }).toContain(`${body.turnId}/5/0/restore`);
    return { talk, body, release, running };
  }

  async function expectBack(talk: Conversation, events: readonly TurnEvent[]): Promise<void> {
    for (const event of events) talk.keep(event);
    expect(dataOf(events, "turn.done").reason).toBe("stopped");
    expect(statusesOf(talk)).toEqual(["s1 active", "s2 pending"]);
    expect(talk.plan?.steps[1]?.snapshot).toBeUndefined();
    for (const path of ["first.txt", "later.txt"]) expect(await stage.file(talk, path)).toBeUndefined();
    expect(reportsOf(talk).at(-1)).toMatchObject({ kind: "rollback", stepId: "s1", restored: true });
    expect(talk.result("update_plan").content).toContain("back as they were before step s1");
  }

  describe("stop of a rollback whose files are already restored", () => {
    test("from another process: plan, person and model are told", async () => {
      const { talk, body, release, running } = await rollingBack();
      const before = stage.wire().requests.length;
      const stopped = stop(stage.other(), body);
      await expect.poll(() => stage.wire().requests.slice(before).join()).toContain("/stop");
      release();
      expect((await stopped).status).toBe(202);
      const events = await durableOf(follow(stage.other(), body));
      await expectBack(talk, events);
      expect(await running).toEqual(events);
    });

    test("sent to its own runner", async () => {
      const { talk, body, release, running } = await rollingBack();
      const before = stage.wire().requests.length;
      const stopped = stop(stage.product(), body);
      await expect.poll(() => stage.wire().requests.slice(before).join()).toContain("/stop");
      release();
      expect((await stopped).status).toBe(202);
      await expectBack(talk, await running);
    });
  });
}
