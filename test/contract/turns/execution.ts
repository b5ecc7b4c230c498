import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { dataOf, names } from "../../harness/conversation.ts";
import { postTurn } from "../../harness/sse.ts";
import { setPlan, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

export function describeExecution(stage: Stage): void {
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

    test("a command on a copy of the first files runs without a question, and leaves the files as they are", async () => {
      const command = "rm -r src && curl -sS --max-time 1 https://files.example; ls src";
      const talk = await stage.open([
        { calls: [{ name: "run_command", args: { command, tree: "start" } }] },
        { text: "Nothing is there then." },
        { calls: [{ name: "run_command", args: { command } }] },
      ]);
      expect(names(await talk.say("Try what remains without src"))).not.toContain("permission");
      expect(talk.result("run_command").content).toMatch(/^exit 2\b/);
      expect(dataOf(await talk.say("Do it here"), "permission")).toMatchObject({ name: "run_command" });
    });

    test("a stale edit is rejected with the rows as they are now, and nothing is written", async () => {
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

    test("a destructive command waits for the person: once runs it, deny does not, session covers that command again", async () => {
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
          { calls: [{ id: "rm-2", name: "run_command", args: { command: "rm -rf dir.txt" } }] },
          { calls: [{ id: "rm-3", name: "run_command", args: { command: "rm -rf ." } }] },
        ]);
      const permitted = await talk.turn({ type: "permit", toolCallId: "rm-1", decision: "session" });
      expect(await stage.file(talk, "dir.txt")).toBeUndefined();
      expect(talk.result("run_command").ok).toBe(true);
      expect(dataOf(permitted, "permission")).toMatchObject({
        toolCallId: "rm-3",
        only: { command: "rm -rf .", cwd: "" },
      });

      const other = await stage.open(removal);
      await other.say("Remove");
      stage.model().play([{ text: "fine" }]);
      await other.turn({ type: "permit", toolCallId: "rm-1", decision: "deny", text: "keep it" });
      expect(other.result("run_command")).toMatchObject({
        ok: false,
        content:
          "denied by the person: keep it\nNot run: `rm -rf dir.txt`.\nDo not ask for it again unless their words allow it. Continue without it, or say what cannot be done without it.",
      });
      expect(await stage.file(other, "dir.txt")).toBe("x\n");
    });

    test("again and done cannot answer for a command that has not run, once cannot for one that may have", async () => {
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

    test("a permit from a screen that has not seen the cancellation is 409, and nothing runs", async () => {
      const talk = await stage.open([
        { calls: [{ id: "rm-5", name: "run_command", args: { command: "rm -rf package.json" } }] },
      ]);
      await talk.say("Remove");
      const stale = { messages: talk.messages };
      stage.model().play([{ text: "fine" }]);
      await talk.say("No, leave it");
      const late = talk.body({ type: "permit", toolCallId: "rm-5", decision: "once" }, stale);
      expect((await postTurn(stage.product(), late)).status).toBe(409);
      expect(await stage.file(talk, "package.json")).toBeDefined();
    });

    test("the siblings of a denied call are still checked", async () => {
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

    test("auto mode asks before a commit that nobody requested, and runs one that the person requested", async () => {
      const commit = { name: "run_command", args: { command: "git commit -qm x --allow-empty" } };
      const unasked = await stage.open([{ calls: [commit] }], "auto");
      expect(dataOf(await unasked.say("Tidy up"), "permission")).toMatchObject({
        risk: "destructive",
        why: expect.stringContaining("you asked for none"),
      });
      const own = await stage.open(
        [{ calls: [setPlan("Commit it", ["git commit"])] }, { calls: [commit] }],
        "auto",
      );
      expect(dataOf(await own.say("Tidy up"), "permission").why).toContain("you asked for none");
      const wanted = await stage.open([{ calls: [commit] }, { text: "done" }], "auto");
      const events = await wanted.say("Tidy up and commit it");
      expect(events.some(({ event }) => event === "permission")).toBe(false);
      expect(wanted.result("run_command").ok).toBe(true);
    });

    test("auto mode asks before history is rewritten", async () => {
      const reset = { name: "run_command", args: { command: "git reset --hard HEAD" } };
      const talk = await stage.open([{ calls: [reset] }], "auto");
      expect(dataOf(await talk.say("Go"), "permission")).toMatchObject({
        risk: "destructive",
        program: "git",
      });
    });

    test("auto mode asks before reaching out, and not before what a snapshot can undo", async () => {
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
  });
}
