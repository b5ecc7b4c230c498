// The model proposes to plan first. The person decides with one tap, and nothing happens without it.
import { describe, expect, test } from "vitest";
import { type Conversation, dataOf, names } from "../../harness/conversation.ts";
import { postTurn } from "../../harness/sse.ts";
import { planned, step, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

const enter = { id: "enter-1", name: "enter_plan", args: {} };

export function describeEnterPlan(stage: Stage): void {
  const answered = (talk: Conversation, raw: string) =>
    talk.turn({ type: "answers", toolCallId: "enter-1", answers: [{ id: "plan_first", raw }], run: false });
  const toolsSent = () =>
    stage
      .model()
      .requests.at(-1)
      ?.body.tools?.map(({ function: { name } }) => name);
  const proposed = async () => {
    const talk = await stage.open([{ text: "Three files change.", calls: [enter, write("a.txt")] }]);
    return { talk, events: await talk.say("Rename the gateway") };
  };

  describe("enter_plan", () => {
    test("in normal mode it asks the person, with the model's reason, and nothing happens without a tap", async () => {
      const { talk, events } = await proposed();
      const { round, summary, questions } = dataOf(events, "questions");
      expect([round, summary]).toEqual([0, "Three files change."]);
      expect(questions[0]?.options?.map(({ label }) => label)).toEqual(["Plan first", "Just do it"]);
      expect(dataOf(events, "turn.done").reason).toBe("questions");
      expect(await stage.file(talk, "a.txt")).toBeUndefined();
      expect(talk.mode).toBe("normal");
    });

    test("after a finished plan it asks too", async () => {
      const talk = await stage.open(planned, "plan");
      await talk.say("Plan it");
      stage
        .model()
        .play([{ calls: [write("note.txt")] }, { calls: [step("s1", "done", "x")] }, { text: "Done." }]);
      await talk.approve();
      expect(talk.plan?.status).toBe("done");
      stage.model().play([{ calls: [enter] }]);
      expect(dataOf(await talk.say("Now the gateway"), "turn.done").reason).toBe("questions");
    });

    test("Plan first continues in plan mode, in the same turn, and a plan is proposed", async () => {
      const { talk } = await proposed();
      stage.model().play(planned);
      const events = await answered(talk, "1");
      expect(dataOf(events, "mode")).toMatchObject({ from: "normal", to: "plan" });
      expect(talk.result("enter_plan").content).toBe("How to begin: Plan first");
      expect(toolsSent()).toContain("exit_plan");
      expect(toolsSent()).not.toContain("write_file");
      expect(dataOf(events, "turn.done").reason).toBe("proposed");
      expect(await stage.file(talk, "a.txt")).toBeUndefined();
      expect([talk.mode, talk.plan?.round]).toEqual(["plan", 0]);
    });

    test("Just do it continues in normal mode without plan tools, and the same task is not asked about again", async () => {
      const { talk } = await proposed();
      stage
        .model()
        .play([{ calls: [{ ...enter, id: "enter-2" }] }, { calls: [write("a.txt")] }, { text: "Done." }]);
      const events = await answered(talk, "2");
      expect(names(events)).not.toContain("questions");
      expect(talk.result("enter_plan").content).toMatch(/just do it/);
      expect(toolsSent()).not.toContain("set_plan");
      expect(await stage.file(talk, "a.txt")).toBe("x\n");
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      stage.model().play([{ calls: [{ ...enter, id: "enter-3" }] }]);
      expect(dataOf(await talk.say("Now something else"), "turn.done").reason).toBe("questions");
    });

    test("an answer that is given again in another turn is refused, and a message instead of an answer cancels the question", async () => {
      const { talk } = await proposed();
      const body = talk.body({
        type: "answers",
        toolCallId: "enter-1",
        answers: [{ id: "plan_first", raw: "1" }],
        run: false,
      });
      stage.model().play([{ text: "Fine." }]);
      const events = await talk.say("Only the readme, please");
      expect(talk.result("enter_plan").content).toBe("cancelled: the person said something else instead");
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect((await postTurn(stage.product(), body)).status).toBe(409);
    });

    test("in auto mode, where nobody is asked, the plan tools are there at once", async () => {
      const talk = await stage.open([{ calls: [enter] }, { text: "ok" }], "auto");
      const events = await talk.say("Rename the gateway");
      expect(names(events)).not.toContain("questions");
      expect(toolsSent()).toContain("set_plan");
    });
  });
}
