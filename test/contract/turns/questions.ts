import { describe, expect, test } from "vitest";
import { dataOf, names } from "../../harness/conversation.ts";
import { postTurn } from "../../harness/sse.ts";
import { answersTo, askColour, exitPlan, setPlan, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

const ask = askColour("ask-1");
const answers = answersTo;

export function describeQuestions(stage: Stage): void {
  describe("questions", () => {
    const asked = async () => {
      const talk = await stage.open([{ calls: [setPlan(), ask] }], "plan");
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
      expect(sent?.content).toMatch(/^Colour: Blue\nName: 42\n\[meta\] 0\/12 \d+%$/);
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
      // A question that is asked again is open again, so an unreadable answer comes too late as well.
      const invalid = await postTurn(
        stage.product(),
        talk.body({ type: "answers", toolCallId: "ask-1", answers: answers("9"), run: false }, stale),
      );
      expect(invalid.status).toBe(409);
    });

    test("a message instead of an answer cancels the questions, and every call has its result", async () => {
      const { talk } = await asked();
      stage.model().play([{ text: "All right." }]);
      await talk.say("Never mind");
      expect(talk.result("ask_user").content).toMatch(/^cancelled: /);
    });

    test("answers to questions that another device has cancelled are 409, with the turn that cancelled them", async () => {
      const { talk } = await asked();
      const stale = { messages: talk.messages, plan: talk.plan };
      stage.model().play([{ text: "All right." }]);
      const { turnId } = dataOf(await talk.say("Never mind"), "turn.started");
      const late = await postTurn(
        stage.product(),
        talk.body({ type: "answers", toolCallId: "ask-1", answers: answers("1"), run: true }, stale),
      );
      expect(late.status).toBe(409);
      expect(await late.json()).toMatchObject({ error: { code: "stale_plan", details: { turnId } } });
    });

    test("siblings after the questions are not run", async () => {
      const talk = await stage.open(
        [{ calls: [setPlan(), ask, { name: "read_file", args: { path: "package.json" } }] }],
        "plan",
      );
      await talk.say("Plan");
      stage.model().play([{ text: "Thanks." }]);
      await talk.turn({ type: "answers", toolCallId: "ask-1", answers: answers("1"), run: false });
      expect(talk.result("read_file").content).toBe("not run: questions were asked");
    });

    test("a sixth round of questions is refused, and the turn continues", { tags: "long" }, async () => {
      const talk = await stage.open([{ calls: [setPlan(), ask] }], "plan");
      await talk.say("Plan");
      for (let round = 2; round <= 5; round += 1) {
        stage.model().play([{ calls: [askColour(`ask-${round}`)] }]);
        const events = await talk.turn({
          type: "answers",
          toolCallId: `ask-${round - 1}`,
          answers: answers("1"),
          run: false,
        });
        expect(dataOf(events, "questions").round).toBe(round);
      }
      stage.model().play([{ calls: [askColour("ask-6")] }, { text: "I decided." }]);
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

    test("the ledger comes before the next questions, and once", async () => {
      const { talk } = await asked();
      stage.model().play([{ calls: [askColour("ask-b")] }]);
      const events = await talk.turn({
        type: "answers",
        toolCallId: "ask-1",
        answers: answers("1"),
        run: true,
      });
      const seen = names(events).filter((name) => ["ledger", "questions", "turn.done"].includes(name));
      expect(seen).toEqual(["ledger", "questions", "turn.done"]);
    });

    test("the ledger also comes where the model fails after the answers", async () => {
      const { talk } = await asked();
      stage.model().play([{ status: 401, body: { error: { message: "bad key" } } }]);
      const events = await talk.turn({
        type: "answers",
        toolCallId: "ask-1",
        answers: answers("1"),
        run: false,
      });
      expect(names(events).slice(-2)).toEqual(["ledger", "turn.failed"]);
    });

    test("answer and run: a plan in plain text counts as updated, also where the plan was proposed before", async () => {
      const talk = await stage.open([{ calls: [setPlan(), exitPlan] }, { calls: [ask] }], "plan");
      await talk.say("Plan");
      await talk.say("Which colours are there?");
      stage.model().play([{ text: "Red then." }, { calls: [write("note.txt")] }, { text: "Done." }]);
      const events = await talk.turn({
        type: "answers",
        toolCallId: "ask-1",
        answers: answers("1"),
        run: true,
      });
      expect(
        names(events).filter((name) => ["ledger", "proposal", "mode", "turn.done"].includes(name)),
      ).toEqual(["ledger", "proposal", "mode", "turn.done"]);
      expect(await stage.file(talk, "note.txt")).toBe("x\n");
    });

    test("a blank answer does not count: asked again", async () => {
      const { talk } = await asked();
      const events = await talk.turn({
        type: "answers",
        toolCallId: "ask-1",
        answers: answers("1", "  "),
        run: true,
      });
      expect(dataOf(events, "questions").details).toEqual([{ id: "name", problem: "an answer is missing" }]);
    });

    test("answers to older questions are refused, with the questions that are open now", async () => {
      const { talk } = await asked();
      stage.model().play([{ calls: [askColour("ask-c")] }]);
      await talk.turn({ type: "answers", toolCallId: "ask-1", answers: answers("1"), run: false });
      const late = await postTurn(
        stage.product(),
        talk.body({ type: "answers", toolCallId: "ask-1", answers: answers("2"), run: false }),
      );
      expect(late.status).toBe(409);
      expect(await late.json()).toMatchObject({
        error: { code: "stale_plan", details: { toolCallId: "ask-c" } },
      });
    });

    test("a plan with nothing to decide asks nothing", async () => {
      const talk = await stage.open([{ calls: [setPlan(), exitPlan] }], "plan");
      const events = await talk.say("Plan");
      expect(names(events)).not.toContain("questions");
      expect(dataOf(events, "turn.done").reason).toBe("proposed");
    });

    test("in plan mode the draft comes first", async () => {
      const talk = await stage.open([{ calls: [ask] }, { text: "ok" }], "plan");
      await talk.say("Plan");
      expect(talk.result("ask_user")).toMatchObject({
        ok: false,
        content: expect.stringContaining("set_plan"),
      });
    });
  });
}
