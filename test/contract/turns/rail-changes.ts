// An approved plan changes only with the person's approval, and its totals are true.
import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { type Conversation, dataOf } from "../../harness/conversation.ts";
import { countOf, executing, noticesOf, reportsOf, setPlan, statusesOf, step, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

const three = ["Write", "Test", "Rest"].map((description, index) => ({ id: `s${index + 1}`, description }));

export function describeRailChanges(stage: Stage): void {
  const run = (steps: unknown[], script: ModelReply[], mode?: "normal" | "auto") =>
    executing(stage, setPlan("Do it", steps), script, mode);

  describe("a change of an approved plan", () => {
    const rewritten = { ...setPlan("Do it", [...three, "Publish"]), id: "set-1" };

    test("that the person denies leaves the plan as it was approved", async () => {
      const { talk } = await run(three, [{ calls: [rewritten] }]);
      stage.model().play([{ text: "ok" }]);
      await talk.turn({ type: "permit", toolCallId: "set-1", decision: "deny" });
      expect(talk.plan).toMatchObject({ version: 1, status: "executing", steps: { length: 3 } });
      expect(talk.result("set_plan").content).toContain(
        "denied by the person\nThe plan stays as the person approved it, without what you wanted: Added Step 4: Publish.\nThey gave",
      );
    });

    test("by set_plan continues in the new version once it is approved; started steps keep their snapshots", async () => {
      const { talk } = await run(three, [{ calls: [write("early.txt"), rewritten] }]);
      const snapshot = talk.plan?.steps[0]?.snapshot;
      stage.model().play([{ text: "ok" }]);
      await talk.turn({ type: "permit", toolCallId: "set-1", decision: "once" });
      expect(talk.plan).toMatchObject({ version: 2, status: "executing" });
      expect(talk.plan?.steps[0]).toMatchObject({ status: "active", snapshot });
    });

    test("is shown whole, however long it is", async () => {
      const actions = Array.from({ length: 40 }, (_, n) => `${n} ${"word ".repeat(90)}`);
      const [first, ...rest] = three;
      const steps = [
        { ...first, actions },
        ...rest,
        { description: "Last", checkpoint: { command: "test -d unseen" } },
      ];
      const { events } = await run(three, [{ calls: [{ ...setPlan("Do it", steps), id: "set-1" }] }]);
      const { change } = dataOf(events, "permission");
      expect(change?.diff.length).toBeGreaterThan(16_384);
      expect(change?.diff).toContain("test -d unseen");
    });

    test("is shown and not asked for in auto mode; notes are not changes", async () => {
      const noted = { name: "update_plan", args: { note: "Half way", steps: [{ id: "s1", note: "soon" }] } };
      const { talk, events } = await run(three, [{ calls: [noted] }, { text: "ok" }]);
      expect(events.some(({ event }) => event === "permission")).toBe(false);
      expect(talk.plan?.status).toBe("executing");
      const auto = await run(three, [{ calls: [rewritten] }, { text: "ok" }], "auto");
      expect(auto.events.some(({ event }) => event === "permission")).toBe(false);
      expect(auto.talk.plan).toMatchObject({ version: 2, status: "executing", steps: { length: 4 } });
    });
  });

  describe("an approval", () => {
    const asked = async (talk: Conversation, mode: "normal" | "auto") => {
      talk.mode = mode;
      const call = { ...setPlan("Do it", [...three, "Publish it all"]), id: `set-${talk.messages.length}` };
      stage.model().play([{ calls: [call] }, { text: "ok" }, { text: "ok" }]);
      const events = await talk.say("Go on");
      return events.some(({ event, data }) => event === "permission" && "change" in data);
    };

    test("survives an edit by the person: their text becomes the plan, and later changes by the model ask", async () => {
      const { talk } = await run(three, [
        { calls: [step("s1", "done", "wrote"), write("b.txt")] },
        { text: "ok" },
        { text: "ok" },
      ]);
      const snapshots = talk.plan?.steps.map(({ snapshot }) => snapshot);
      expect(snapshots).toEqual([expect.any(String), expect.any(String), undefined]);
      const markdown = talk.plan?.markdown.replace("Rest", "Rest well");
      stage.model().play([{ text: "ok" }, { text: "ok" }]);
      await talk.turn(
        { type: "message", text: "Like this" },
        { plan: talk.plan && { ...talk.plan, markdown: markdown ?? "" } },
      );
      expect(talk.plan).toMatchObject({ version: 2, source: "person", status: "executing" });
      expect(statusesOf(talk)).toEqual(["s1 done", "s2 active", "s3 pending"]);
      expect(talk.plan?.steps.map(({ snapshot }) => snapshot)).toEqual(snapshots);
      expect(await asked(talk, "normal")).toBe(true);
    });

    test("covers what was shown in auto mode; changes after a return to normal mode ask", async () => {
      const { talk } = await run(
        three,
        [{ calls: [{ ...setPlan("Do it", three.slice(0, 2)) }] }, { text: "ok" }, { text: "ok" }],
        "auto",
      );
      expect(talk.plan).toMatchObject({ version: 2, status: "executing" });
      expect(await asked(talk, "auto")).toBe(false);
      stage.model().play([{ calls: [{ name: "update_plan", args: { removeSteps: ["s3"] } }] }]);
      talk.mode = "normal";
      expect(dataOf(await talk.say("Go on"), "permission")).toMatchObject({ risk: "plan_change" });
    });

    test("is what auto mode shows of a plan that starts there: back in normal mode its changes ask", async () => {
      const talk = await stage.open([{ calls: [setPlan("Do it", three)] }, { text: "ok" }], "auto");
      await talk.say("Do it");
      expect(talk.plan?.status).toBe("executing");
      expect(await asked(talk, "auto")).toBe(false);
      talk.mode = "normal";
      stage.model().play([{ calls: [{ name: "update_plan", args: { removeSteps: ["s3"] } }] }]);
      expect(dataOf(await talk.say("Go on"), "permission")).toMatchObject({ risk: "plan_change" });
    });

    test("of a failed step cannot be avoided in auto mode by a plan without that step", async () => {
      const steps = [
        { id: "s1", description: "Write", checkpoint: { command: "false" } },
        { id: "s2", description: "Rest" },
      ];
      const { talk, events } = await run(
        steps,
        [
          { calls: [step("s1", "done", "wrote")] },
          { calls: [{ name: "update_plan", args: { removeSteps: ["s1"] } }] },
        ],
        "auto",
      );
      expect(dataOf(events, "permission")).toMatchObject({ risk: "plan_change" });
      expect(statusesOf(talk)).toEqual(["s1 failed", "s2 pending"]);
    });
  });

  describe("a step that is only a check", () => {
    const tested = (command: string) => ({ id: "s2", description: "Run the tests", checkpoint: { command } });
    const rest = { id: "s3", description: "Rest" };
    const first = { id: "s1", description: "Write" };

    test("runs by itself when it is its turn, and then the next step is active; where it fails its rule applies", async () => {
      const done: ModelReply[] = [{ calls: [step("s1", "done", "wrote")] }, { text: "ok" }, { text: "ok" }];
      const passed = await run([first, tested("test -d ."), rest], done);
      expect(statusesOf(passed.talk)).toEqual(["s1 done", "s2 done", "s3 active"]);
      expect(passed.talk.result("update_plan").content).toContain("Step s2 is done: its check passed.");
      const failed = await run([first, tested("echo red; false"), rest], done);
      expect(statusesOf(failed.talk)).toEqual(["s1 done", "s2 failed", "s3 pending"]);
      expect(failed.talk.result("update_plan").content).toContain("failed: exit 1\nred");
    });

    test("waits for a report where it, or the plan's own check after it, needs permission", async () => {
      const done: ModelReply[] = [{ calls: [step("s1", "done", "wrote")] }, { text: "ok" }, { text: "ok" }];
      const asks = await run([first, tested("git push"), rest], done);
      expect(statusesOf(asks.talk)).toEqual(["s1 done", "s2 active", "s3 pending"]);
      const plan = setPlan("Do it", [first, tested("true")], { checkpoints: [{ command: "git push" }] });
      const last = await executing(stage, plan, done);
      expect(statusesOf(last.talk)).toEqual(["s1 done", "s2 active"]);
    });

    test("runs at the approval where it comes first: the model reads its result, once, before its first answer", async () => {
      const { talk } = await run([tested("echo 7 passed"), rest], [{ text: "ok" }, { text: "ok" }]);
      expect(statusesOf(talk)).toEqual(["s2 done", "s3 active"]);
      const wire = stage.model().requests.at(-2)?.body.messages;
      expect(wire?.at(-1)?.content).toContain(
        "Step s2 is done: its check passed. It exited 0. Its last lines:\n7 passed\nStep s3 is active.",
      );
      expect(countOf(JSON.stringify(wire), "verifier_report")).toBe(0);
    });

    test("that comes first and fails follows its rule, and no changes are claimed that nobody made", async () => {
      const asks = await run([tested("echo red; false"), rest], [{ text: "ok" }]);
      expect(statusesOf(asks.talk)).toEqual(["s2 failed", "s3 pending"]);
      expect(noticesOf(asks.talk, "plan_step").at(-1)).toMatch(
        /failed: exit 1\nred\nNothing had been changed when it ran\.\n.*Call ask_user/s,
      );
      expect(reportsOf(asks.talk)).toMatchObject([{ passed: false, before: { exitCode: 1, last: "red" } }]);
      const asked = stage.model().requests.length;
      const stops = await run([{ ...tested("false"), onFail: "stop" }, rest], [{ text: "not asked" }]);
      expect(dataOf(stops.events, "turn.done")).toMatchObject({ reason: "stop", rounds: 0 });
      expect(stage.model().requests.length - asked).toBe(1);
    });

    test("alone in its plan, it finishes the plan", async () => {
      const { talk } = await run([tested("true")], [{ text: "Nothing was to be done." }]);
      expect(talk.plan?.status).toBe("done");
      expect(talk.messages.at(-1)?.content).toBe("Nothing was to be done.");
    });
  });

  describe("the totals of a plan", () => {
    test("count the last run of each check and name what did not pass; a note is marked as the model's", async () => {
      const steps = [
        { id: "s1", description: "Part 1", checkpoint: { command: "test -f b" }, onFail: "retry" },
      ];
      const talk = await stage.open(
        [
          {
            calls: [
              setPlan("Do it", steps, { checkpoints: [{ command: "false" }] }),
              { name: "exit_plan", args: {} },
            ],
          },
        ],
        "plan",
      );
      await talk.say("Plan");
      stage
        .model()
        .play([
          { calls: [step("s1", "done", "tried")] },
          { calls: [write("b"), step("s1", "done", "all tests pass")] },
          { text: "ok" },
        ]);
      await talk.approve();
      const text = talk.messages.find(({ content }) => content.startsWith("Finished:"))?.content ?? "";
      expect(text).toContain("Checks: 1 of 2 passed\n- Step 1: passed\n- false: exit 1");
      expect(text).toContain("Earlier attempts, not counted\n- Step 1: exit 1");
      expect(text).toContain("1. Part 1: done; the model's note: all tests pass");
    });
  });
}
