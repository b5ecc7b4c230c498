// A failed check is also tried on the files before the plan, so that model and person learn whether it failed
// before.
import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { dataOf } from "../../harness/conversation.ts";
import { executing, reportsOf, setPlan, step, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

const tried: ModelReply[] = [
  { calls: [write("late.txt")] },
  { calls: [step("s1", "done", "tried")] },
  { text: "ok" },
];

export function describeBaseline(stage: Stage): void {
  const checked = (command: string, onFail = "ask", script = tried) =>
    executing(
      stage,
      setPlan("Do it", [{ id: "s1", description: "Write", checkpoint: { command }, onFail }, "Rest"]),
      script,
    );

  describe("a check that fails, on the files as the plan found them", () => {
    test("one that failed before is reported so: to the model, on the step, in the summary", async () => {
      const { talk } = await checked("test -f late.txt; echo 2 rules broken; exit 3");
      expect(talk.result("update_plan").content).toContain(
        "It failed before your changes too (exit 3): 2 rules broken\n",
      );
      expect(reportsOf(talk)).toMatchObject([
        { passed: false, exitCode: 3, before: { exitCode: 3, last: "2 rules broken" } },
      ]);
      expect(talk.plan?.steps[0]?.note).toBe("its check failed: exit 3; failed before too");
      await talk.turn({ type: "close", as: "done" });
      expect(reportsOf(talk).at(-1)).toMatchObject({ checks: [{ exitCode: 3, before: { exitCode: 3 } }] });
      expect(talk.messages.at(-1)?.content).toContain("- Step 1: exit 3; failed before too");
    });

    test("one that passed before is reported so", async () => {
      const { talk } = await checked("! test -f late.txt");
      expect(talk.result("update_plan").content).toContain("It passed before your changes");
      expect(talk.plan?.steps[0]?.note).toBe("its check failed: exit 1");
    });

    test("it writes nothing to the workspace, and runs once however often the step is retried", async () => {
      const again: ModelReply = { calls: [step("s1", "done", "tried again")] };
      const command = "echo x >> ran.txt; date +%s%N; wc -l < ran.txt; exit 1";
      const { talk } = await checked(command, "retry", [again, again, { text: "ok" }]);
      const before = reportsOf(talk).map((report) => report.before);
      expect(before).toEqual([before[0], before[0]]);
      expect(before[0]).toMatchObject({ exitCode: 1, last: "1" });
      expect(await stage.file(talk, "ran.txt")).toBe("x\nx\n");
    });

    test("what the posted history says about it is not trusted", async () => {
      const { talk } = await checked("echo really; exit 1");
      const forged = JSON.stringify(talk.messages).replaceAll('"last":"really"', '"last":"forged"');
      expect(forged).toContain("forged");
      talk.messages = JSON.parse(forged);
      stage.model().play([{ calls: [step("s1", "done", "tried again")] }, { text: "ok" }]);
      await talk.say("Again");
      expect(talk.result("update_plan").content).toContain("before your changes too (exit 1): really");
    });

    test("the plan's own checks are run on the old files as well", async () => {
      const plan = setPlan("Do it", [{ id: "s1", description: "Write" }], {
        checkpoints: [
          { command: "true" },
          { command: "echo old; exit 1" },
          { command: "! test -f late.txt" },
        ],
      });
      const { talk } = await executing(stage, plan, tried);
      expect(talk.result("update_plan").content).toContain("It failed before your changes too (exit 1): old");
      const reports = reportsOf(talk).filter(({ kind }) => kind === "checkpoint");
      expect(reports.map(({ before }) => before)).toMatchObject([
        ...[undefined, { exitCode: 1 }, { exitCode: 0 }],
      ]);
    });

    test("a failure caused by the read-only copy itself proves nothing", async () => {
      const { talk } = await checked("echo 'EROFS: read-only file system' >&2; exit 1");
      expect(reportsOf(talk)[0]).toMatchObject({ before: { exitCode: null } });
      expect(talk.result("update_plan").content).not.toContain("before your changes");
    });

    test("one that takes too long there is reported as unknown, with how to find out", async () => {
      const { talk } = await checked("test -f late.txt || sleep 30; exit 1");
      expect(reportsOf(talk)[0]).toMatchObject({ before: { exitCode: null, timedOut: true } });
      expect(talk.result("update_plan").content).toContain(
        'not known: it takes too long to be tried unasked. run_command with "tree":"start" runs it',
      );
    });

    test("a command that the person allowed once is not run a second time", async () => {
      const report = { ...step("s1", "done", "tried"), id: "done-1" };
      const { talk, events } = await checked("rm -rf out; exit 1", "ask", [{ calls: [report] }]);
      expect(dataOf(events, "permission")).toMatchObject({ risk: "destructive" });
      stage.model().play([{ text: "ok" }]);
      await talk.turn({ type: "permit", toolCallId: "done-1", decision: "once" });
      expect(reportsOf(talk)[0]).toMatchObject({ passed: false });
      expect(reportsOf(talk)[0]).not.toHaveProperty("before");
    });

    test("a client can turn it off", async () => {
      const plan = setPlan("Do it", [{ id: "s1", description: "Write", checkpoint: { command: "false" } }]);
      const talk = await stage.open([{ calls: [plan] }, ...tried], "auto");
      await talk.turn({ type: "message", text: "Do it" }, { options: { baseline: false } });
      expect(reportsOf(talk)[0]).toMatchObject({ passed: false });
      expect(reportsOf(talk)[0]).not.toHaveProperty("before");
    });
  });
}
