// A plan that is approved with a clean context: what stays in the prompt, what is dropped, and that the
// history keeps everything.
import { describe, expect, test } from "vitest";
import type { EventMessage } from "../../../shared/message.ts";
import { historyForTurn } from "../../../shared/session/history.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { type Conversation, dataOf } from "../../harness/conversation.ts";
import { answersTo, askColour, exitPlan, setPlan, step, write } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

const read = (path: string) => ({ name: "read_file", args: { path } });
const working: ModelReply[] = [
  { calls: [write("note.txt"), step("s1", "done", "Wrote it")] },
  { text: "The note is there." },
];

export function describeStartFresh(stage: Stage): void {
  const sent = (): string => JSON.stringify(stage.model().requests.at(-1)?.body.messages);
  const marker = (talk: Conversation): EventMessage | undefined =>
    talk.messages.find(
      (message): message is EventMessage =>
        message.role === "event" && message.extra.event.source === "start_fresh",
    );

  /** A proposal after much reading, an answer and a rejection. */
  async function proposed(model?: { provider: string; id: string }): Promise<Conversation> {
    const talk = await stage.open(
      [
        { calls: [read("src/gateway.js"), read("test/gateway.test.js")] },
        { calls: [setPlan(), askColour("q1")] },
        { calls: [exitPlan] },
        { calls: [exitPlan] },
      ],
      "plan",
    );
    const more = model ? { model } : {};
    await talk.turn({ type: "message", text: "Plan the note" }, more);
    await talk.turn({ type: "answers", toolCallId: "q1", answers: answersTo("2", "Ada"), run: false }, more);
    const { planVersion } = dataOf(talk.events, "proposal");
    await talk.turn({ type: "reject", planVersion, feedback: "Mind the umlauts" }, more);
    return talk;
  }
  const fresh = (talk: Conversation, more = {}) => {
    const { planVersion, planHash } = dataOf(talk.events, "proposal");
    return talk.turn({ type: "approve", planVersion, planHash, mode: "normal", fresh: true }, more);
  };

  describe("start fresh", () => {
    test("plan, answers and the person's messages stay; what was read is left out at once and from then on", async () => {
      const talk = await proposed();
      expect(sent()).toContain("createGateway");
      const before = talk.messages.length;
      stage.model().play(working);
      expect(dataOf(await fresh(talk), "turn.done").reason).toBe("stop");
      const wire = sent();
      for (const kept of ["Plan the note", "Colour: Blue", "Ada", "Mind the umlauts", "Approved. Go ahead."])
        expect(wire).toContain(kept);
      expect(wire).toMatch(/The person approved version \d+\.[\s\S]*\[s1\] Write note\.txt/);
      expect(wire).not.toContain("createGateway");
      expect(talk.plan?.status).toBe("done");
      // The person still has everything.
      expect(talk.messages.length).toBeGreaterThan(before);
      expect(JSON.stringify(talk.messages)).toContain("createGateway");
      stage.model().play([{ text: "ok" }]);
      await talk.turn({ type: "message", text: "And now?" }, { messages: historyForTurn(talk.messages) });
      expect(sent()).toContain("The note is there.");
      expect(sent()).not.toContain("createGateway");
      stage.model().play([{ text: "ok" }]);
      await talk.say("Whole again");
      expect(sent()).not.toContain("createGateway");
    });

    test("reports the size of a request before and after, in tokens and, with a price, in dollars", async () => {
      const talk = await proposed({ provider: "priced", id: "scripted" });
      stage.model().play(working);
      await fresh(talk, { model: { provider: "priced", id: "scripted" } });
      const { before, after, perToken } = marker(talk)?.extra.event.data ?? {};
      expect(before).toBeGreaterThan(Number(after));
      expect(after).toBeGreaterThan(500);
      expect(perToken).toBe(100 / 1e6);
    });

    test("posted again it replays the same events, and asks the model nothing", async () => {
      const talk = await proposed();
      stage.model().play(working);
      const { planVersion, planHash } = dataOf(talk.events, "proposal");
      const body = talk.body({ type: "approve", planVersion, planHash, mode: "normal", fresh: true });
      const first = await talk.turn(body.input, body);
      const asked = stage.model().requests.length;
      const again = await talk.turn(body.input, { ...body, attempt: 2 });
      const durable = (events: typeof first) => events.filter((event) => "id" in event);
      expect(durable(again)).toEqual(durable(first));
      expect(stage.model().requests.length).toBe(asked);
    });

    test("a second one still has all messages and answers from before the first, unshortened", async () => {
      const talk = await proposed();
      const long = `Mind this too: ${"every word of it counts. ".repeat(120)}The end.`;
      stage.model().play([{ calls: [exitPlan] }]);
      const { planVersion } = dataOf(talk.events, "proposal");
      await talk.turn({ type: "reject", planVersion, feedback: long });
      for (let index = 1; index <= 22; index += 1) {
        stage.model().play([{ calls: [exitPlan] }]);
        await talk.turn({
          type: "reject",
          planVersion: dataOf(talk.events, "proposal").planVersion,
          feedback: `Word ${index} of mine.`,
        });
      }
      stage.model().play([{ text: "Working." }, { text: "Still." }]);
      await fresh(talk);
      for (const kept of [long, "Word 1 of mine.", "Word 22 of mine.", "Mind the umlauts"])
        expect(sent()).toContain(JSON.stringify(kept).slice(1, -1));
      talk.mode = "plan";
      stage.model().play([{ calls: [setPlan("Write it anew")] }, { calls: [exitPlan] }]);
      await talk.turn({ type: "replan", text: "Plan it again" });
      stage.model().play([{ text: "Working." }, { text: "Still." }]);
      await fresh(talk);
      for (const kept of [long, "Word 1 of mine.", "Plan it again", "Colour: Blue", "Mind the umlauts"])
        expect(sent()).toContain(JSON.stringify(kept).slice(1, -1));
    });

    test("a plan that the person edited is approved as edited", async () => {
      const talk = await proposed();
      stage.model().play([{ text: "Working." }, { text: "Still." }]);
      const plan = talk.plan && {
        ...talk.plan,
        markdown: talk.plan.markdown.replace("Write note.txt", "Write NOTE.txt"),
      };
      await fresh(talk, { plan });
      expect(sent()).toMatch(/The person approved version 2\.[\s\S]*\[s1\] Write NOTE\.txt/);
      expect(sent()).not.toContain("createGateway");
    });
  });
}
