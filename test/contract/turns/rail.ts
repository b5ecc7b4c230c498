// The engine keeps an approved plan on track: steps begin on their own and in order, a failure waits for the
// person, and no plan stays open.
import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { dataOf } from "../../harness/conversation.ts";
import { executing, noticesOf, reportsOf, setPlan, statusesOf, step, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

const three = ["Write", "Test", "Rest"].map((description, index) => ({ id: `s${index + 1}`, description }));

export function describeRail(stage: Stage): void {
  const run = (steps: unknown[], script: ModelReply[], mode?: "normal" | "auto") =>
    executing(stage, setPlan("Do it", steps), script, mode);

  describe("the rail", () => {
    test("the first step is active before the model's first answer, then the next one, and undo reverts everything", async () => {
      const { talk, events } = await run(three, [
        { calls: [write("early.txt")] },
        { calls: [step("s1", "done", "wrote")] },
        { calls: [write("late.txt")] },
        { text: "ok" },
      ]);
      const first = events.findIndex(({ event }) => event === "step");
      expect(first).toBeLessThan(events.findIndex(({ event }) => event === "tool.call"));
      expect(events[first]).toMatchObject({ data: { stepId: "s1", status: "active" } });
      expect(statusesOf(talk)).toEqual(["s1 done", "s2 active", "s3 pending"]);
      await talk.turn({ type: "rewind", stepId: "s1" });
      expect(await stage.file(talk, "early.txt")).toBeUndefined();
      expect(await stage.file(talk, "late.txt")).toBeUndefined();
      stage.model().play([{ text: "ok" }]);
      await talk.turn({ type: "continue" });
      expect(statusesOf(talk)).toEqual(["s1 active", "s2 pending", "s3 pending"]);
    });

    test("a plain answer with steps open gets one reminder; then the turn ends and says how far it came", async () => {
      const { talk, events } = await run(three, [
        { calls: [step("s1", "done", "wrote")] },
        { text: "All done!" },
      ]);
      expect(dataOf(events, "turn.done")).toEqual({
        reason: "stop",
        rounds: 3,
        steps: { over: 1, total: 3 },
      });
      expect(noticesOf(talk, "plan_open")).toEqual([expect.stringContaining("1 of 3 steps are over")]);
      expect(talk.plan?.status).toBe("executing");
    });

    test("the person marks the plan as finished: its summary names what is open", async () => {
      const { talk } = await run(three, [{ calls: [step("s1", "done", "wrote")] }, { text: "ok" }]);
      const asked = stage.model().requests.length;
      const events = await talk.turn({ type: "close", as: "done" });
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 0 });
      expect(stage.model().requests).toHaveLength(asked);
      expect(talk.plan?.status).toBe("done");
      expect(reportsOf(talk).at(-1)).toMatchObject({ kind: "finish", closedBy: "person" });
      expect(talk.messages.at(-1)?.content).toMatch(/steps 2, 3 were open[\s\S]*Steps: 1 of 3/);
    });

    test("a change of an approved plan waits for the person with its diff, and runs once they approve it", async () => {
      const more = {
        id: "more-1",
        name: "update_plan",
        args: { addSteps: [{ description: "Publish", checkpoint: { command: "test -f out" } }] },
      };
      const { talk, events } = await run(three, [{ calls: [more] }]);
      expect(dataOf(events, "permission")).toMatchObject({
        risk: "plan_change",
        change: {
          updates: ["Added Step 4: Publish"],
          diff: expect.stringContaining("+   - check: test -f out"),
        },
      });
      expect(talk.plan?.steps).toHaveLength(3);
      stage.model().play([{ text: "ok" }]);
      await talk.turn({ type: "permit", toolCallId: "more-1", decision: "once" });
      expect(talk.plan).toMatchObject({ status: "executing", steps: { length: 4 } });
    });
  });
}
