// "Answer and run" in a turn that ends before the answers are worked into the plan: the plan still runs
// afterwards.
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { dataOf, names } from "../../harness/conversation.ts";
import { answersTo, askColour, exitPlan, setPlan, step, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

export function describeAnswerAndRun(stage: Stage): void {
  describe("answer and run", () => {
    /** Asks about the plan, and answers "Answer and run" with the first option. */
    async function answered(replies: ModelReply[], raw = "1", prompt = "Shall a step be added?") {
      const options = [{ label: "Yes", description: "adds a step for the tests" }, { label: "No" }];
      const questions = [{ id: "q", label: "Tests", prompt, type: "single_select", options }];
      const ask = { id: "ask-1", name: "ask_user", args: { questions } };
      const talk = await stage.open([{ calls: [setPlan(), ask] }], "plan");
      await talk.say("Plan");
      stage.model().play(replies);
      const answers = [{ id: "q", raw }];
      const events = await talk.turn({ type: "answers", toolCallId: "ask-1", answers, run: true });
      return { talk, ended: names(events).filter((name) => ["proposal", "mode"].includes(name)) };
    }
    const noTouch = { text: "never asked" };

    test.each([
      ["that lost its patch", [{ calls: [exitPlan] }, noTouch]],
      ["that lost its update, with a text only", [{ text: "I will." }, noTouch]],
      ["whose patch came as text", [{ text: "## Plan\n1. Write note.txt\n2. Write the tests" }, noTouch]],
      [
        "whose patch came in exit_plan",
        [
          { calls: [{ name: "exit_plan", args: { plan: "1. Write note.txt\n2. Write the tests" } }] },
          noTouch,
        ],
      ],
      ["with nothing of the old one in it", [{ calls: [setPlan("Else", ["Delete it"]), exitPlan] }, noTouch]],
    ] satisfies [string, ModelReply[]][])("shows a plan %s, and runs nothing of it", async (_, replies) => {
      const { talk, ended } = await answered(replies);
      expect(ended).toEqual(["proposal"]);
      expect([talk.mode, talk.plan?.status]).toEqual(["plan", "proposed"]);
    });

    const exchanged = (command: string) => ({
      name: "update_plan",
      args: { steps: [{ id: "s1", checkpoint: { command } }] },
    });

    test.each([
      [
        "every step of which was replaced, for the same goal",
        [{ calls: [setPlan(undefined, ["Push it"]), exitPlan] }, noTouch],
      ],
      ["a check of which was exchanged", [{ calls: [exchanged("touch ran.txt"), exitPlan] }, noTouch]],
      [
        "that is checked in the end by a command of its own",
        [
          {
            calls: [setPlan(undefined, undefined, { checkpoints: [{ command: "touch ran.txt" }] }), exitPlan],
          },
          noTouch,
        ],
      ],
    ] satisfies [string, ModelReply[]][])("shows a plan %s, before any of it runs", async (_, replies) => {
      const { talk, ended } = await answered(replies);
      expect(ended).toEqual(["proposal"]);
      expect(await stage.file(talk, "ran.txt")).toBeUndefined();
    });

    test("runs a check that was replaced before the questions, and one that the chosen option names", async () => {
      const asks = (option: string) => ({
        id: "ask-1",
        name: "ask_user",
        args: {
          questions: [
            {
              ...{ id: "q", label: "Check", prompt: "Which check shall the plan have?" },
              ...{ type: "single_select", options: [{ label: "Quick", description: option }] },
            },
          ],
        },
      });
      for (const [option, before] of [
        ["none", [exchanged("test -s note.txt")]],
        ["`test -s note.txt`", []],
      ] as const) {
        const talk = await stage.open([{ calls: [setPlan(), ...before, asks(option)] }], "plan");
        await talk.say("Plan");
        const add = { name: "update_plan", args: { addSteps: [{ description: "Rest" }] } };
        stage.model().play([{ calls: [add, exchanged("test -s note.txt"), exitPlan] }, { text: "Done." }]);
        const answers = [{ id: "q", raw: "1" }];
        await talk.turn({ type: "answers", toolCallId: "ask-1", answers, run: true });
        expect(talk.mode).toBe("normal");
      }
    });

    const check = "test -s note.txt";
    test.each([
      ["only the question names", `Check with\n\`${check}\`\n?`, "none", "1", false],
      ["is part of the option's text", "Which?", `${check}; say so`, "1", false],
      ["the chosen option refuses", "Which?", `never run \`${check}\``, "1", false],
      ["another option names", "Which?", `\`${check}\``, "The other", false],
      ["the typed answer names", "Which?", "none", `Take \`${check}\``, true],
    ])("a command that %s", async (_, prompt, description, raw, runs) => {
      const options = [{ label: "Quick", description }];
      const questions = [{ id: "q", label: "Way", prompt, type: "single_select", options }];
      const talk = await stage.open(
        [{ calls: [setPlan(), { id: "ask-1", name: "ask_user", args: { questions } }] }],
        "plan",
      );
      await talk.say("Plan");
      stage.model().play([{ calls: [exchanged(check), exitPlan] }, { text: "Done." }]);
      await talk.turn({ type: "answers", toolCallId: "ask-1", answers: [{ id: "q", raw }], run: true });
      expect(talk.mode).toBe(runs ? "normal" : "plan");
    });

    const rewritten = {
      name: "set_plan",
      args: { goal: "Else", steps: [{ description: "Other", checkpoint: { command: "touch ran.txt" } }] },
    };
    test.each([
      ["under way", false, exchanged("touch ran.txt"), "proposal"],
      ["held", true, exchanged("touch ran.txt"), "proposal"],
      ["under way", false, rewritten, "proposal"],
      ["under way", false, step("s1", "pending", "Later"), "mode"],
    ])(
      "shows an approved plan, %s (held: %s), that the model changed in plan mode before it asked",
      async (_, hold, call, end) => {
        const talk = await stage.open(
          [{ calls: [setPlan(), exitPlan] }, { text: "Begun." }, { text: "Yes." }],
          "plan",
        );
        const planned = await talk.say("Plan");
        const { planVersion, planHash } = dataOf(planned, "proposal");
        await talk.turn({ type: "approve", planVersion, planHash, mode: "normal", hold });
        talk.mode = "plan";
        stage.model().play([{ calls: [call, askColour("ask-1")] }]);
        await talk.say("What is it about?");
        stage
          .model()
          .play([
            { calls: [exitPlan] },
            { calls: [write("note.txt"), step("s1", "done", "did it")] },
            { text: "Done." },
          ]);
        const answers = { type: "answers", toolCallId: "ask-1", answers: answersTo("1"), run: true } as const;
        const events = await talk.turn(answers);
        expect(
          names(events)
            .filter((name) => ["proposal", "mode"].includes(name))
            .at(-1),
        ).toBe(end);
        expect(await stage.file(talk, "ran.txt")).toBeUndefined();
      },
    );

    test("runs a plan that was updated, and one that the answer was not to change", async () => {
      const add = { name: "update_plan", args: { addSteps: [{ description: "Write the tests" }] } };
      const patched = await answered([{ calls: [add, exitPlan] }, { text: "Done." }]);
      expect(patched.ended).toEqual(["proposal", "mode"]);
      const unchanged = await answered([{ calls: [exitPlan] }, { text: "Done." }], "2", "Are tests wanted?");
      expect(unchanged.ended).toEqual(["proposal", "mode"]);
    });
  });

  describe("answer and run, interrupted,", () => {
    /** Answer and run, when the model fails or the rounds are used up before the answers are worked in. */
    async function interrupted(reply: ModelReply, mode?: "auto") {
      const talk = await stage.open([{ calls: [setPlan(), askColour("ask-1")] }], "plan");
      await talk.say("Plan");
      stage.model().play([reply]);
      talk.options = { maxRounds: 1 };
      const input = { type: "answers", toolCallId: "ask-1", answers: answersTo("1"), run: true } as const;
      const events = await talk.turn({ ...input, ...(mode ? { mode } : {}) });
      talk.options = undefined;
      return { talk, end: events.at(-1) };
    }
    const failing: ModelReply = { status: 401, body: { error: { message: "bad key" } } };
    const reading: ModelReply = { calls: [{ name: "read_file", args: { path: "package.json" } }] };
    const steps = (events: readonly TurnEvent[]) =>
      names(events).filter((name) => ["ledger", "proposal", "mode", "turn.done"].includes(name));

    test.each([
      ["the model has failed", failing, undefined, { event: "turn.failed" }],
      ["the rounds were used up", reading, "auto", { data: { reason: "continue" } }],
    ] as const)("is remembered where %s: `continue` runs the plan", async (_, reply, mode, ended) => {
      const { talk, end } = await interrupted(reply, mode);
      expect(end).toMatchObject(ended);
      stage.model().play([{ text: "Red then." }, { calls: [write("note.txt")] }, { text: "Done." }]);
      const events = await talk.turn({ type: "continue" });
      expect(steps(events)).toEqual(["proposal", "mode", "turn.done"]);
      expect(talk.mode).toBe(mode ?? "normal");
      expect(await stage.file(talk, "note.txt")).toBe("x\n");
      // The run is over, so planning again ends with a plan for the person to look at.
      talk.mode = "plan";
      stage.model().play([{ calls: [setPlan("Another")] }, { text: "Here it is." }]);
      expect(steps(await talk.turn({ type: "continue" }))).toEqual(["mode", "proposal", "turn.done"]);
    });

    test("is dropped once the person has said something else", async () => {
      const { talk } = await interrupted(failing);
      stage.model().play([failing]);
      await talk.say("Wait, show me the plan");
      stage.model().play([{ calls: [exitPlan] }]);
      expect(steps(await talk.turn({ type: "continue" }))).toEqual(["proposal", "turn.done"]);
    });
  });
}
