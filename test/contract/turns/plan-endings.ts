// Plans that end, are undone or are planned again: the last checks, the finish summary, undo, `/plan` during
// the work.
import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { dataOf } from "../../harness/conversation.ts";
import {
  executing,
  firstOfRun,
  lastWire,
  reportsOf,
  setPlan,
  statusesOf,
  step,
  write,
} from "./plan-script.ts";
import type { Stage } from "./stage.ts";

const two = [
  { id: "s1", description: "Write" },
  { id: "s2", description: "More" },
];

export function describePlanEndings(stage: Stage): void {
  const run = (steps: unknown[], script: ModelReply[], more: Record<string, unknown> = {}) =>
    executing(stage, setPlan("Do it", steps, more), script);

  describe("the end of a plan", () => {
    const one = [{ id: "s1", description: "Write" }];
    const end: ModelReply[] = [
      { calls: [step("s1", "active")] },
      { calls: [step("s1", "done", "wrote it")] },
      { text: "Done." },
    ];

    test("checkpoints of the whole plan run after the last step, and are listed in the summary", async () => {
      const checkpoints = ["look at it", { command: "test -d ." }, { command: "echo broken; exit 2" }];
      const { talk } = await run(one, end, { checkpoints });
      expect(talk.result("update_plan").content).toMatch(/check 2 failed: exit 2\nbroken/);
      expect(reportsOf(talk).at(-1)).toMatchObject({
        kind: "finish",
        checks: [
          { command: "test -d .", exitCode: 0 },
          { command: "echo broken; exit 2", exitCode: 2 },
        ],
      });
    });

    test("a destructive one waits for the person before the last step is reported done", async () => {
      const done = { ...step("s1", "done", "wrote it"), id: "done-2" };
      const { talk, events } = await run(one, [{ calls: [step("s1", "active")] }, { calls: [done] }], {
        checkpoints: [{ command: "rm -rf package.json" }],
      });
      expect(dataOf(events, "permission")).toMatchObject({ toolCallId: "done-2", risk: "destructive" });
      expect(statusesOf(talk)).toEqual(["s1 active"]);
      expect(await stage.file(talk, "package.json")).toBeDefined();
      stage.model().play([{ text: "Done." }]);
      await talk.turn({ type: "permit", toolCallId: "done-2", decision: "once" });
      expect(await stage.file(talk, "package.json")).toBeUndefined();
      expect(talk.plan?.status).toBe("done");
    });

    test("several that need permission are asked for together, so that none runs unasked", async () => {
      const steps = [{ id: "s1", description: "Write", checkpoint: { command: "rm -rf left" } }];
      const checkpoints = [{ command: "git push" }, { command: "true" }];
      const { events } = await run(steps, [{ calls: [step("s1", "done", "wrote it")] }], { checkpoints });
      const { risk, why } = dataOf(events, "permission");
      expect(risk).toBe("remote");
      expect(why.split("\n").map((line) => line.split(": ")[0])).toEqual([
        "The checkpoint `git push`",
        "The checkpoint `rm -rf left`",
        // The command needs the network too.
        "The checkpoint `git push`",
      ]);
    });

    test("what is allowed for the session at one checkpoint stays allowed at the next", async () => {
      const checkpoint = { command: "rm -rf left" };
      const steps = two.map((each) => ({ ...each, checkpoint }));
      const first = { ...step("s1", "done", "wrote"), id: "done-1" };
      const { talk } = await run(steps, [{ calls: [first] }]);
      stage.model().play([{ calls: [step("s2", "done", "more")] }, { text: "Done." }]);
      await talk.turn({ type: "permit", toolCallId: "done-1", decision: "session" });
      expect(talk.plan?.status).toBe("done");
    });

    test("a plan without steps is executing until the model has worked and stops; then its checks run", async () => {
      const text = "# Goal\n\nCopy it\n\n# Checkpoints\n\n- check: test -f copy.json\n- check: false\n";
      const talk = await stage.open([{ calls: [{ name: "exit_plan", args: { plan: text } }] }], "plan");
      await talk.say("Copy package.json");
      stage.model().play([{ text: "Where to?" }]);
      await talk.approve();
      expect(talk.plan?.status).toBe("executing");
      const copy = { name: "run_command", args: { command: "cp package.json copy.json" } };
      stage.model().play([{ calls: [copy] }, { text: "Done!" }]);
      await talk.say("Beside it");
      expect(talk.plan?.status).toBe("done");
      const report = talk.messages.find(({ content }) => content.startsWith("Finished: "));
      expect(report?.content).toContain("Checks: 1 of 2 passed");
      stage.model().play([{ text: "I see." }]);
      await talk.say("And?");
      expect(lastWire(stage)).toContain("The plan's check 2 failed: exit 1");
    });

    test("the summary lists steps, checks, changed files, decisions and what was rolled back", async () => {
      const steps = [
        { id: "s1", description: "Write", checkpoint: { command: "test -f kept.txt" } },
        { id: "s2", description: "Try", checkpoint: { command: "false" }, onFail: "rollback" },
      ];
      const { talk } = await run(steps, [
        { calls: [step("s1", "active"), write("kept.txt", "a\nb\n")] },
        {
          calls: [
            { name: "run_command", args: { command: "echo c > made.txt" } },
            step("s1", "done", "wrote"),
          ],
        },
        { calls: [step("s2", "active"), write("lost.txt")] },
        { calls: [step("s2", "done", "tried")] },
        { calls: [step("s2", "skipped", "not needed")] },
        { text: "Done." },
      ]);
      expect(reportsOf(talk).at(-1)).toEqual({
        kind: "finish",
        version: 1,
        goal: "Do it",
        steps: [
          { id: "s1", description: "Write", status: "done", note: "wrote", noteBy: "model" },
          { id: "s2", description: "Try", status: "skipped", note: "not needed", noteBy: "model" },
        ],
        checks: [
          { stepId: "s1", command: "test -f kept.txt", exitCode: 0 },
          {
            stepId: "s2",
            command: "false",
            exitCode: 1,
            before: { snapshot: expect.any(String), exitCode: 1 },
          },
        ],
        files: [
          { path: "kept.txt", added: 2, removed: 0 },
          { path: "made.txt", added: 1, removed: 0 },
        ],
        decisions: [],
        rollbacks: ["s2"],
      });
    });
  });

  describe("a plan that replaces an unfinished one", () => {
    test("has only its own checks and rollbacks in its summary", async () => {
      const old = [{ id: "s1", description: "Try", checkpoint: { command: "false" }, onFail: "rollback" }];
      const script: ModelReply[] = [
        { calls: [step("s1", "done", "tried")] },
        {
          calls: [
            setPlan("Something else", [{ id: "s1", description: "Rest", checkpoint: { command: "true" } }]),
          ],
        },
        { calls: [step("s1", "done", "rested")] },
        { text: "Done." },
      ];
      const { talk } = await executing(stage, setPlan("Do it", old), script, "auto");
      expect(reportsOf(talk).at(-1)).toMatchObject({
        kind: "finish",
        version: 2,
        checks: [{ stepId: "s1", command: "true", exitCode: 0 }],
        rollbacks: [],
      });
    });
  });

  describe("undo and planning again", () => {
    test("undo to a step restores its files and reopens it and the later ones", async () => {
      const { talk } = await run(two, [
        { calls: [step("s1", "active"), write("first.txt")] },
        { calls: [step("s1", "done", "wrote")] },
        { calls: [step("s2", "active"), write("second.txt")] },
        { text: "ok" },
      ]);
      await talk.turn({ type: "rewind", stepId: "s2" });
      expect(await stage.file(talk, "first.txt")).toBe("x\n");
      expect(await stage.file(talk, "second.txt")).toBeUndefined();
      expect(statusesOf(talk)).toEqual(["s1 done", "s2 pending"]);
      await talk.turn({ type: "rewind", stepId: "s1" });
      expect(await stage.file(talk, "first.txt")).toBeUndefined();
      expect(statusesOf(talk)).toEqual(["s1 pending", "s2 pending"]);
      stage.model().play([{ text: "Again." }]);
      await talk.turn({ type: "continue" });
      const told = firstOfRun(stage)
        .slice(-2)
        .map(({ content }) => String(content))
        .join("\n");
      expect(told).toContain("went back to before step 1");
      expect(told).toContain("- made since, now gone: first.txt");
    });

    test("undo of a finished plan makes it active again", async () => {
      const { talk } = await run(two.slice(0, 1), [
        { calls: [step("s1", "active"), write("first.txt")] },
        { calls: [step("s1", "done", "wrote")] },
        { text: "ok" },
      ]);
      expect(talk.plan?.status).toBe("done");
      await talk.turn({ type: "rewind", stepId: "s1" });
      expect(talk.plan?.status).toBe("executing");
      expect(await stage.file(talk, "first.txt")).toBeUndefined();
    });

    test("/plan during execution plans again from the current state; done steps stay done, files stay", async () => {
      const { talk } = await run(two, [
        { calls: [step("s1", "active"), write("first.txt")] },
        { calls: [step("s1", "done", "wrote")] },
        { text: "ok" },
      ]);
      talk.mode = "plan";
      const steps = [two[0], { id: "s3", description: "Another way" }];
      stage
        .model()
        .play([{ calls: [setPlan("Do it otherwise", steps)] }, { calls: [{ name: "exit_plan", args: {} }] }]);
      const events = await talk.turn({ type: "replan" });
      expect(dataOf(events, "turn.done").reason).toBe("proposed");
      expect(talk.plan).toMatchObject({ version: 2, supersedes: 1 });
      expect(statusesOf(talk)).toEqual(["s1 done", "s3 pending"]);
      expect(await stage.file(talk, "first.txt")).toBe("x\n");
    });

    test("after planning again without ids, a different step does not count as one that is done", async () => {
      const { talk } = await run(two, [
        { calls: [step("s1", "active")] },
        { calls: [step("s1", "done", "wrote")] },
        { text: "ok" },
      ]);
      talk.mode = "plan";
      stage.model().play([{ calls: [setPlan("Do it", ["Another way", "Write"])] }, { text: "ok" }]);
      await talk.turn({ type: "replan" });
      expect(talk.plan?.steps.map(({ description, status }) => [description, status])).toEqual([
        ["Another way", "pending"],
        ["Write", "done"],
      ]);
    });

    test("start over is version 1 with all steps open and no round used, files untouched", async () => {
      const { talk } = await run(two, [
        { calls: [step("s1", "active"), write("first.txt")] },
        { calls: [step("s1", "done", "wrote")] },
        { text: "ok" },
      ]);
      talk.mode = "plan";
      stage.model().play([{ text: "ok" }]);
      await talk.turn({ type: "replan", reset: true });
      expect(talk.plan).toMatchObject({ version: 1, supersedes: null, round: 0 });
      expect(statusesOf(talk)).toEqual(["s1 pending", "s2 pending"]);
      expect(await stage.file(talk, "first.txt")).toBe("x\n");
    });
  });
}
