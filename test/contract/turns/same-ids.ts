// Plans number their steps alike: the state of a step in one plan must not count for a step of the next.
import { describe, expect, test } from "vitest";
import { dataOf } from "../../harness/conversation.ts";
import {
  executing,
  exitPlan,
  noticesOf,
  reportsOf,
  setPlan,
  statusesOf,
  step,
  write,
} from "./plan-script.ts";
import type { Stage } from "./stage.ts";

export function describeSameIds(stage: Stage): void {
  describe("a plan whose steps have the same ids as the previous plan's", () => {
    test("has its own snapshot where its first step was interrupted before it could start", async () => {
      const { talk } = await executing(stage, setPlan("Dig", ["Dig"]), [
        { calls: [step("s1", "done", "dug")] },
        { text: "Done." },
      ]);
      talk.mode = "plan";
      stage.model().play([{ calls: [setPlan("Fill", ["Fill"]), exitPlan] }]);
      await talk.say("Now another one");
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      await talk.turn({ type: "approve", planVersion, planHash, mode: "normal", hold: true });
      // The state after a turn that ended between the report of the active step and its snapshot.
      if (talk.plan) talk.plan = { ...talk.plan, status: "executing" };
      for (const each of talk.plan?.steps ?? []) each.status = "active";
      talk.mode = "normal";
      stage.model().play([{ calls: [write("filled.txt")] }, { text: "ok" }]);
      await talk.turn({ type: "continue" });
      expect(noticesOf(talk, "plan_step")).toHaveLength(2);
      expect(talk.plan?.steps[0]?.snapshot).toMatch(/\S/);
      await talk.turn({ type: "rewind", stepId: "s1" });
      expect(await stage.file(talk, "filled.txt")).toBeUndefined();
    });

    test("counts none of the previous plan's checks, even in a version with the same goal", async () => {
      const { talk } = await executing(
        stage,
        setPlan("Do it", [{ id: "s1", description: "Dig", checkpoint: { command: "false" } }]),
        [{ calls: [step("s1", "done", "dug")] }, { text: "It failed." }],
      );
      talk.mode = "plan";
      stage
        .model()
        .play([{ calls: [setPlan("Do it", [{ id: "s1", description: "Ask the neighbour" }]), exitPlan] }]);
      await talk.say("Plan it another way");
      stage.model().play([{ calls: [step("s1", "done", "asked")] }, { text: "Done." }]);
      await talk.approve();
      expect(statusesOf(talk)).toEqual(["s1 done"]);
      expect(reportsOf(talk).at(-1)).toMatchObject({
        kind: "finish",
        checks: [],
        earlier: [{ stepId: "s1", description: "Dig", exitCode: 1 }],
      });
    });
  });
}
