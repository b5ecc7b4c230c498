// "Answer and run" whose turn ends before the answers are worked in: the wish to run is not lost with it.
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { names } from "../../harness/conversation.ts";
import { answersTo, askColour, exitPlan, setPlan, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

export function describeAnswerAndRun(stage: Stage): void {
  describe("answer and run, interrupted,", () => {
    /** Answer and run, with the model failing or the rounds used up before the answers are worked in. */
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
    ] as const)("is kept where %s: `continue` runs the plan", async (_, reply, mode, ended) => {
      const { talk, end } = await interrupted(reply, mode);
      expect(end).toMatchObject(ended);
      stage.model().play([{ text: "Red then." }, { calls: [write("note.txt")] }, { text: "Done." }]);
      const events = await talk.turn({ type: "continue" });
      expect(steps(events)).toEqual(["proposal", "mode", "turn.done"]);
      expect(talk.mode).toBe(mode ?? "normal");
      expect(await stage.file(talk, "note.txt")).toBe("x\n");
      // It has run: planning again ends in a plan to look at.
      talk.mode = "plan";
      stage.model().play([{ calls: [setPlan("Another")] }, { text: "Here it is." }]);
      expect(steps(await talk.turn({ type: "continue" }))).toEqual(["mode", "proposal", "turn.done"]);
    });

    test("is over once the person has said something else", async () => {
      const { talk } = await interrupted(failing);
      stage.model().play([failing]);
      await talk.say("Wait, show me the plan");
      stage.model().play([{ calls: [exitPlan] }]);
      expect(steps(await talk.turn({ type: "continue" }))).toEqual(["proposal", "turn.done"]);
    });
  });
}
