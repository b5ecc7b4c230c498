// Questions during the execution of a plan: at a decision, with a summary, and in at most five rounds
// including those of planning.
import { describe, expect, test } from "vitest";
import { dataOf, names } from "../../harness/conversation.ts";
import { eventsOf, postTurn } from "../../harness/sse.ts";
import { stop } from "../resume/turn-requests.ts";
import { answersTo, askColour, executing, exitPlan, noticesOf, setPlan, step, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

export function describeInterrupts(stage: Stage): void {
  describe("interrupts", () => {
    const fork = askColour("fork-1", { summary: "Two ways to write it.\nBoth pass." });

    test("execution stops for questions with a summary and continues at the active step, in its mode", async () => {
      const { talk, events } = await executing(stage, setPlan(), [{ calls: [step("s1", "active"), fork] }]);
      expect(dataOf(events, "questions")).toMatchObject({
        round: 1,
        summary: "Two ways to write it.\nBoth pass.",
      });
      stage
        .model()
        .play([
          { calls: [write("note.txt")] },
          { calls: [step("s1", "done", "wrote it")] },
          { text: "Done." },
        ]);
      const after = await talk.turn({
        type: "answers",
        toolCallId: "fork-1",
        answers: answersTo("2"),
        run: true,
      });
      expect(names(after)).not.toContain("proposal");
      expect(names(after)).not.toContain("mode");
      expect(dataOf(after, "ledger").updates).toEqual(["No plan changes"]);
      expect(talk.plan).toMatchObject({ status: "done", steps: [{ id: "s1", status: "done" }] });
    });

    test("without a summary the questions are refused", async () => {
      const { talk } = await executing(stage, setPlan(), [{ calls: [askColour("fork-2")] }, { text: "ok" }]);
      expect(talk.result("ask_user")).toMatchObject({
        ok: false,
        content: expect.stringContaining("summary"),
      });
    });

    test("rounds are counted over planning and execution: a sixth is refused during execution", async () => {
      const talk = await stage.open([{ calls: [setPlan(), askColour("ask-1")] }], "plan");
      await talk.say("Plan");
      for (let round = 2; round <= 5; round += 1) {
        const mode = round === 3 ? [{ calls: [exitPlan] }] : [];
        stage.model().play([...mode, { calls: [askColour(`r-${round}`, { summary: "A fork." })] }]);
        const events = await talk.turn({
          type: "answers",
          toolCallId: round === 2 ? "ask-1" : `r-${round - 1}`,
          answers: answersTo("1"),
          run: true,
        });
        expect(dataOf(events, "questions").round).toBe(round);
      }
      expect(talk.mode).toBe("normal");
      stage.model().play([{ calls: [askColour("r-6", { summary: "A fork." })] }, { text: "I decided." }]);
      await talk.turn({ type: "answers", toolCallId: "r-5", answers: answersTo("1"), run: false });
      expect(talk.result("ask_user")).toMatchObject({
        ok: false,
        content: expect.stringContaining("all 5 rounds"),
      });
    });

    test("a checkpoint that fails when no round is left stops the turn instead of asking", async () => {
      const plan = setPlan("Do it", [{ id: "s1", description: "Write", checkpoint: { command: "false" } }]);
      const talk = await stage.open([{ calls: [plan, askColour("c-1")] }], "plan");
      await talk.say("Plan");
      for (let round = 2; round <= 5; round += 1) {
        stage.model().play([{ calls: [askColour(`c-${round}`)] }]);
        await talk.turn({
          type: "answers",
          toolCallId: `c-${round - 1}`,
          answers: answersTo("1"),
          run: false,
        });
      }
      stage
        .model()
        .play([{ calls: [exitPlan] }, { calls: [step("s1", "done", "tried")] }, { text: "never asked for" }]);
      const events = await talk.turn({
        type: "answers",
        toolCallId: "c-5",
        answers: answersTo("1"),
        run: true,
      });
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect(talk.messages.at(-1)?.content).not.toBe("never asked for");
    });
  });

  describe("a stop while a command runs", () => {
    test("skips what comes after it in the answer, changes of the plan too", async () => {
      const { talk } = await executing(stage, setPlan(), [{ text: "One moment." }]);
      const wait = { name: "run_command", args: { command: "echo begun > log.txt; sleep 60" } };
      const change = { steps: [{ id: "s1", checkpoint: { command: "test -f note.txt", timeoutMs: 9_000 } }] };
      stage.model().play([{ calls: [wait, { name: "update_plan", args: change }] }]);
      const before = talk.plan?.hash;
      const body = talk.body({ type: "message", text: "Go on" });
      for await (const event of eventsOf(await postTurn(stage.product(), body))) {
        if (event.event === "tool.started") await stop(stage.product(), body);
        talk.keep(event);
      }
      expect(talk.result("update_plan").content).toBe(
        "not run: the person stopped the turn before this began",
      );
      expect(noticesOf(talk, "engine").at(-1)).toContain("Not begun, so nothing was done: update_plan.");
      expect(talk.plan?.hash).toBe(before);
      expect(names(talk.events).filter((name) => name === "plan")).toHaveLength(3);
    });
  });
}
