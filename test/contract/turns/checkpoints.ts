// Execution of plans: snapshots when a step starts, checks when it is done, `onFail`, undo, the finish
// summary.
import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { dataOf, names } from "../../harness/conversation.ts";
import {
  countOf,
  executing,
  lastWire,
  noticesOf,
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

export function describeCheckpoints(stage: Stage): void {
  const run = (steps: unknown[], script: ModelReply[], more: Record<string, unknown> = {}) =>
    executing(stage, setPlan("Do it", steps, more), script);

  describe("steps", () => {
    test("a step gets a snapshot when it starts, its checkpoint runs when it is done, the end has a summary", async () => {
      const { talk, events } = await run(
        [
          { id: "s1", description: "Write", checkpoint: { command: "test -f note.txt" } },
          { id: "s2", description: "Rest" },
        ],
        [
          { calls: [step("s1", "active"), write("note.txt")] },
          { calls: [step("s1", "done", "wrote it")] },
          { calls: [step("s2", "active")] },
          { calls: [step("s2", "done", "rested")] },
          { text: "All done." },
        ],
      );
      const steps = events.flatMap((event) => (event.event === "step" ? [event.data] : []));
      expect(steps.map(({ stepId, status }) => `${stepId} ${status}`)).toEqual([
        "s1 active",
        "s1 active",
        "s1 done",
        "s2 active",
        "s2 done",
      ]);
      expect(steps[1]?.snapshot).toMatch(/\S/);
      expect(reportsOf(talk)[0]).toMatchObject({ kind: "checkpoint", stepId: "s1", passed: true });
      expect(reportsOf(talk).at(-1)).toMatchObject({
        kind: "finish",
        files: [{ path: "note.txt", added: 1, removed: 0 }],
      });
      expect(talk.plan?.status).toBe("done");
    });

    test("a check whose output is piped into another command fails when its own command fails", async () => {
      const piped = { command: "sh -c 'echo 2 tests failed; exit 1' 2>&1 | tail -30" };
      const { talk, events } = await run(
        [{ id: "s1", description: "Test", checkpoint: piped, onFail: "stop" }],
        [{ calls: [step("s1", "done", "tested")] }],
      );
      expect(reportsOf(talk)[0]).toMatchObject({ command: piped.command, passed: false, exitCode: 1 });
      expect(talk.result("update_plan").content).toContain("failed: exit 1\n2 tests failed");
      const shown = events.flatMap((event) =>
        event.event === "tool.started" ? [event.data.check?.command] : [],
      );
      expect(shown).toEqual([piped.command]);
    });

    test("a step that starts says when its check runs, and does not repeat the plan", async () => {
      const conditions = {
        preconditions: ["the tests pass"],
        postconditions: ["the note is there"],
        actions: ["write"],
      };
      const { talk } = await run(
        [{ id: "s1", description: "Write", checkpoint: { command: "true" }, ...conditions }, "Rest"],
        [{ text: "ok" }],
      );
      const said = noticesOf(talk, "plan_step")[0];
      expect(said).toMatch(
        /^Step s1 is active\.\nIts check runs when it is reported done, for 300 s at most\.\n/,
      );
      for (const words of ["the tests pass", "write\n", "the note is there"])
        expect(said).not.toContain(words);
    });

    test("one step is active at a time", async () => {
      const { talk } = await run(two, [
        { calls: [step("s1", "active")] },
        { calls: [step("s2", "active")] },
        { text: "ok" },
      ]);
      const both = ["s1", "s2"].map((id) => ({ id, status: "active" }));
      const { talk: other } = await run(two, [
        { calls: [{ name: "update_plan", args: { steps: both } }] },
        { text: "ok" },
      ]);
      for (const each of [talk, other]) {
        expect(each.result("update_plan")).toMatchObject({
          ok: false,
          content: expect.stringContaining("step s2 is not the one to work on. Step s1 is"),
        });
      }
      expect(statusesOf(other)).toEqual(["s1 active", "s2 pending"]);
      expect(statusesOf(talk)).toEqual(["s1 active", "s2 pending"]);
    });

    test("one call may end a step and start the next", async () => {
      const steps = [
        { id: "s1", status: "done", note: "wrote" },
        { id: "s2", status: "active" },
      ];
      const { talk } = await run(two, [
        { calls: [step("s1", "active")] },
        { calls: [{ name: "update_plan", args: { steps } }] },
        { text: "ok" },
      ]);
      expect(statusesOf(talk)).toEqual(["s1 done", "s2 active"]);
    });

    test("a step that one call starts and finishes is done", async () => {
      const steps = [
        { id: "s1", status: "active" },
        { id: "s1", status: "done", note: "wrote" },
      ];
      const { talk } = await run(two, [
        { calls: [{ name: "update_plan", args: { steps } }] },
        { text: "ok" },
      ]);
      expect(statusesOf(talk)).toEqual(["s1 done", "s2 active"]);
    });

    test("a status alone never changes hash or version", async () => {
      const { talk } = await run(two, [{ calls: [step("s1", "active")] }, { text: "ok" }]);
      expect(talk.plan).toMatchObject({ version: 1, hash: dataOf(talk.events, "proposal").planHash });
    });

    test("done without a note is an error, and no check runs", async () => {
      const { talk } = await run(
        [{ id: "s1", description: "Write", checkpoint: { command: "touch ran" } }],
        [{ calls: [step("s1", "done")] }, { text: "ok" }],
      );
      expect(talk.result("update_plan")).toMatchObject({
        ok: false,
        content: expect.stringContaining("note"),
      });
      expect(await stage.file(talk, "ran")).toBeUndefined();
    });

    test("statuses are ignored while planning", async () => {
      const talk = await stage.open(
        [{ calls: [setPlan("Do it", two)] }, { calls: [step("s1", "active")] }, { text: "ok" }],
        "plan",
      );
      await talk.say("Plan");
      expect(talk.result("update_plan").content).toContain("ignored while planning");
      expect(statusesOf(talk)).toEqual(["s1 pending", "s2 pending"]);
    });
  });

  describe("a checkpoint that fails", () => {
    const fails = (onFail: string, command = "false") => [
      { id: "s1", description: "Write", checkpoint: { command }, onFail },
      { id: "s2", description: "x" },
    ];
    const tried: ModelReply[] = [
      { calls: [step("s1", "active")] },
      { calls: [write("made.txt")] },
      { calls: [step("s1", "done", "tried")] },
      { text: "ok" },
    ];

    test("ask: the model reads the output once and is told to ask; after that only reading calls of the answer run", async () => {
      const reads = { name: "list_files", args: {} };
      const { talk } = await run(fails("ask", "echo why; exit 3"), [
        { calls: [step("s1", "active")] },
        { calls: [step("s1", "done", "tried"), write("after.txt"), reads] },
        { text: "ok" },
      ]);
      expect(talk.result("list_files")).toMatchObject({ ok: true });
      expect(countOf(lastWire(stage), "failed: exit 3")).toBe(1);
      expect(lastWire(stage)).not.toContain("verifier_report");
      expect(talk.result("update_plan").content).toMatch(/exit 3[\s\S]*why[\s\S]*ask_user/);
      expect(statusesOf(talk)).toEqual(["s1 failed", "s2 pending"]);
      expect(talk.result("write_file").content).toBe("not run: the checkpoint of step s1 failed");
      expect(await stage.file(talk, "after.txt")).toBeUndefined();
    });

    test("retry: the output goes back twice, the third time it is as ask", async () => {
      const again: ModelReply = { calls: [step("s1", "done", "tried again")] };
      const { talk } = await run(fails("retry", "echo why; exit 3"), [
        { calls: [step("s1", "active")] },
        again,
        again,
        again,
        { text: "ok" },
      ]);
      const said = talk.messages
        .filter((message) => message.role === "tool" && message.name === "update_plan")
        .map(({ content }) => content.split("\n").at(-1));
      expect(said.slice(1)).toEqual([
        "Mend what is wrong, then report step s1 done again: that was attempt 1 of 3.",
        "Mend what is wrong, then report step s1 done again: that was attempt 2 of 3.",
        "The later steps wait for the person. Call ask_user: say what failed in 1 to 3 lines and ask how to continue.",
      ]);
      const shown = talk.events.flatMap((event) =>
        event.event === "step" ? [`${event.data.status} ${event.data.note ?? ""}`.trim()] : [],
      );
      expect(shown.filter((text) => text.startsWith("active"))).toEqual([
        "active",
        "active",
        "active attempt 2 of 3: one failed",
        "active attempt 3 of 3: 2 failed",
      ]);
    });

    test("rollback: the files are restored to before the step, after a second start too, and the model is told", async () => {
      const { talk } = await run(fails("rollback"), [
        { calls: [step("s1", "active"), write("first.txt")] },
        { calls: [step("s1", "active"), write("second.txt")] },
        { calls: [step("s1", "done", "tried")] },
        { text: "ok" },
      ]);
      expect(await stage.file(talk, "first.txt")).toBeUndefined();
      expect(await stage.file(talk, "second.txt")).toBeUndefined();
      expect(talk.result("update_plan").content).toContain("back as they were before step s1");
      expect(reportsOf(talk).at(-1)).toMatchObject({ kind: "rollback", stepId: "s1", restored: true });
    });

    test("rollback reopens later steps that were skipped, since the reason may have gone with the files", {
      tags: "long",
    }, async () => {
      const { talk } = await run(fails("rollback"), [
        { calls: [step("s2", "skipped", "not needed")] },
        { calls: [write("lost.txt")] },
        { calls: [step("s1", "done", "tried it")] },
        { text: "ok" },
      ]);
      expect(await stage.file(talk, "lost.txt")).toBeUndefined();
      expect(statusesOf(talk)).toEqual(["s1 active", "s2 pending"]);
      expect(talk.result("update_plan").content).toContain("The later steps are open again.");
    });

    test("skip: work goes on with the next step", async () => {
      const { talk } = await run(fails("skip"), tried);
      expect(statusesOf(talk)).toEqual(["s1 skipped", "s2 active"]);
      expect(talk.messages.at(-1)?.content).toBe("ok");
    });

    test("skip of the last step ends the plan with its summary", { tags: "long" }, async () => {
      const { talk } = await run(fails("skip").slice(0, 1), tried);
      expect(talk.plan?.status).toBe("done");
      expect(reportsOf(talk).at(-1)).toMatchObject({ kind: "finish", steps: [{ status: "skipped" }] });
    });

    test("stop: the turn ends there", async () => {
      const { talk, events } = await run(fails("stop"), tried);
      expect(dataOf(events, "turn.done")).toEqual({
        reason: "stop",
        rounds: 3,
        steps: { over: 0, total: 2 },
      });
      expect(names(events).filter((name) => name === "step")).toHaveLength(3);
      expect(statusesOf(talk)).toEqual(["s1 failed", "s2 pending"]);
    });

    test("a checkpoint that reaches out waits for the person, who sees the command", async () => {
      const { talk, events } = await run(fails("ask", "git push origin main"), [
        { calls: [step("s1", "active")] },
        { calls: [{ ...step("s1", "done", "wrote"), id: "done-1" }] },
      ]);
      expect(dataOf(events, "permission")).toMatchObject({
        toolCallId: "done-1",
        risk: "remote",
        why: expect.stringContaining("`git push origin main`"),
      });
      expect(reportsOf(talk)).toEqual([]);
    });
  });
}
