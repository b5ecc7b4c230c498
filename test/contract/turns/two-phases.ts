// A plan in two phases: reading and planning without writing, then, once approved, working with all tools.
import { describe, expect, test } from "vitest";
import { dataOf, names } from "../../harness/conversation.ts";
import { countOf, exitPlan, firstOfRun, lastWire, offered, planned, setPlan, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

export function describeTwoPhases(stage: Stage): void {
  const system = () => String(stage.model().requests.at(-1)?.body.messages[0]?.content);

  describe("planning", { tags: stage.runtime === "node" ? [] : "long" }, () => {
    test("a text answer ends planning; with a list of steps it is the plan, otherwise only an answer", async () => {
      const talk = await stage.open([{ text: "1. Read the code\n2. Change it" }], "plan");
      expect(dataOf(await talk.say("Plan"), "turn.done").reason).toBe("proposed");
      expect(talk.plan?.markdown).toBe(
        "# Goal\n\nPlan\n\n# Plan\n\n1. [s1] Read the code\n2. [s2] Change it",
      );
      const headed = await stage.open([{ text: "## Plan\n\n- Read\n- Change" }], "plan");
      expect(dataOf(await headed.say("Plan"), "turn.done").reason).toBe("proposed");
      const other = await stage.open([{ text: "There is nothing to plan." }], "plan");
      expect(dataOf(await other.say("Plan"), "turn.done").reason).toBe("stop");
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

    test("write_file is not offered; called anyway it is refused, no file is created, the turn continues", async () => {
      const talk = await stage.open([{ calls: [write("hacked.txt")] }, { text: "I looked." }], "plan");
      const events = await talk.say("Write a file");
      expect(offered(stage.model().requests.at(-1)?.body)).not.toContain("write_file");
      expect(talk.result("write_file").content).toBe(
        "error: tool `write_file` is not available in planning mode; put the change into the plan",
      );
      expect(lastWire(stage)).toContain("is not available in planning mode");
      expect(await stage.file(talk, "hacked.txt")).toBeUndefined();
      expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 2 });
    });

    test("edit_file is not offered; called anyway it is refused, and the file is unchanged", async () => {
      const edit = { path: "package.json", base: "v1", edits: [{ op: "append", lines: ["x"] }] };
      const talk = await stage.open(
        [{ calls: [{ name: "edit_file", args: edit }] }, { text: "I looked." }],
        "plan",
      );
      const before = await stage.file(talk, "package.json");
      await talk.say("Edit it");
      expect(offered(stage.model().requests.at(-1)?.body)).not.toContain("edit_file");
      expect(talk.result("edit_file").content).toBe(
        "error: tool `edit_file` is not available in planning mode; put the change into the plan",
      );
      expect(await stage.file(talk, "package.json")).toBe(before);
    });

    test("a command cannot write in plan mode, whatever the edge believed", async () => {
      const talk = await stage.open(
        [{ calls: [{ name: "run_command", args: { command: "echo x > written.txt" } }] }, { text: "No." }],
        "plan",
      );
      await talk.say("Try");
      expect(await stage.file(talk, "written.txt")).toBeUndefined();
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

    test("text streams while planning, and the turn's end comes last", async () => {
      const talk = await stage.open(
        [{ text: "Looking around.", calls: [setPlan()] }, { text: "Done." }],
        "plan",
      );
      const events = await talk.say("Plan");
      const deltas = events.flatMap((event) => (event.event === "text.delta" ? [event.data.delta] : []));
      expect(deltas.join("")).toBe("Looking around.Done.");
      expect(events.findIndex(({ event }) => event === "tool.call")).toBeGreaterThan(0);
      expect(events.at(-1)?.event).toBe("turn.done");
    });

    test("exit_plan ends the turn with one result for every call, in order", async () => {
      const calls = [
        setPlan(),
        { name: "read_file", args: { path: "package.json" } },
        exitPlan,
        { name: "list_files", args: {} },
      ];
      const talk = await stage.open([{ calls }], "plan");
      const events = await talk.say("Plan");
      expect(offered(stage.model().requests.at(-1)?.body)).toContain("exit_plan");
      const results = talk.messages
        .filter((message) => message.role === "tool")
        .map(({ name, content }) => [name, content]);
      expect(results.map(([name]) => name)).toEqual(["set_plan", "read_file", "exit_plan", "list_files"]);
      expect(results[2]?.[1]).toBe("Plan submitted for review.");
      expect(results[3]?.[1]).toBe("not run: the plan was submitted");
      expect(dataOf(events, "proposal")).toEqual({ planVersion: 1, planHash: talk.plan?.hash });
      expect(dataOf(events, "turn.done").reason).toBe("proposed");
    });

    test("exit_plan without a plan uses its argument, else the text beside it, else is an error", async () => {
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
      expect(other.plan).toMatchObject({ goal: "My plan is simple.", steps: [{ id: "s1" }, { id: "s2" }] });
    });

    test("exit_plan together with ask_user is an error, and the questions are asked", async () => {
      const ask = {
        name: "ask_user",
        args: { questions: [{ id: "q", label: "L", prompt: "P?", type: "free_text" }] },
      };
      const talk = await stage.open([{ calls: [setPlan(), exitPlan, ask] }], "plan");
      const events = await talk.say("Plan");
      expect(talk.result("exit_plan")).toMatchObject({ ok: false });
      expect(dataOf(events, "turn.done").reason).toBe("questions");
    });

    test("the system message comes first and ends with the planning instruction, in plan mode only", async () => {
      const talk = await stage.open([{ text: "a" }, { text: "b" }], "plan");
      await talk.say("One");
      expect(stage.model().requests.at(-1)?.body.messages[0]?.role).toBe("system");
      const planning = system();
      talk.mode = "normal";
      await talk.say("Two");
      // The part that all modes share comes first, so that caches keep it.
      expect(planning.startsWith(`${system()}\n\nPLANNING MODE`)).toBe(true);
    });

    test("planning twice includes the instruction once", async () => {
      const talk = await stage.open([{ text: "a" }, { text: "b" }], "plan");
      await talk.say("One");
      await talk.say("Two");
      expect(countOf(lastWire(stage), "PLANNING MODE")).toBe(1);
      const roles = stage
        .model()
        .requests.at(-1)
        ?.body.messages.map(({ role }) => role);
      expect(roles?.filter((role) => role === "system")).toHaveLength(1);
    });

    test("a caller's system message is unchanged, and the instruction reaches the model as well, once", async () => {
      const talk = await stage.open([{ text: "a" }, { text: "b" }, { text: "c" }], "plan");
      talk.messages = [
        { id: "sys", role: "system", content: "You are a security auditor.", createdAt: 1, mode: "plan" },
      ];
      await talk.say("Audit");
      await talk.say("More");
      const messages = stage.model().requests.at(-1)?.body.messages ?? [];
      expect(messages[0]).toEqual({ role: "system", content: "You are a security auditor." });
      expect(countOf(JSON.stringify(messages.slice(1)), "PLANNING MODE")).toBe(1);
      talk.mode = "normal";
      await talk.say("Now work");
      expect(lastWire(stage)).not.toContain("PLANNING MODE");
    });

    test("options.planPrompt replaces the planning instruction, with a caller's system message too", async () => {
      const talk = await stage.open([{ text: "a" }, { text: "b" }], "plan");
      talk.options = { planPrompt: "Plan like a pilot." };
      await talk.say("Go");
      expect(system()).toMatch(/\n\nPlan like a pilot\.$/);
      expect(lastWire(stage)).not.toContain("PLANNING MODE");
      const other = await stage.open([{ text: "a" }], "plan");
      other.options = { planPrompt: "Plan like a pilot." };
      other.messages = [
        { id: "sys", role: "system", content: "You are a security auditor.", createdAt: 1, mode: "plan" },
      ];
      await other.say("Go");
      expect(countOf(lastWire(stage), "Plan like a pilot.")).toBe(1);
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

  describe("planning, then executing", () => {
    test("write_file works in execution, and the file is there", async () => {
      const talk = await stage.open([{ calls: [write("new.txt", "made\n")] }, { text: "Done." }]);
      await talk.say("Write");
      expect(talk.result("write_file").ok).toBe(true);
      expect(await stage.file(talk, "new.txt")).toBe("made\n");
    });

    test("exit_plan is not offered in execution, and answers in words", async () => {
      const talk = await stage.open([{ calls: [exitPlan] }, { text: "ok" }]);
      await talk.say("Go");
      expect(offered(stage.model().requests.at(-1)?.body)).not.toContain("exit_plan");
      expect(talk.result("exit_plan").content).toContain("`exit_plan` is for planning mode only");
    });

    test("a plan in plain text is read, approved and carried out", async () => {
      const talk = await stage.open(
        [
          { calls: [{ name: "read_file", args: { path: "package.json" } }] },
          { text: "# Plan\n\nI'll copy package.json to copy.json." },
        ],
        "plan",
      );
      await talk.say("Copy package.json");
      stage
        .model()
        .play([
          { calls: [{ name: "run_command", args: { command: "cp package.json copy.json" } }] },
          { text: "Done!" },
        ]);
      await talk.approve();
      expect(await stage.file(talk, "copy.json")).toBe(await stage.file(talk, "package.json"));
      expect(talk.messages.findLast(({ role }) => role === "assistant")?.content).toBe("Done!");
      // The plan has no step whose report would end it.
      expect(talk.plan?.status).toBe("done");
      expect(talk.messages.at(-1)?.content).toMatch(/^Finished: /);
    });

    test("read, exit_plan, approval, write: all of it", async () => {
      const talk = await stage.open(
        [
          { calls: [{ name: "read_file", args: { path: "package.json" } }] },
          { calls: [setPlan()] },
          { calls: [exitPlan] },
        ],
        "plan",
      );
      expect(dataOf(await talk.say("Plan it"), "turn.done")).toEqual({ reason: "proposed", rounds: 3 });
      stage.model().play([{ calls: [write("note.txt", "hi\n")] }, { text: "Written." }]);
      const events = await talk.approve();
      expect(names(events).slice(0, 5)).toEqual(["turn.started", "plan", "mode", "message", "message"]);
      expect(dataOf(events, "mode")).toMatchObject({ from: "plan", to: "normal" });
      expect(dataOf(events, "turn.done")).toMatchObject({ reason: "stop", steps: { over: 0, total: 1 } });
      expect(talk.result("write_file")).toMatchObject({ ok: true });
      expect(await stage.file(talk, "note.txt")).toBe("hi\n");
    });

    test("one history goes through both phases, the approval a user message in it", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const before = talk.messages.map(({ id }) => id);
      stage.model().play([{ text: "Working." }]);
      await talk.approve();
      expect(talk.messages.map(({ id }) => id).slice(0, before.length)).toEqual(before);
      const wire = firstOfRun(stage);
      expect(wire.map(({ role }) => role)).toEqual([
        "system",
        "user",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "user",
        "user",
      ]);
      expect(wire.at(-1)?.content).toBe("Approved. Go ahead.");
    });
  });
}
