// Many answers stream through one process at the same time, with paced reads and writes.
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import type { ModelScript } from "../../fakes/model-server.ts";
import { eventsOf, postTurn } from "../../harness/sse.ts";
import { stop } from "../resume/turn-requests.ts";
import type { Stage } from "./stage.ts";

export function describeManyAtOnce(stage: Stage): void {
  describe("twelve answers at once", () => {
    const open = (script: ModelScript) => Promise.all(Array.from({ length: 12 }, () => stage.open(script)));

    test("arrive whole, each in its own conversation, however fast the model is", async () => {
      const answerTo = (asked: string) => `To ${asked}: ${"Grüße, 日本語 🚏. ".repeat(600)}`;
      const talks = await open(({ messages }) => {
        const asked = String(messages.at(-1)?.content);
        return { text: answerTo(asked), fragments: 60, quirks: { comments: asked.endsWith("1") } };
      });
      const streams = await Promise.all(talks.map((talk, n) => talk.say(`question ${n}`)));
      streams.forEach((events, n) => {
        expect(textOf(events)).toBe(answerTo(`question ${n}`));
        expect(talks[n]?.messages.at(-1)?.content).toBe(answerTo(`question ${n}`));
      });
    });

    test("show as much as has arrived, even if no more arrives", { tags: "long" }, async () => {
      // The end of the text cannot begin a secret. Text that may be the beginning of a token is withheld
      // until more arrives.
      const text = "as far as this, and no word more!";
      const talks = await open([{ text, stall: true }]);
      const seen = talks.map(async (talk) => {
        const events: TurnEvent[] = [];
        let stopped = false;
        const body = talk.body({ type: "message", text: "Talk" });
        for await (const event of eventsOf(await postTurn(stage.product(), body))) {
          events.push(event);
          // The turn is stopped and not only left. Otherwise it would continue, and its next request would
          // take a reply of a later test.
          if (textOf(events) === text && !stopped) {
            stopped = true;
            await stop(stage.product(), body);
          }
        }
        return textOf(events);
      });
      expect(await Promise.all(seen)).toEqual(talks.map(() => text));
    });

    test("whose provider breaks off are requested again, and only the second one is shown", {
      tags: "long",
    }, async () => {
      const asked = new Map<string, number>();
      const talks = await open(({ messages }) => {
        const question = String(messages.at(-1)?.content);
        const n = (asked.get(question) ?? 0) + 1;
        asked.set(question, n);
        return n === 1 ? { text: `${question}, first try`, cut: 900 } : { text: `${question}, again` };
      });
      await Promise.all(talks.map((talk, n) => talk.say(`question ${n}`)));
      talks.forEach((talk, n) => {
        expect(talk.messages.at(-1)?.content).toBe(`question ${n}, again`);
      });
    });
  });
}

function textOf(events: readonly TurnEvent[]): string {
  return events.flatMap((event) => (event.event === "text.delta" ? [event.data.delta] : [])).join("");
}
