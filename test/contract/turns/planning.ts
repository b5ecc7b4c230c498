import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import type { RequestBody } from "../../fakes/model-server.ts";
import { dataOf, names } from "../../harness/conversation.ts";
import type { Stage } from "./suite.ts";

export const setPlan = (
  goal = "Write a note",
  steps: unknown[] = [
    { id: "s1", description: "Write note.txt", checkpoint: { command: "test -f note.txt" } },
  ],
) => ({
  name: "set_plan",
  args: { goal, steps },
});
export const exitPlan = { name: "exit_plan", args: {} };
/** A plan, submitted. */
export const planned: ModelReply[] = [{ calls: [setPlan()] }, { calls: [exitPlan] }];

const offered = (body: RequestBody | undefined) => (body?.tools ?? []).map((tool) => tool.function.name);

export function describePlanning(stage: Stage): void {
  describe("planning", () => {
    test("write tools are not offered; called anyway they are refused, no file changes, the turn goes on", async () => {
      const talk = await stage.open(
        [
          {
            calls: [
              { name: "write_file", args: { path: "hacked.txt", content: "x", base: null } },
              {
                name: "edit_file",
                args: { path: "package.json", base: "v1", edits: [{ op: "append", lines: ["x"] }] },
              },
            ],
          },
          { text: "I looked." },
        ],
        "plan",
      );
      const before = await stage.file(talk, "package.json");
      const events = await talk.say("Write a file");
      expect(offered(stage.model().requests.at(-1)?.body)).not.toEqual(
        expect.arrayContaining(["write_file"]),
      );
      expect(offered(stage.model().requests.at(-1)?.body)).not.toEqual(expect.arrayContaining(["edit_file"]));
      expect(offered(stage.model().requests.at(-1)?.body)).toContain("exit_plan");
      expect(talk.result("write_file").content).toBe(
        "error: tool `write_file` is not available in planning mode",
      );
      expect(talk.result("edit_file").content).toBe(
        "error: tool `edit_file` is not available in planning mode",
      );
      expect(await stage.file(talk, "hacked.txt")).toBeUndefined();
      expect(await stage.file(talk, "package.json")).toBe(before);
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 2 });
    });

    test("reading works in plan mode", async () => {
      const talk = await stage.open(
        [{ calls: [{ name: "read_file", args: { path: "package.json" } }] }, { text: "Seen." }],
        "plan",
      );
      await talk.say("Read");
      expect(talk.result("read_file")).toMatchObject({
        ok: true,
        content: expect.stringContaining("[package.json @v1 lines 1-"),
      });
    });

    test("a command cannot write in plan mode, whatever the model tries", async () => {
      const talk = await stage.open(
        [{ calls: [{ name: "run_command", args: { command: "echo x > written.txt" } }] }, { text: "No." }],
        "plan",
      );
      await talk.say("Try");
      expect(await stage.file(talk, "written.txt")).toBeUndefined();
    });

    test("the planning instruction is in the system prompt in plan mode only, once", async () => {
      const talk = await stage.open([{ text: "a" }, { text: "b" }], "plan");
      await talk.say("One");
      const planning = JSON.stringify(stage.model().requests.at(-1)?.body.messages);
      expect(planning.split("PLANNING MODE").length - 1).toBe(1);
      talk.mode = "normal";
      await talk.say("Two");
      expect(JSON.stringify(stage.model().requests.at(-1)?.body.messages[0])).not.toContain("PLANNING MODE");
    });

    test("a caller's system message stands unchanged, and the instruction reaches the model beside it", async () => {
      const talk = await stage.open([{ text: "a" }], "plan");
      talk.messages = [
        { id: "sys", role: "system", content: "You are a security auditor.", createdAt: 1, mode: "plan" },
      ];
      await talk.say("Audit");
      const messages = stage.model().requests.at(-1)?.body.messages ?? [];
      expect(messages[0]).toEqual({ role: "system", content: "You are a security auditor." });
      expect(JSON.stringify(messages.slice(1)).split("PLANNING MODE").length - 1).toBe(1);
    });

    test("options.planPrompt replaces the planning instruction", async () => {
      const talk = await stage.open([{ text: "a" }], "plan");
      talk.options = { planPrompt: "Plan like a pilot." };
      await talk.say("Go");
      const system = String(stage.model().requests.at(-1)?.body.messages[0]?.content);
      expect(system).toContain("Plan like a pilot.");
      expect(system).not.toContain("PLANNING MODE");
    });

    test("options.readOnlyTools replaces the file and command tools; plan tools stay", async () => {
      const talk = await stage.open(
        [{ calls: [{ name: "run_command", args: { command: "ls" } }] }, { text: "a" }],
        "plan",
      );
      talk.options = { readOnlyTools: ["read_file"] };
      await talk.say("Go");
      expect(offered(stage.model().requests.at(-1)?.body)).toEqual([
        "read_file",
        "set_plan",
        "update_plan",
        "get_plan",
        "ask_user",
        "exit_plan",
      ]);
      expect(talk.result("run_command").content).toBe(
        "error: tool `run_command` is not available in planning mode",
      );
    });

    test("exit_plan ends the turn with one result for every call, in order", async () => {
      const talk = await stage.open(
        [
          {
            calls: [
              setPlan(),
              { name: "read_file", args: { path: "package.json" } },
              exitPlan,
              { name: "list_files", args: {} },
            ],
          },
        ],
        "plan",
      );
      const events = await talk.say("Plan");
      const results = talk.messages
        .filter((message) => message.role === "tool")
        .map(({ name, content }) => [name, content]);
      expect(results.map(([name]) => name)).toEqual(["set_plan", "read_file", "exit_plan", "list_files"]);
      expect(results[2]?.[1]).toBe("Plan submitted for review.");
      expect(results[3]?.[1]).toBe("not run: the plan was submitted");
      expect(dataOf(events, "proposal")).toEqual({ planVersion: 1, planHash: talk.plan?.hash });
      expect(dataOf(events, "turn.done").reason).toBe("proposed");
    });

    test("exit_plan without a plan takes its argument, else the text beside it, else is an error", async () => {
      const talk = await stage.open(
        [
          { calls: [exitPlan] },
          { calls: [{ name: "exit_plan", args: { plan: "# Goal\nShip it\n\n# Plan\n1. Do it" } }] },
        ],
        "plan",
      );
      await talk.say("Plan");
      expect(talk.messages.filter((message) => message.role === "tool").map(({ ok }) => ok)).toEqual([
        false,
        true,
      ]);
      expect(talk.plan).toMatchObject({ version: 1, goal: "Ship it" });
      const other = await stage.open(
        [{ text: "My plan is simple.\n1. One\n2. Two", calls: [exitPlan] }],
        "plan",
      );
      await other.say("Plan");
      expect(other.plan?.markdown).toContain("My plan is simple.");
    });

    test("a text stop with a list of steps is the plan; ordinary text is only an answer", async () => {
      const talk = await stage.open([{ text: "1. Read the code\n2. Change it" }], "plan");
      expect(dataOf(await talk.say("Plan"), "turn.done").reason).toBe("proposed");
      const other = await stage.open([{ text: "There is nothing to plan." }], "plan");
      expect(dataOf(await other.say("Plan"), "turn.done").reason).toBe("stop");
    });

    test("a plan run begins with one look at the repository, shown to person and model", async () => {
      const talk = await stage.open([{ text: "ok" }, { text: "ok" }], "plan");
      await talk.say("Go");
      const scan = talk.messages[0];
      expect(scan).toMatchObject({
        role: "event",
        content: expect.stringMatching(/^Looked at the repository\.[\s\S]*package\.json/),
      });
      expect(String(stage.model().requests.at(-1)?.body.messages[1]?.content)).toContain(
        "Looked at the repository.",
      );
      await talk.say("And again");
      expect(
        talk.messages.filter(
          (message) => message.role === "event" && message.extra.event.source === "context_scan",
        ),
      ).toHaveLength(1);
    });

    test("a plan's body stands in a request once, older versions cost a line", async () => {
      const talk = await stage.open(
        [
          { calls: [setPlan("First goal UNIQUE-A")] },
          { calls: [setPlan("Second goal UNIQUE-B")] },
          { calls: [exitPlan] },
          { text: "ok" },
        ],
        "plan",
      );
      await talk.say("Plan");
      await talk.say("Tell me more");
      const wire = JSON.stringify(stage.model().requests.at(-1)?.body.messages);
      expect(wire.split("UNIQUE-A").length - 1).toBe(0);
      expect(wire.split("UNIQUE-B").length - 1).toBe(1);
    });

    test("results never repeat the plan's text", async () => {
      const talk = await stage.open([{ calls: [setPlan("Goal UNIQUE-C")] }, { calls: [exitPlan] }], "plan");
      await talk.say("Plan");
      const results = talk.messages
        .filter((message) => message.role === "tool")
        .map(({ content }) => content);
      expect(results.join("\n")).not.toContain("UNIQUE-C");
    });

    test("planning ends with `continue` when its rounds are used up", async () => {
      const talk = await stage.open(() => ({ calls: [{ name: "list_files", args: {} }] }), "plan");
      talk.options = { maxRounds: 2 };
      const events = await talk.say("Plan");
      expect(dataOf(events, "turn.done")).toEqual({ reason: "continue", rounds: 2 });
      stage.model().play([{ text: "Enough." }]);
      expect(names(await talk.turn({ type: "continue" }))).toEqual(["turn.started", "message", "turn.done"]);
    });
  });
}
