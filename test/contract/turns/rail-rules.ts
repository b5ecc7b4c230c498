// The rules of an approved plan during its execution: reports in order, failures, more time, changes, correct
// totals.
import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { dataOf } from "../../harness/conversation.ts";
import { postTurn } from "../../harness/sse.ts";
import { executing, noticesOf, reportsOf, setPlan, statusesOf, step, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

const three = ["Write", "Test", "Rest"].map((description, index) => ({ id: `s${index + 1}`, description }));
const reports = (...steps: [string, string, string?][]) => ({
  name: "update_plan",
  args: { steps: steps.map(([id, status, note]) => ({ id, status, ...(note ? { note } : {}) })) },
});
const question = (id: string) => ({
  id,
  name: "ask_user",
  args: {
    summary: "It failed.",
    questions: [{ id: "how", label: "How", prompt: "How to go on?", type: "free_text" }],
  },
});

export function describeRailRules(stage: Stage): void {
  const run = (steps: unknown[], script: ModelReply[], mode?: "normal" | "auto") =>
    executing(stage, setPlan("Do it", steps), script, mode);
  const checked = (...commands: string[]) =>
    commands.map((command, index) => ({
      id: `s${index + 1}`,
      description: `Part ${index + 1}`,
      checkpoint: { command },
    }));

  describe("reports of progress", () => {
    test("done counts for the active step only, and a step is skipped with a reason only", async () => {
      const { talk } = await run(three, [{ calls: [step("s3", "done", "rested")] }, { text: "ok" }]);
      expect(talk.result("update_plan")).toMatchObject({
        ok: false,
        content: expect.stringContaining("step s3 is not the one to work on. Step s1 is"),
      });
      expect(statusesOf(talk)).toEqual(["s1 active", "s2 pending", "s3 pending"]);
      stage.model().play([{ calls: [step("s1", "skipped")] }, { text: "ok" }]);
      await talk.say("Go on");
      expect(talk.result("update_plan").content).toContain("skipped with a reason");
      stage.model().play([{ calls: [reports(["s1", "skipped", "there already"])] }, { text: "ok" }]);
      await talk.say("Go on");
      expect(statusesOf(talk)).toEqual(["s1 skipped", "s2 active", "s3 pending"]);
    });

    test("several in one call are taken one by one, each with its check, up to the first that fails", {
      tags: "long",
    }, async () => {
      const { talk } = await run(checked("touch one", "touch two; false", "touch three"), [
        { calls: [reports(["s3", "done", "c"], ["s1", "done", "a"], ["s2", "done", "b"])] },
        { text: "ok" },
      ]);
      expect(statusesOf(talk)).toEqual(["s1 done", "s2 failed", "s3 pending"]);
      expect(await stage.file(talk, "two")).toBe("");
      expect(await stage.file(talk, "three")).toBeUndefined();
      expect(talk.plan?.steps[1]?.snapshot).not.toBe(talk.plan?.steps[0]?.snapshot);
    });

    test("in one call are asked for together, and a denial says that none was taken and which can be", {
      tags: "long",
    }, async () => {
      const { talk } = await run(checked("true", "rm -rf gone"), [
        { calls: [{ id: "both", ...reports(["s1", "done", "a"], ["s2", "done", "b"]) }] },
      ]);
      stage.model().play([{ calls: [step("s1", "done", "a")] }, { text: "ok" }, { text: "ok" }]);
      await talk.turn({ type: "permit", toolCallId: "both", decision: "deny" });
      const [denied] = talk.messages.filter(({ role }) => role === "tool").slice(-2);
      expect(denied?.content).toContain(
        "None of its reports was taken: report one by one what needs no permission.",
      );
      expect(statusesOf(talk)).toEqual(["s1 done", "s2 active"]);
    });

    test("a whole list of statuses, as models send it, changes only what is new in it", {
      tags: "long",
    }, async () => {
      const { talk } = await run(three, [
        { calls: [reports(["s1", "done", "a"], ["s2", "active"], ["s3", "pending"])] },
        { calls: [reports(["s1", "done", "a"], ["s2", "done", "b"], ["s3", "active"])] },
        { text: "ok" },
      ]);
      expect(talk.result("update_plan").ok).toBe(true);
      expect(statusesOf(talk)).toEqual(["s1 done", "s2 done", "s3 active"]);
    });
  });

  describe("a step that failed", () => {
    test("blocks later ones until the person was asked; then it may be skipped", {
      tags: "long",
    }, async () => {
      const { talk } = await run(checked("false", "true"), [
        { calls: [step("s1", "done", "tried")] },
        { calls: [reports(["s1", "skipped", "does not matter"], ["s2", "active"])] },
        { calls: [question("ask-1")] },
      ]);
      expect(talk.result("update_plan").content).toContain("call ask_user before another step begins");
      expect(statusesOf(talk)).toEqual(["s1 failed", "s2 pending"]);
      stage.model().play([{ calls: [step("s1", "skipped", "the person said so")] }, { text: "ok" }]);
      await talk.turn({ type: "answers", toolCallId: "ask-1", answers: [{ id: "how", raw: "skip it" }] });
      expect(statusesOf(talk)).toEqual(["s1 skipped", "s2 active"]);
    });

    test("can be explained by the model without a reminder, and to continue is the person's decision", {
      tags: "long",
    }, async () => {
      const { talk, events } = await run(checked("false", "true"), [
        { calls: [step("s1", "done", "tried")] },
        { text: "The check fails. How shall I go on?" },
      ]);
      expect(dataOf(events, "turn.done")).toMatchObject({ reason: "stop", rounds: 2 });
      stage.model().play([{ text: "ok" }]);
      await talk.turn({ type: "continue" });
      expect(statusesOf(talk)).toEqual(["s1 active", "s2 pending"]);
      expect(noticesOf(talk, "plan_step").at(-1)).toContain(
        "The person has had their say on step s1, which failed.\nStep s1 is active.",
      );
    });

    test("by the model's own report follows the plan's rule", async () => {
      const steps = [{ ...three[0], onFail: "rollback" }, three[1]];
      const { talk } = await run(steps, [
        { calls: [write("made.txt")] },
        { calls: [step("s1", "failed", "wrong way")] },
        { text: "ok" },
      ]);
      expect(await stage.file(talk, "made.txt")).toBeUndefined();
      expect(statusesOf(talk)).toEqual(["s1 active", "s2 pending"]);
    });
  });

  describe("a check that times out", () => {
    test("has not failed, names its limit, and gets more time without an approval", {
      tags: "long",
    }, async () => {
      const slow = "test -f quick || sleep 30";
      const steps = [
        { id: "s1", description: "Wait", checkpoint: { command: slow, timeoutMs: 1_000 } },
        three[1],
      ];
      const longer = { id: "s1", checkpoint: { command: slow, timeoutMs: 20_000 } };
      const { talk, events } = await run(steps, [
        { calls: [step("s1", "done", "waited")] },
        { calls: [{ name: "update_plan", args: { steps: [longer] } }, write("quick")] },
        { calls: [step("s1", "done", "waited longer")] },
        { text: "ok" },
      ]);
      expect(events.some(({ event }) => event === "permission")).toBe(false);
      // This is reported before the model is called again; the message of its call may come only with the
      // answer.
      const cut = events.findIndex(({ event, data }) => event === "tool.ended" && data.outOfTime === true);
      const next = events.slice(cut + 1).find(({ event }) => event === "message" || event === "model.wait");
      expect(next?.event).toBe("model.wait");
      expect(reportsOf(talk)[0]).toMatchObject({ passed: false, timedOut: true, limitMs: 1_000 });
      const said = talk.messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));
      expect(said.find((text) => text.includes("ran out of time"))).toMatch(
        /limit of 1 s[\s\S]*neither passed nor failed[\s\S]*"timeoutMs":3000/,
      );
      expect(talk.plan?.steps[0]).toMatchObject({ status: "done", checkpoint: { timeoutMs: 20_000 } });
    });
  });

  describe("an unfinished plan", () => {
    test("is reminded of again after progress, and not where the person only asked something", {
      tags: "long",
    }, async () => {
      const { talk, events } = await run(three, [
        { calls: [step("s1", "done", "wrote")] },
        { text: "Stop one." },
        { calls: [step("s2", "done", "tested")] },
        { text: "Stop two." },
      ]);
      expect(dataOf(events, "turn.done")).toMatchObject({ rounds: 5, steps: { over: 2, total: 3 } });
      expect(noticesOf(talk, "plan_open")).toHaveLength(2);
      stage.model().play([{ calls: [{ name: "list_files", args: {} }] }, { text: "It is a note." }]);
      const asked = await talk.say("What did you do?");
      expect(dataOf(asked, "turn.done")).toMatchObject({ rounds: 2, steps: { over: 2, total: 3 } });
    });

    test("that continues after a rewind is announced to the model, which last read that files went back", {
      tags: "long",
    }, async () => {
      const { talk } = await run(three, [{ text: "I stop." }]);
      await talk.turn({ type: "rewind", stepId: "s1" });
      stage.model().play([{ text: "ok" }]);
      await talk.turn({ type: "continue" });
      const told = stage.model().requests.at(-2)?.body.messages.at(-2);
      expect(told).toMatchObject({
        role: "user",
        content: expect.stringContaining("The person asks you to continue with step s1."),
      });
    });

    test("can be closed as abandoned; one that is not executing cannot", async () => {
      const { talk } = await run(three, [{ text: "ok" }]);
      await talk.turn({ type: "close", as: "abandoned" });
      expect(talk.plan?.status).toBe("abandoned");
      expect(talk.messages.at(-1)?.content).toContain("left the plan as it is, with 0 of 3 steps done");
      const again = await postTurn(stage.product(), talk.body({ type: "close", as: "done" }));
      expect(again.status).toBe(400);
    });

    test("is closed by a plan for another goal: the repository is scanned again, and question rounds start over", {
      tags: "long",
    }, async () => {
      const { talk } = await run(three, [{ calls: [question("ask-1")] }]);
      expect(talk.plan?.round).toBe(1);
      stage.model().play([{ text: "ok" }]);
      await talk.turn({ type: "answers", toolCallId: "ask-1", answers: [{ id: "how", raw: "on" }] });
      talk.mode = "plan";
      stage.model().play([{ calls: [setPlan("Another goal", ["Dig"]), { name: "exit_plan", args: {} }] }]);
      const events = await talk.say("Something else now");
      expect(noticesOf(talk, "context_scan")).toHaveLength(2);
      const plans = events.flatMap((event) => (event.event === "plan" ? [event.data.plan] : []));
      expect(plans.map(({ status, round }) => [status, round])).toEqual([
        ["abandoned", 1],
        ["draft", 0],
        ["proposed", 0],
      ]);
    });
  });
}
