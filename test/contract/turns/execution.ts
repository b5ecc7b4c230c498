import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { type Conversation, dataOf, names } from "../../harness/conversation.ts";
import { postTurn } from "../../harness/sse.ts";
import { exitPlan, setPlan } from "./planning.ts";
import type { Stage } from "./suite.ts";

const write = (path: string, content = "x\n") => ({
  name: "write_file",
  args: { path, content, base: null },
});
const step = (id: string, status: string, note?: string) => ({
  name: "update_plan",
  args: { steps: [{ id, status, ...(note === undefined ? {} : { note }) }] },
});

export function describeExecution(stage: Stage): void {
  /** A conversation whose plan has been approved; `script` plays the execution. */
  const executing = async (
    steps: unknown[],
    script: ModelReply[],
  ): Promise<{ talk: Conversation; events: Awaited<ReturnType<Conversation["say"]>> }> => {
    const talk = await stage.open([{ calls: [setPlan("Do it", steps), exitPlan] }], "plan");
    await talk.say("Plan");
    stage.model().play(script);
    return { talk, events: await talk.approve() };
  };

  describe("execution", () => {
    test("reads, edits by hashline and runs the test in one history", async () => {
      const talk = await stage.open((body) => {
        const results = body.messages
          .filter(({ role }) => role === "tool")
          .map(({ content }) => String(content));
        if (results.length === 0) return { calls: [write("a.txt", "one\ntwo\nthree\n")] };
        if (results.length === 1) return { calls: [{ name: "read_file", args: { path: "a.txt" } }] };
        const row = /^(2[a-z]{3})\|two$/m.exec(results[1] ?? "")?.[1] ?? "";
        const version = /@(v\d+)/.exec(results[1] ?? "")?.[1] ?? "";
        if (results.length === 2)
          return {
            calls: [
              {
                name: "edit_file",
                args: { path: "a.txt", base: version, edits: [{ op: "replace", at: row, lines: ["TWO"] }] },
              },
            ],
          };
        if (results.length === 3)
          return { calls: [{ name: "run_command", args: { command: "grep -c TWO a.txt" } }] };
        return { text: "Done." };
      });
      const events = await talk.say("Change two");
      expect(await stage.file(talk, "a.txt")).toBe("one\nTWO\nthree\n");
      expect(talk.result("run_command")).toMatchObject({ ok: true, content: "exit 0\n1" });
      expect(events.some((event) => event.event === "tool.output" && event.data.text === "1\n")).toBe(true);
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 5 });
    });

    test("a stale edit is rejected with the rows as they stand, and nothing is written", async () => {
      const talk = await stage.open([
        { calls: [write("a.txt", "one\n")] },
        {
          calls: [
            {
              name: "edit_file",
              args: { path: "a.txt", base: "v1", edits: [{ op: "replace", at: "1zzz", lines: ["two"] }] },
            },
          ],
        },
        { text: "ok" },
      ]);
      await talk.say("Go");
      expect(talk.result("edit_file")).toMatchObject({
        ok: false,
        content: expect.stringMatching(/^REJECTED, nothing written/),
      });
      expect(await stage.file(talk, "a.txt")).toBe("one\n");
    });

    test("a step gets a snapshot when it starts, its checkpoint runs when it is done, the end has a summary", async () => {
      const { talk, events } = await executing(
        [
          { id: "s1", description: "Write", checkpoint: { command: "test -f note.txt" } },
          { id: "s2", description: "Rest" },
        ],
        [
          { calls: [step("s1", "active"), write("note.txt")] },
          { calls: [step("s1", "done", "wrote it")] },
          { calls: [{ name: "update_plan", args: { steps: [{ id: "s2", status: "active" }] } }] },
          { calls: [step("s2", "done", "rested")] },
          { text: "All done." },
        ],
      );
      const steps = events.flatMap((event) => (event.event === "step" ? [event.data] : []));
      expect(steps.map(({ stepId, status }) => `${stepId} ${status}`)).toEqual([
        "s1 active",
        "s1 done",
        "s2 active",
        "s2 done",
      ]);
      expect(steps[0]?.snapshot).toMatch(/\S/);
      const reports = talk.messages.flatMap((message) =>
        message.role === "event" && message.extra.event.subkind === "verifier_report"
          ? [message.extra.event.data]
          : [],
      );
      expect(reports[0]).toMatchObject({ kind: "checkpoint", stepId: "s1", passed: true });
      expect(reports.at(-1)).toMatchObject({
        kind: "finish",
        files: [{ path: "note.txt", added: 1, removed: 0 }],
      });
      expect(talk.plan?.status).toBe("done");
    });

    test("a status alone never changes hash or version", async () => {
      const { talk } = await executing(
        [
          { id: "s1", description: "Write" },
          { id: "s2", description: "More" },
        ],
        [{ calls: [step("s1", "active")] }, { text: "ok" }],
      );
      expect(talk.plan).toMatchObject({ version: 1, hash: dataOf(talk.events, "proposal").planHash });
    });

    test("done without a note is an error, and nothing is run", async () => {
      const { talk } = await executing(
        [{ id: "s1", description: "Write", checkpoint: { command: "touch ran" } }],
        [{ calls: [step("s1", "done")] }, { text: "ok" }],
      );
      expect(talk.result("update_plan")).toMatchObject({
        ok: false,
        content: expect.stringContaining("note"),
      });
      expect(await stage.file(talk, "ran")).toBeUndefined();
    });

    test("a failed checkpoint: ask tells the model to ask", async () => {
      const { talk } = await executing(
        [
          { id: "s1", description: "Write", checkpoint: { command: "echo why; exit 3" } },
          { id: "s2", description: "x" },
        ],
        [
          { calls: [step("s1", "active")] },
          { calls: [step("s1", "done", "tried"), write("after.txt")] },
          { text: "ok" },
        ],
      );
      const result = talk.messages.findLast(
        (message) => message.role === "tool" && message.name === "update_plan",
      );
      expect(result?.content).toMatch(/exit 3[\s\S]*why[\s\S]*ask_user/);
      expect(talk.plan?.steps[0]?.status).toBe("failed");
      expect(talk.result("write_file").content).toBe("not run: the checkpoint of step s1 failed");
    });

    test("a failed checkpoint: stop ends the turn, skip goes on, rollback restores the files", async () => {
      const fails = (onFail: string) => [
        { id: "s1", description: "Write", checkpoint: { command: "false" }, onFail },
        { id: "s2", description: "x" },
      ];
      const script: ModelReply[] = [
        { calls: [step("s1", "active")] },
        { calls: [write("made.txt")] },
        { calls: [step("s1", "done", "tried")] },
        { text: "ok" },
      ];
      const stopped = await executing(fails("stop"), script);
      expect(dataOf(stopped.events, "turn.done")).toEqual({ reason: "stop", rounds: 3 });
      expect(names(stopped.events).filter((name) => name === "step")).toHaveLength(2);
      const skipped = await executing(fails("skip"), script);
      expect(skipped.talk.plan?.steps[0]?.status).toBe("skipped");
      const rolledBack = await executing(fails("rollback"), script);
      expect(await stage.file(rolledBack.talk, "made.txt")).toBeUndefined();
      expect(rolledBack.talk.result("update_plan").content).toContain("back as they were before step s1");
    });

    test("undo to a step restores its files and reopens it", async () => {
      const { talk } = await executing(
        [
          { id: "s1", description: "Write" },
          { id: "s2", description: "More" },
        ],
        [
          { calls: [step("s1", "active"), write("first.txt")] },
          { calls: [step("s1", "done", "wrote")] },
          { calls: [step("s2", "active"), write("second.txt")] },
          { text: "ok" },
        ],
      );
      await talk.turn({ type: "rewind", stepId: "s2" });
      expect(await stage.file(talk, "first.txt")).toBe("x\n");
      expect(await stage.file(talk, "second.txt")).toBeUndefined();
      expect(talk.plan?.steps.map(({ status }) => status)).toEqual(["done", "pending"]);
    });

    test("a destructive command waits for the person; once runs it, deny does not, session covers the next", async () => {
      const removal: ModelReply[] = [
        { calls: [write("dir.txt")] },
        { calls: [{ id: "rm-1", name: "run_command", args: { command: "rm -rf dir.txt" } }] },
      ];
      const talk = await stage.open(removal);
      const events = await talk.say("Remove");
      expect(dataOf(events, "permission")).toMatchObject({
        toolCallId: "rm-1",
        name: "run_command",
        risk: "destructive",
      });
      expect(dataOf(events, "turn.done").reason).toBe("permission");
      expect(await stage.file(talk, "dir.txt")).toBe("x\n");
      stage
        .model()
        .play([
          { calls: [{ id: "rm-2", name: "run_command", args: { command: "rm -r nothing -f" } }] },
          { text: "gone" },
        ]);
      const permitted = await talk.turn({ type: "permit", toolCallId: "rm-1", decision: "session" });
      expect(await stage.file(talk, "dir.txt")).toBeUndefined();
      expect(dataOf(permitted, "turn.done").reason).toBe("stop");

      const other = await stage.open(removal);
      await other.say("Remove");
      stage.model().play([{ text: "fine" }]);
      await other.turn({ type: "permit", toolCallId: "rm-1", decision: "deny", text: "keep it" });
      expect(other.result("run_command")).toMatchObject({
        ok: false,
        content: "denied by the person: keep it",
      });
      expect(await stage.file(other, "dir.txt")).toBe("x\n");
    });

    test("again and done are no answers for a command that has not run, once none for one that may have", async () => {
      const talk = await stage.open([
        { calls: [{ id: "rm-3", name: "run_command", args: { command: "rm -rf package.json" } }] },
      ]);
      await talk.say("Remove");
      for (const decision of ["again", "done"] as const) {
        const response = await postTurn(
          stage.product(),
          talk.body({ type: "permit", toolCallId: "rm-3", decision }),
        );
        expect(response.status).toBe(400);
      }
      expect(await stage.file(talk, "package.json")).toBeDefined();
    });

    test("after a denied call its siblings go through the gates", async () => {
      const talk = await stage.open([
        {
          calls: [
            { id: "rm-4", name: "run_command", args: { command: "rm -rf src" } },
            { name: "list_files", args: {} },
          ],
        },
      ]);
      await talk.say("Remove");
      stage.model().play([{ text: "fine" }]);
      await talk.turn({ type: "permit", toolCallId: "rm-4", decision: "deny" });
      expect(talk.result("list_files")).toMatchObject({ ok: true, content: expect.stringContaining("src/") });
    });

    test("auto asks for reaching out only", async () => {
      const talk = await stage.open(
        [
          { calls: [{ name: "run_command", args: { command: "rm -rf nothing" } }] },
          { calls: [{ name: "run_command", args: { command: "git push" } }] },
        ],
        "auto",
      );
      const events = await talk.say("Go");
      expect(talk.result("run_command").ok).toBe(true);
      expect(dataOf(events, "permission")).toMatchObject({ risk: "remote" });
    });

    test("the sandbox refuses writing in a plan-mode request whatever the edge believed", async () => {
      const talk = await stage.open(
        [
          { calls: [setPlan(), { name: "run_command", args: { command: "touch /tmp/x; touch here" } }] },
          { text: "ok" },
        ],
        "plan",
      );
      await talk.say("Plan");
      expect(await stage.file(talk, "here")).toBeUndefined();
    });
  });
}
