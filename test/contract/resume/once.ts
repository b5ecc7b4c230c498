import { describe, expect, test } from "vitest";
import type { TurnRequestInput } from "../../../shared/turn.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { type Conversation, dataOf } from "../../harness/conversation.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import { answersTo, askColour, planned } from "../turns/plan-script.ts";
import type { ResumeStage } from "./stage.ts";

const removal = { id: "rm", name: "run_command", args: { command: "rm -rf old; echo gone >> log.txt" } };

/** PROTOCOL 3.1 "Once": two taps, on two phones or in two tabs, reach two processes at the same moment. */
export function describeOnce(stage: ResumeStage): void {
  describe("what may be claimed once", () => {
    /** Posts `input` under two turn ids at the same time. Returns both answers, the accepted one first. */
    async function race(talk: Conversation, input: TurnRequestInput["input"]) {
      const bodies = [talk.body(input), talk.body(input)];
      const answers = await Promise.all(
        bodies.map(async (body, index) => {
          const response = await postTurn(index === 0 ? stage.product() : stage.other(), body);
          const events = response.ok ? await collect(eventsOf(response)) : [];
          return { turnId: body.turnId, status: response.status, response, events };
        }),
      );
      return answers.sort((one, two) => one.status - two.status);
    }

    const cases: [name: string, replies: ModelReply[], mode: "normal" | "plan"][] = [
      ["a proposal", planned, "plan"],
      ["an answer", [{ calls: [askColour("q1", { summary: "s" })] }], "normal"],
      ["a permit", [{ calls: [removal] }], "normal"],
    ];
    test.each(cases)(
      "%s in two turns: one wins, the other is told which, nothing runs twice",
      async (_, replies, mode) => {
        const talk = await stage.open(replies, mode);
        await talk.say("Begin");
        const before = stage.model().requests.length;
        stage.model().play([{ text: "Going on." }]);
        const [won, lost] = await race(talk, inputFor(talk));
        expect([won?.status, lost?.status]).toEqual([200, 409]);
        expect(dataOf(won?.events ?? [], "turn.done").reason).toBe("stop");
        expect(await lost?.response.json()).toMatchObject({
          error: { code: "stale_plan", details: { turnId: won?.turnId } },
        });
        // If the model stops before an approved plan is done, one reminder is sent.
        const asked = talk.plan ? 2 : 1;
        expect(stage.model().requests.length).toBe(before + asked);
        if (talk.events.some(({ event }) => event === "permission"))
          expect(await stage.file(talk, "log.txt")).toBe("gone\n");
      },
    );
  });
}

/** The input that resolves what the conversation waits for. */
function inputFor({ events }: Conversation): TurnRequestInput["input"] {
  const last = events.findLast(({ event }) => ["proposal", "questions", "permission"].includes(event));
  switch (last?.event) {
    case "proposal":
      return { type: "approve", ...last.data, mode: "normal" };
    case "questions":
      return { type: "answers", toolCallId: last.data.toolCallId, answers: answersTo("1"), run: false };
    case "permission":
      return { type: "permit", toolCallId: last.data.toolCallId, decision: "once" };
    default:
      throw new Error("nothing waits");
  }
}
