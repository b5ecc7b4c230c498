import { describe, expect, test } from "vitest";
import { dataOf, names } from "../../harness/conversation.ts";
import { postTurn } from "../../harness/sse.ts";
import { exitPlan, setPlan } from "./planning.ts";
import type { Stage } from "./suite.ts";

const ask = {
  id: "ask-1",
  name: "ask_user",
  args: {
    questions: [
      {
        id: "color",
        label: "Colour",
        prompt: "Which colour?",
        type: "single_select",
        options: [{ label: "Red" }, { label: "Blue" }, { label: "Other" }],
      },
      { id: "name", label: "Name", prompt: "Which name?", type: "free_text" },
    ],
  },
};
const answers = (color: string, name = "42") => [
  { id: "color", raw: color },
  { id: "name", raw: name },
];

export function describeQuestions(stage: Stage): void {
  describe("questions", () => {
    const asked = async () => {
      const talk = await stage.open([{ calls: [setPlan(), { ...ask }] }], "plan");
      const events = await talk.say("Plan");
      return { talk, events };
    };

    test("questions end the turn open; the client gets them without the options that mean none", async () => {
      const { talk, events } = await asked();
      expect(dataOf(events, "questions")).toMatchObject({ toolCallId: "ask-1", round: 1 });
      expect(dataOf(events, "questions").questions[0]?.options?.map(({ label }) => label)).toEqual([
        "Red",
        "Blue",
      ]);
      expect(dataOf(events, "turn.done").reason).toBe("questions");
      expect(talk.messages.some((message) => message.role === "tool" && message.toolCallId === "ask-1")).toBe(
        false,
      );
      expect(talk.plan?.round).toBe(1);
    });

    test("answers become the result; the ledger comes before the proposal, and the plan waits for approval", async () => {
      const { talk } = await asked();
      stage.model().play([
        {
          calls: [{ name: "update_plan", args: { steps: [{ id: "s1", description: "Write blue.txt" }] } }],
        },
        { calls: [exitPlan] },
      ]);
      const events = await talk.turn({
        type: "answers",
        toolCallId: "ask-1",
        answers: answers("2"),
        run: false,
      });
      expect(
        talk.messages.find((message) => message.role === "tool" && message.toolCallId === "ask-1")?.content,
      ).toBe("Colour: Blue\nName: 42");
      expect(
        names(events).filter((name) => ["ledger", "proposal", "mode", "turn.done"].includes(name)),
      ).toEqual(["ledger", "proposal", "turn.done"]);
      const ledger = dataOf(events, "ledger");
      expect(ledger.decisions.map(({ label, answer }) => [label, answer])).toEqual([
        ["Colour", "Blue"],
        ["Name", "42"],
      ]);
      expect(ledger.updates).toEqual([expect.stringContaining("Step 1 changed")]);
      const sent = stage
        .model()
        .requests.at(-1)
        ?.body.messages.find(({ tool_call_id }) => tool_call_id === "ask-1");
      expect(sent?.content).toMatch(/^Colour: Blue\nName: 42\n\[meta\] round=0\/12 context=\S+ \d+%$/);
      expect(talk.plan?.decisions).toHaveLength(2);
      expect(talk.mode).toBe("plan");
    });

    test("answer and run: ledger, proposal, mode, and execution in the same turn", async () => {
      const { talk } = await asked();
      stage
        .model()
        .play([
          { calls: [exitPlan] },
          { calls: [{ name: "write_file", args: { path: "note.txt", content: "x\n", base: null } }] },
          { text: "Done." },
        ]);
      const events = await talk.turn({
        type: "answers",
        toolCallId: "ask-1",
        answers: answers("1"),
        run: true,
        mode: "auto",
      });
      expect(
        names(events).filter((name) => ["ledger", "proposal", "mode", "turn.done"].includes(name)),
      ).toEqual(["ledger", "proposal", "mode", "turn.done"]);
      expect(dataOf(events, "ledger").updates).toEqual(["No plan changes"]);
      expect(await stage.file(talk, "note.txt")).toBe("x\n");
      expect(talk.mode).toBe("auto");
    });

    test.each([["1,2"], ["0"], ["9"], ["3"]])(
      "the answer %j is not understood: asked again, no message, no model call",
      async (raw) => {
        const { talk } = await asked();
        const before = stage.model().requests.length;
        const events = await talk.turn({
          type: "answers",
          toolCallId: "ask-1",
          answers: answers(raw),
          run: true,
        });
        expect(names(events)).toEqual(["turn.started", "questions", "turn.done"]);
        expect(dataOf(events, "questions")).toMatchObject({
          round: 1,
          details: [{ id: "color", problem: expect.stringMatching(/\S/) }],
        });
        expect(dataOf(events, "turn.done").reason).toBe("questions");
        expect(stage.model().requests.length).toBe(before);
        stage.model().play([{ text: "Thanks." }]);
        expect(
          dataOf(
            await talk.turn({
              type: "answers",
              toolCallId: "ask-1",
              answers: answers("own words"),
              run: false,
            }),
            "ledger",
          ).decisions[0]?.answer,
        ).toBe("own words");
      },
    );

    test("a missing answer is 400, a question that is no longer open 409", async () => {
      const { talk } = await asked();
      const missing = await postTurn(
        stage.product(),
        talk.body({ type: "answers", toolCallId: "ask-1", answers: [{ id: "color", raw: "1" }], run: false }),
      );
      expect(missing.status).toBe(400);
      stage.model().play([{ text: "Thanks." }]);
      const stale = { messages: talk.messages, plan: talk.plan };
      await talk.turn({ type: "answers", toolCallId: "ask-1", answers: answers("1"), run: false });
      const late = await postTurn(
        stage.product(),
        talk.body({ type: "answers", toolCallId: "ask-1", answers: answers("1"), run: false }),
      );
      expect(late.status).toBe(409);
      const twice = await postTurn(
        stage.product(),
        talk.body({ type: "answers", toolCallId: "ask-1", answers: answers("2"), run: false }, stale),
      );
      expect(twice.status).toBe(409);
    });

    test("saying something else cancels the questions, and every call has its result", async () => {
      const { talk } = await asked();
      stage.model().play([{ text: "All right." }]);
      await talk.say("Never mind");
      expect(talk.result("ask_user").content).toMatch(/^cancelled: /);
    });

    test("siblings behind the questions are not run", async () => {
      const talk = await stage.open(
        [{ calls: [setPlan(), { ...ask }, { name: "read_file", args: { path: "package.json" } }] }],
        "plan",
      );
      await talk.say("Plan");
      stage.model().play([{ text: "Thanks." }]);
      await talk.turn({ type: "answers", toolCallId: "ask-1", answers: answers("1"), run: false });
      expect(talk.result("read_file").content).toBe("not run: questions were asked");
    });

    test("a sixth round of questions is refused, and the turn goes on", async () => {
      const talk = await stage.open([{ calls: [setPlan(), { ...ask }] }], "plan");
      await talk.say("Plan");
      for (let round = 2; round <= 5; round += 1) {
        stage.model().play([{ calls: [{ ...ask, id: `ask-${round}` }] }]);
        const events = await talk.turn({
          type: "answers",
          toolCallId: `ask-${round - 1}`,
          answers: answers("1"),
          run: false,
        });
        expect(dataOf(events, "questions").round).toBe(round);
      }
      stage.model().play([{ calls: [{ ...ask, id: "ask-6" }] }, { text: "I decided." }]);
      const events = await talk.turn({
        type: "answers",
        toolCallId: "ask-5",
        answers: answers("1"),
        run: false,
      });
      expect(talk.result("ask_user")).toMatchObject({
        ok: false,
        content: expect.stringContaining("all 5 rounds"),
      });
      expect(dataOf(events, "turn.done").reason).not.toBe("questions");
    });
  });
}
