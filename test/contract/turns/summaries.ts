// Summaries that the model writes of messages that its requests leave out: made only if configured, paid
// once, never required.
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import type { EventMessage } from "../../../shared/message.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import type { RequestBody } from "../../fakes/model-server.ts";
import type { Conversation } from "../../harness/conversation.ts";
import { collect, eventsOf, postTurn } from "../../harness/sse.ts";
import type { Stage } from "./stage.ts";

const summing = { model: { provider: "priced", id: "summing" } };
const count: ModelReply = {
  text: "I count. ".repeat(200),
  calls: [{ name: "run_command", args: { command: "seq 1 90" } }],
};
const words = "The person wants <numbers>; seq prints them.";
// The number of requests that one turn has on every host.
const rounds = 15;

const asksForSummary = (body: RequestBody) => body.tools === undefined;
const summaries = (talk: Conversation): EventMessage[] =>
  talk.messages.filter(
    (message): message is EventMessage =>
      message.role === "event" && message.extra.event.source === "model_summary",
  );

export function describeSummaries(stage: Stage): void {
  describe("a summary by the model", () => {
    /** Enough rounds for one or two summaries, which are answered with `summary`. */
    function script(summary: ModelReply) {
      let worked = 0;
      return (body: RequestBody): ModelReply => {
        if (asksForSummary(body)) return summary;
        worked += 1;
        return worked < rounds ? count : { text: "Counted." };
      };
    }
    const sent = (from: number) =>
      stage
        .model()
        .requests.slice(from)
        .map(({ body }) => body);

    test("is in the digest of what was left out, in every later request, and its cost is counted", async () => {
      const talk = await stage.open(script({ text: words }));
      const before = stage.model().requests.length;
      const events = await talk.turn({ type: "message", text: "Count, please" }, summing);
      expect(events.at(-1)).toMatchObject({ event: "turn.done", data: { reason: "stop", rounds } });
      const asked = sent(before).findIndex(asksForSummary);
      expect(sent(before)[asked]?.messages[1]?.content).toContain("seq 1 90");
      for (const body of sent(before + asked + 1)) {
        if (asksForSummary(body)) continue;
        const [, first, digest] = body.messages;
        expect(first?.content).toBe("Count, please");
        expect(digest?.content).toContain("In your own words:\nThe person wants <numbers>; seq prints them.");
        expect(JSON.stringify(body.messages).split("seq prints them")).toHaveLength(2);
      }
      const [summary] = summaries(talk);
      expect(summary).toMatchObject({
        content: words,
        extra: { event: { subkind: "system_notice", data: { ok: true, usage: { cost: 0.12 } } } },
      });
      // A new summary is made only when much more has been left out, and not in every round.
      expect(summaries(talk).length).toBeLessThan(rounds / 5);
      expect(sent(before).filter(asksForSummary)).toHaveLength(summaries(talk).length);
    });

    test("is recorded: a replay is the same and asks for nothing, and its cost counts against the limit", async () => {
      const talk = await stage.open(script({ text: words }));
      const options = { spendLimit: 0.12 * (rounds - 2) };
      const body = talk.body({ type: "message", text: "Count" }, { ...summing, options });
      const first = await collect(eventsOf(await postTurn(stage.product(), body)));
      expect(first.at(-1)).toMatchObject({
        event: "turn.failed",
        data: { error: { details: { reason: "spend_limit" } } },
      });
      const answers = first.filter(
        (event) => event.event === "message" && event.data.message.role === "assistant",
      );
      expect(answers.length).toBeLessThan(rounds - 2);
      const before = stage.model().requests.length;
      const again = await collect(eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 })));
      const durable = (events: typeof first) => events.filter((event) => "id" in event);
      expect(durable(again)).toEqual(durable(first));
      expect(stage.model().requests).toHaveLength(before);
    });

    test("is not paid again where its round was interrupted after it", async () => {
      let summed = 0;
      let hung = false;
      const play = script({ text: words });
      const talk = await stage.open((body) => {
        if (asksForSummary(body)) summed += 1;
        else if (summed === 1 && !hung) {
          hung = true;
          return { hang: true };
        }
        return play(body);
      });
      const body = talk.body({ type: "message", text: "Count" }, summing);
      const isSummary = (event: TurnEvent) =>
        event.event === "message" && JSON.stringify(event.data).includes('"model_summary"');
      for await (const event of eventsOf(await postTurn(stage.product(), body))) if (isSummary(event)) break;
      const events = await collect(eventsOf(await postTurn(stage.product(), { ...body, attempt: 2 })));
      expect(events.at(-1)).toMatchObject({ event: "turn.done", data: { reason: "stop", rounds } });
      expect(hung).toBe(true);
      expect(events.filter(isSummary)).toHaveLength(summed);
    });

    test.each<[string, ModelReply]>([
      ["fails", { status: 500 }],
      ["is refused", { status: 401 }],
      ["is empty", { text: " " }],
      ["breaks off", { text: words, cut: 300 }],
    ])("that %s is replaced by facts, and is not requested every round", async (_, reply) => {
      const talk = await stage.open(script(reply));
      const before = stage.model().requests.length;
      const events = await talk.turn({ type: "message", text: "Count" }, summing);
      expect(events.at(-1)).toMatchObject({ event: "turn.done", data: { reason: "stop", rounds } });
      expect(summaries(talk)[0]).toMatchObject({ content: "", extra: { event: { data: { ok: false } } } });
      expect(sent(before).filter(asksForSummary).length).toBeLessThan(rounds / 5);
      const digest = sent(before).at(-1)?.messages[2]?.content;
      expect(digest).toContain("Commands run: seq 1 90");
      expect(digest).not.toContain("In your own words");
    });

    test("is not requested from a model that is not configured for it", async () => {
      const talk = await stage.open(script({ text: words }));
      const before = stage.model().requests.length;
      await talk.turn({ type: "message", text: "Count" }, { model: { provider: "priced", id: "small" } });
      expect(sent(before).at(-1)?.messages[2]?.content).toContain("older messages were left out");
      expect(sent(before).filter(asksForSummary)).toEqual([]);
    });
  });
}
