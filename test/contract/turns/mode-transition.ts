// Mode changes and proposals: the plan's text occurs once in a request, in the right place and frame.
import { describe, expect, test } from "vitest";
import { dataOf } from "../../harness/conversation.ts";
import { countOf, exitPlan, firstOfRun, lastWire, planned, setPlan, step } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

export function describeModeTransition(stage: Stage): void {
  const wire = () => stage.model().requests.at(-1)?.body.messages ?? [];

  describe("mode transition", () => {
    test("approval shows the whole plan in one message directly before the last user message, with the tools named", async () => {
      const talk = await stage.open(
        [{ calls: [setPlan("Leave a note UNIQUE-D")] }, { calls: [exitPlan] }],
        "plan",
      );
      await talk.say("Plan it");
      stage.model().play([{ text: "Done." }]);
      await talk.approve();
      const read = firstOfRun(stage);
      expect(read.at(-1)?.content).toBe("Approved. Go ahead.");
      const shown = String(read.at(-2)?.content);
      expect(read.at(-2)?.role).toBe("user");
      expect(shown).toContain("The person approved version 1.");
      expect(shown).toMatch(/judge whether it is relevant/);
      expect(shown).toContain(`<approved-plan version="1">\n${talk.plan?.markdown}\n</approved-plan>`);
      expect(shown).toContain("edit_file");
      expect(countOf(lastWire(stage), "UNIQUE-D")).toBe(2);
    });

    test("it stays in place in later requests, and never appears a third time", async () => {
      const talk = await stage.open(
        [{ calls: [setPlan("Leave a note UNIQUE-E")] }, { calls: [exitPlan] }],
        "plan",
      );
      await talk.say("Plan it");
      stage.model().play([{ calls: [{ name: "get_plan", args: {} }] }, { text: "Done." }, { text: "More." }]);
      await talk.approve();
      const place = wire().findIndex(({ content }) => String(content).startsWith("[Mode switched"));
      await talk.say("And now?");
      expect(String(wire()[place]?.content)).toContain("<approved-plan");
      expect(countOf(lastWire(stage), "UNIQUE-E")).toBe(2);
    });

    test("a switch without approval is described as such", async () => {
      const talk = await stage.open([...planned, { text: "ok" }], "plan");
      await talk.say("Plan it");
      talk.mode = "normal";
      await talk.say("What is this?");
      expect(lastWire(stage)).toContain(
        "without approving version 1: it has not begun, and begins only when they approve it",
      );
      expect(lastWire(stage)).toContain("<proposed-plan");
      expect(lastWire(stage)).not.toContain("approved-plan version");
    });

    test("no plan text without a plan, from execution to planning, between normal and auto, or without a switch", async () => {
      const none = await stage.open([{ text: "a" }, { text: "b" }], "plan");
      await none.say("Hello");
      none.mode = "normal";
      await none.say("Go on");
      expect(lastWire(stage)).toContain("[Mode switched from plan to normal.");
      expect(lastWire(stage)).not.toMatch(/<(proposed|approved)-plan/);

      const talk = await stage.open([{ calls: [setPlan()] }, { text: "Set." }, { text: "b" }, { text: "c" }]);
      await talk.say("Plan while working");
      talk.mode = "auto";
      await talk.say("Go on");
      talk.mode = "plan";
      await talk.say("Plan");
      expect(countOf(lastWire(stage), "[Mode switched")).toBe(2);
      expect(lastWire(stage)).not.toMatch(/<(proposed|approved)-plan/);
    });

    test("a finished plan is not part of a transition", async () => {
      const talk = await stage.open([{ calls: [setPlan("Rest", ["Rest"]), exitPlan] }], "plan");
      await talk.say("Plan");
      stage
        .model()
        .play([
          { calls: [step("s1", "active")] },
          { calls: [step("s1", "done", "rested")] },
          { text: "Done." },
        ]);
      await talk.approve();
      expect(talk.plan?.status).toBe("done");
      stage.model().play([{ text: "a" }, { text: "b" }]);
      talk.mode = "plan";
      await talk.say("What next?");
      talk.mode = "auto";
      await talk.say("Go");
      expect(String(wire().at(-2)?.content)).toMatch(/^\[Mode switched from plan to auto\.[^<]*$/);
    });

    test("another goal that keeps no step abandons the current plan: rounds and done steps start over", async () => {
      const talk = await stage.open([{ calls: [setPlan("Rest", ["Rest", "Sleep"]), exitPlan] }], "plan");
      await talk.say("Plan");
      stage
        .model()
        .play([{ calls: [step("s1", "active")] }, { calls: [step("s1", "done", "rested")] }, { text: "x" }]);
      await talk.approve();
      talk.mode = "plan";
      stage
        .model()
        .play([{ calls: [setPlan("Build a house", [{ id: "s1", description: "Dig" }]), exitPlan] }]);
      const events = await talk.say("Build a house instead");
      const plans = events.flatMap((event) => (event.event === "plan" ? [event.data.plan] : []));
      expect(plans.map(({ version, status }) => [version, status])).toEqual([
        [1, "abandoned"],
        [2, "draft"],
        [2, "proposed"],
      ]);
      expect(talk.plan?.steps.map(({ status }) => status)).toEqual(["pending"]);
    });

    test("a mode that was announced and never answered is withdrawn explicitly", async () => {
      const talk = await stage.open(
        [{ text: "Hello." }, { status: 401, body: { error: { message: "no" } } }],
        "plan",
      );
      await talk.say("Hi");
      talk.mode = "auto";
      await talk.say("Work");
      stage.model().play([{ text: "Planning." }]);
      talk.mode = "plan";
      const events = await talk.say("No, plan first");
      expect(dataOf(events, "mode")).toMatchObject({ from: "auto", to: "plan" });
      const told = wire().filter(({ content }) => String(content).startsWith("[Mode switched"));
      expect(String(told.at(-1)?.content)).toMatch(/^\[Mode switched from auto to plan\./);
    });

    test("approving during execution is announced to the model without a switch", async () => {
      const talk = await stage.open([...planned, { text: "It is a note." }], "plan");
      await talk.say("Plan it");
      talk.mode = "normal";
      await talk.say("What is this?");
      stage.model().play([{ text: "Working." }]);
      const events = await talk.approve();
      expect(events.some(({ event }) => event === "mode")).toBe(false);
      expect(talk.plan?.status).toBe("executing");
      expect(String(firstOfRun(stage).at(-2)?.content)).toContain("The person approved version 1.");
      expect(firstOfRun(stage).at(-1)?.content).toBe("Approved. Go ahead.");
    });

    test("approving from one executing mode into the other says that the plan is approved", async () => {
      const talk = await stage.open([...planned, { text: "It is a note." }], "plan");
      await talk.say("Plan it");
      talk.mode = "normal";
      await talk.say("What is this?");
      stage.model().play([{ text: "Working." }]);
      await talk.approve("auto");
      const [approval, change, go] = firstOfRun(stage).slice(-3);
      expect(approval?.content).toContain("The person approved version 1.");
      expect(change?.content).toContain("[Mode switched from normal to auto.");
      expect(go?.content).toBe("Approved. Go ahead.");
    });

    test("a plan that the model started by itself is never called approved", async () => {
      const talk = await stage.open([
        { calls: [setPlan("Rest", ["Rest", "Sleep"])] },
        { calls: [step("s1", "active")] },
        { text: "ok" },
        { text: "planning" },
        { text: "working" },
      ]);
      await talk.say("Rest");
      talk.mode = "plan";
      await talk.say("Wait");
      talk.mode = "normal";
      await talk.say("Go on");
      expect(lastWire(stage)).toContain("without approving version 1");
    });

    test("a planning run begins with one scan of the repository, shown to person and model", async () => {
      const talk = await stage.open([{ text: "ok" }, { text: "ok" }], "plan");
      await talk.say("Go");
      expect(talk.messages[0]).toMatchObject({
        role: "event",
        content: expect.stringMatching(/^Looked at the repository\.[\s\S]*package\.json/),
      });
      expect(String(stage.model().requests.at(-1)?.body.messages[1]?.content)).toContain(
        "Looked at the repository.",
      );
      await talk.say("And again");
      expect(countOf(lastWire(stage), "Looked at the repository.")).toBe(1);
      // After a plan has been carried out, the repository is different.
      stage.model().play([{ calls: [setPlan("Rest", ["Rest"]), exitPlan] }]);
      await talk.say("Plan");
      stage
        .model()
        .play([{ calls: [step("s1", "active")] }, { calls: [step("s1", "done", "rested")] }, { text: "x" }]);
      await talk.approve();
      talk.mode = "plan";
      stage.model().play([{ text: "ok" }]);
      await talk.say("What next?");
      expect(countOf(lastWire(stage), "Looked at the repository.")).toBe(2);
    });
  });

  describe("proposals", () => {
    test("results never repeat the plan's text", async () => {
      const talk = await stage.open([{ calls: [setPlan("Goal UNIQUE-C")] }, { calls: [exitPlan] }], "plan");
      await talk.say("Plan");
      const results = talk.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
      expect(results).toHaveLength(2);
      expect(results.join("\n")).not.toContain("UNIQUE-C");
    });

    test("while planning, the newest text is in a request once; older versions cost a line", async () => {
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
      expect(countOf(lastWire(stage), "UNIQUE-A")).toBe(0);
      expect(lastWire(stage)).toContain("Plan version 1, superseded.");
      expect(countOf(lastWire(stage), "UNIQUE-B")).toBe(1);
    });

    test("the text of a call that was not run is left out, so that the plan is there once", async () => {
      const again = setPlan("The goal UNIQUE-F");
      const talk = await stage.open([{ calls: [again, exitPlan, again] }, { text: "ok" }], "plan");
      await talk.say("Plan");
      expect(talk.result("set_plan").content).toBe("not run: the plan was submitted");
      await talk.say("Tell me more");
      expect(countOf(lastWire(stage), "UNIQUE-F")).toBe(1);
      expect(lastWire(stage)).toContain("Its plan text was not installed.");
    });

    test("a rejection with feedback and comments on steps plans again in one history", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      stage.model().play([{ calls: [setPlan("Write a better note")] }, { calls: [exitPlan] }]);
      const first = talk.plan;
      await talk.turn({
        type: "reject",
        planVersion: 1,
        feedback: "Make it better",
        comments: [{ stepId: "s1", text: "shorter" }],
      });
      expect(talk.messages.findLast((message) => message.role === "user")?.content).toBe(
        "Make it better\nOn step 1 (s1): shorter",
      );
      expect(talk.plan).toMatchObject({ version: 2, supersedes: 1, status: "proposed" });
      expect(talk.plan?.hash).not.toBe(first?.hash);
    });

    test("a manual edit reaches the model as one notice with a diff, once", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      const edited = talk.plan && {
        ...talk.plan,
        markdown: talk.plan.markdown.replace("Write note.txt", "Write NOTE.txt by hand"),
      };
      stage.model().play([{ text: "Seen." }, { text: "Still there." }]);
      await talk.turn({ type: "message", text: "I changed it" }, { plan: edited });
      expect(talk.plan).toMatchObject({ version: 2, source: "person" });
      await talk.say("And now?");
      const notices = wire().filter(({ content }) => String(content).includes("The person edited the plan"));
      expect(notices).toHaveLength(1);
      const notice = String(notices[0]?.content);
      expect(notice).toContain("version 1 became version 2.");
      expect(notice).toContain("-1. [s1] Write note.txt");
      expect(notice).toContain("+1. [s1] Write NOTE.txt by hand");
      expect(countOf(lastWire(stage), '<plan version=\\"2\\">')).toBe(1);
    });

    test("the diff of a free-text plan shows exactly what was changed", async () => {
      const text = "My plan has no headings.\n1. One\n2. Two";
      const talk = await stage.open([{ text }, { text: "Seen." }], "plan");
      await talk.say("Plan it");
      await talk.turn(
        { type: "message", text: "I changed it" },
        { plan: talk.plan && { ...talk.plan, markdown: talk.plan.markdown.replace("Two", "Two and three") } },
      );
      const notice =
        talk.messages.find(({ content }) => content.startsWith("The person edited"))?.content ?? "";
      expect(notice.split("\n").filter((line) => /^[-+][^-+]/.test(line))).toEqual([
        "-2. [s2] Two",
        "+2. [s2] Two and three",
      ]);
    });
  });
}
