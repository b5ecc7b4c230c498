// The person is asked about a plan's open points before they see the plan.
import { describe, expect, test } from "vitest";
import { dataOf, names } from "../../harness/conversation.ts";
import { exitPlan, setPlan } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

export function describeOpenPoints(stage: Stage): void {
  describe("open points of a plan", () => {
    const point = {
      id: "store",
      label: "Store",
      prompt: "Where is it kept?",
      type: "single_select",
      options: ["Cookies", "localStorage"],
    };
    const withPoints = (decisionPoints: unknown[]) =>
      setPlan("Keep the theme", ["Write note.txt"], { decisionPoints });

    test("are asked once, when the plan is submitted", async () => {
      const talk = await stage.open(
        [{ calls: [withPoints([point, "Is IE needed?", "No colours"]), exitPlan] }],
        "plan",
      );
      const asked = dataOf(await talk.say("Plan"), "questions");
      expect(talk.result("set_plan").content).toContain(
        "Open points: store (Store), point-2 (Is IE needed).",
      );
      expect(talk.result("exit_plan").content).toBe(
        "Not submitted yet: Store, Is IE needed are asked first.",
      );
      expect(asked).toMatchObject({
        round: 1,
        questions: [{ id: "store" }, { id: "point-2", type: "free_text" }],
      });
      const answers = [
        { id: "store", raw: "2" },
        { id: "point-2", raw: "no" },
      ];
      stage.model().play([{ calls: [exitPlan] }]);
      const events = await talk.turn({ type: "answers", toolCallId: asked.toolCallId, answers });
      expect(dataOf(events, "ledger").decisions.map(({ answer }) => answer)).toEqual(["localStorage", "no"]);
      expect(dataOf(events, "turn.done").reason).toBe("proposed");
      expect(talk.plan).toMatchObject({ version: 1, round: 1, status: "proposed" });
      // Once the plan is approved, these count as decided. As open questions they would be asked or worked on
      // again.
      stage.model().play([{ calls: [{ name: "get_plan" }] }, { text: "ok" }]);
      await talk.approve();
      const shown = talk.messages.find(({ content }) => content.includes("<approved-plan"))?.content;
      expect(shown).toContain(
        "# Decision points\n\n1) **Store**, decided by the person: localStorage\n2) Is IE needed, decided by the person: no\n3) No colours\n",
      );
      expect(talk.result("get_plan").content).toContain("in the message about the change of mode");
      expect(talk.plan?.markdown).toContain("1) **Store** (single-select): Where is it kept?");
    });

    test("written in the document's template are asked too; with run the plan continues", async () => {
      const text =
        "Goal\nKeep the theme\n\nPlan\n1. Write note.txt\n2. Look at it\n\nDecision points\n1) **Store** (single-select): Where?\n   1. Cookies\n   2. localStorage\n   5. (None) Type your answer\n      Next";
      const talk = await stage.open([{ text }], "plan");
      const { toolCallId } = dataOf(await talk.say("Plan"), "questions");
      stage.model().play([{ text: "Good." }, { text: "Done." }]);
      const answers = [{ id: "q1", raw: "1" }];
      const events = await talk.turn({ type: "answers", toolCallId, answers, run: true });
      expect(names(events)).toContain("mode");
      expect(talk.mode).toBe("normal");
    });

    test("do not count as decided by another question with their number", async () => {
      const question = { label: "Form", prompt: "Which form?", options: ["Round", "Square"] };
      const { id: _, ...unnamed } = point;
      const ask = { id: "ask-1", name: "ask_user", args: { questions: [question] } };
      const talk = await stage.open([{ calls: [withPoints([unnamed]), ask] }], "plan");
      await talk.say("Plan");
      stage.model().play([{ calls: [exitPlan] }]);
      const answers = [{ id: "q1", raw: "1" }];
      const events = await talk.turn({ type: "answers", toolCallId: "ask-1", answers });
      expect(talk.plan).toMatchObject({
        decisionPoints: [{ id: "q1" }],
        decisions: [{ id: "q1", label: "Form" }],
      });
      expect(dataOf(events, "questions").questions).toMatchObject([{ id: "q1", label: "Store" }]);
    });

    test("that the model asked itself are not asked again, the others are", async () => {
      const other = { label: "IE", prompt: "Is IE needed?", options: ["Yes", "No"] };
      const own = { label: "store", prompt: "Where do I keep it?", options: ["Cookies"] };
      const ask = { id: "ask-1", name: "ask_user", args: { questions: [own] } };
      const talk = await stage.open([{ calls: [withPoints([point, other]), ask] }], "plan");
      await talk.say("Plan");
      stage.model().play([{ calls: [exitPlan] }]);
      const events = await talk.turn({
        type: "answers",
        toolCallId: "ask-1",
        answers: [{ id: "q1", raw: "1" }],
      });
      const { toolCallId, questions } = dataOf(events, "questions");
      expect(questions).toMatchObject([{ label: "IE" }]);
      const answers = questions.map(({ id }) => ({ id, raw: "2" }));
      stage.model().play([{ calls: [exitPlan] }]);
      const then = await talk.turn({ type: "answers", toolCallId, answers });
      expect(dataOf(then, "turn.done").reason).toBe("proposed");
    });
  });
}
