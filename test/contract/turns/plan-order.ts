// Which step is active when the model itself changes or begins the plan, and what the model is told.
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import { dataOf } from "../../harness/conversation.ts";
import { executing, noticesOf, setPlan, statusesOf, step, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

const two = ["Write", "Sign"].map((description, index) => ({ id: `s${index + 1}`, description }));

export function describePlanOrder(stage: Stage): void {
  describe("a step that is added before the active one", () => {
    test("is the one to execute; the later one is open again and keeps its snapshot", async () => {
      const added = { name: "update_plan", args: { addSteps: [{ description: "Test", after: "s1" }] } };
      const { talk } = await executing(
        stage,
        setPlan("Do it", two),
        [{ calls: [step("s1", "done", "wrote")] }, { calls: [added] }, { text: "ok" }, { text: "ok" }],
        "auto",
      );
      expect(talk.result("update_plan").content).toContain(
        "Step s3 comes first and is the active one now; step s2 is pending again.",
      );
      expect(statusesOf(talk)).toEqual(["s1 done", "s3 active", "s2 pending"]);
      expect(talk.plan?.steps[2]?.snapshot).toBeDefined();
      stage.model().play([{ calls: [step("s3", "done", "tested")] }, { text: "ok" }, { text: "ok" }]);
      await talk.say("Go on");
      expect(statusesOf(talk)).toEqual(["s1 done", "s3 done", "s2 active"]);
    });
  });

  test("a done step stays done, and the model is told what can still be reported", async () => {
    const { talk } = await executing(stage, setPlan("Do it", two), [
      { calls: [step("s1", "done", "wrote")] },
      { calls: [step("s1", "pending")] },
      { text: "ok" },
      { text: "ok" },
    ]);
    expect(talk.result("update_plan").content).toBe(
      "Step s1 is done and stays so: add what is missing with addSteps, or ask the person to undo it.",
    );
  });

  test("a second report of the same step explains why it is refused, and what to do; notes name their author", async () => {
    const failing = [{ ...two[0], checkpoint: { command: "test -f late.txt" }, onFail: "retry" }, two[1]];
    const { talk } = await executing(stage, setPlan("Do it", failing), [
      { calls: [step("s1", "done", "wrote")] },
      { calls: [{ name: "get_plan" }] },
      { calls: [write("late.txt"), step("s1", "done", "wrote it")] },
      { calls: [step("s1", "done", "wrote it")] },
      { calls: [{ name: "get_plan" }] },
      { text: "ok" },
      { text: "ok" },
    ]);
    expect(talk.result("update_plan").content).toBe(
      "Not taken: step s1 is done since an earlier report, and is not checked again. Work on step s2, and report that one.",
    );
    const plans = talk.messages.filter((message) => message.role === "tool" && message.name === "get_plan");
    expect(plans[0]?.content).toContain("1. [s1] active; the engine's note: attempt 2 of 3: one failed");
    expect(plans[1]?.content).toContain("1. [s1] done; the model's note: wrote it");
  });

  describe("what follows a report in the same answer and needs permission", () => {
    const calls = (report: string) => [
      step("s1", "done", report),
      { id: "rm-1", name: "run_command", args: { command: "rm -rf old" } },
      { id: "rm-2", name: "run_command", args: { command: "rm -rf older" } },
    ];
    const checked = (command: string) => [{ ...two[0], checkpoint: { command } }, two[1]];
    const asked = (events: readonly TurnEvent[]) =>
      events.flatMap(({ event, data }) => (event === "permission" ? [data.toolCallId] : []));

    test("is not asked for where the check fails", async () => {
      const { talk, events } = await executing(stage, setPlan("Do it", checked("false")), [
        { calls: calls("wrote") },
        { text: "It failed." },
      ]);
      expect(asked(events)).toEqual([]);
      expect(talk.result("run_command").content).toBe("not run: the checkpoint of step s1 failed");
    });

    test("is asked for at once when it has passed", async () => {
      const { talk, events } = await executing(stage, setPlan("Do it", checked("true")), [
        { calls: calls("wrote") },
      ]);
      expect(asked(events)).toEqual(["rm-1", "rm-2"]);
      expect(statusesOf(talk)).toEqual(["s1 done", "s2 active"]);
    });
  });

  describe("a plan that the model sets outside planning", () => {
    const script = [{ calls: [setPlan("Do it", two)] }, { text: "ok" }, { text: "ok" }];

    test("starts in auto mode: its first step is active, and stopping early gets a reminder", async () => {
      const talk = await stage.open(script, "auto");
      const events = await talk.say("Do it");
      expect(dataOf(events, "turn.done")).toMatchObject({ reason: "stop", steps: { over: 0, total: 2 } });
      expect(talk.result("set_plan").content).toContain("Plan version 1 is under way: step s1 is active.");
      expect(talk.plan?.status).toBe("executing");
      expect(statusesOf(talk)).toEqual(["s1 active", "s2 pending"]);
      expect(noticesOf(talk, "plan_open")).toHaveLength(1);
    });

    test("what its answer wrote beside it is undone with its first step", async () => {
      const beside = [write("early.txt"), setPlan("Do it", two), write("late.txt")];
      const talk = await stage.open([{ calls: beside }, { text: "ok" }, { text: "ok" }], "auto");
      await talk.say("Do it");
      expect(await stage.file(talk, "late.txt")).toBe("x\n");
      await talk.turn({ type: "rewind", stepId: "s1" });
      for (const path of ["early.txt", "late.txt"]) expect(await stage.file(talk, path)).toBeUndefined();
    });

    test("stays a draft in normal mode", async () => {
      const talk = await stage.open(script, "normal");
      await talk.say("Do it");
      expect(talk.result("set_plan").content).toContain("Plan version 1 installed.");
      expect(talk.plan?.status).toBe("draft");
    });
  });
}
