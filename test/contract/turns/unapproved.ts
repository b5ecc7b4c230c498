// Nothing unapproved begins: neither a plan that waits for the person, nor a check that they would have to
// allow.
import { describe, expect, test } from "vitest";
import { dataOf, names } from "../../harness/conversation.ts";
import { exitPlan, reportsOf, setPlan, step } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

export function describeUnapproved(stage: Stage): void {
  describe("a plan that was not approved", () => {
    const steps = [{ id: "s1", description: "Write", checkpoint: { command: "touch ran.txt" } }, "Rest"];
    const reports = [{ calls: [step("s1", "done", "did it")] }, { text: "Well." }, { text: "Well." }];
    const exchanged = { name: "update_plan", args: { steps: [{ id: "s2", description: "Rest well" }] } };

    test.each([
      ["proposed", "normal"],
      ["rejected", "normal"],
      ["rejected", "auto"],
      ["held and then changed", "normal"],
    ] as const)("is not started by a report: %s, in %s mode", async (how, mode) => {
      const talk = await stage.open([{ calls: [setPlan("Do it", steps), exitPlan] }], "plan");
      await talk.say("Plan");
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      stage.model().play(how === "rejected" ? [{ text: "I see." }] : [{ calls: [exchanged, exitPlan] }]);
      if (how === "rejected") await talk.turn({ type: "reject", planVersion, feedback: "No" });
      if (how === "held and then changed") {
        await talk.turn({ type: "approve", planVersion, planHash, mode: "normal", hold: true });
        await talk.say("Rest well");
      }
      const before = talk.plan;
      talk.mode = mode;
      stage.model().play(reports);
      await talk.say("What does it say?");
      expect(talk.result("update_plan").content).toContain(
        `error: update_plan: the person has not approved this plan (version ${before?.version})`,
      );
      expect(talk.plan).toEqual(before);
      expect(reportsOf(talk)).toEqual([]);
      expect(await stage.file(talk, "ran.txt")).toBeUndefined();
    });

    test("a version based on it waits for the person too, and can be approved", async () => {
      const talk = await stage.open([{ calls: [setPlan("Do it", steps), exitPlan] }], "plan");
      await talk.say("Plan");
      talk.mode = "auto";
      stage.model().play([{ calls: [setPlan("Do it", [...steps, "Say so"])] }, ...reports]);
      const events = await talk.say("Go on");
      expect(names(events)).toContain("proposal");
      expect(talk.plan).toMatchObject({ version: 2, status: "proposed" });
      stage.model().play(reports);
      await talk.approve("auto");
      expect(await stage.file(talk, "ran.txt")).toBe("");
    });

    test("a different plan, which the model makes itself outside plan mode, starts", async () => {
      const talk = await stage.open([{ calls: [setPlan("Paint it", ["Paint"]), exitPlan] }], "plan");
      await talk.say("Plan");
      talk.mode = "normal";
      stage.model().play([{ calls: [setPlan("Do it", steps)] }, ...reports]);
      await talk.say("Do something else");
      expect(await stage.file(talk, "ran.txt")).toBe("");
    });
  });

  test.each(["done", "failed"])("a last step reported %s asks before a destructive check", async (status) => {
    const plan = setPlan("Do it", [{ id: "s1", description: "Write", onFail: "skip" }], {
      checkpoints: [{ command: "rm -rf src" }],
    });
    const talk = await stage.open([{ calls: [plan] }, { calls: [step("s1", status, "n")] }, { text: "ok" }]);
    const events = await talk.say("Do it");
    expect(dataOf(events, "permission")).toMatchObject({ risk: "destructive", commands: ["rm -rf src"] });
    expect(talk.plan?.status).not.toBe("done");
  });
}
