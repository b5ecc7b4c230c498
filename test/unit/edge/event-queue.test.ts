import { describe, expect, test } from "vitest";
import { EventQueue } from "../../../functions/agent/event-queue.ts";
import type { TurnEvent } from "../../../shared/event.ts";

const text = (messageId: string, delta: string): TurnEvent => ({
  event: "text.delta",
  data: { messageId, delta },
});
const thought = (messageId: string, delta: string): TurnEvent => ({
  event: "reasoning.delta",
  data: { messageId, delta },
});

describe("events on their way to a reader", () => {
  test("deltas of one text join while nobody reads; other texts and kinds stay apart, in order", async () => {
    const queue = new EventQueue(() => undefined);
    for (const event of [text("a", "1"), text("a", "2"), thought("a", "3"), text("a", "4"), text("b", "5")])
      queue.push(event);
    expect(await queue.take(0)).toEqual([text("a", "12"), thought("a", "3"), text("a", "4"), text("b", "5")]);
  });

  test("what has come is still read after the end, and then there is nothing", async () => {
    const queue = new EventQueue(() => undefined);
    queue.push(text("a", "1"));
    queue.end();
    expect(await queue.take(0)).toEqual([text("a", "1")]);
    expect(await queue.take(0)).toBeUndefined();
  });

  test("a reader that goes away is told to whoever fills the queue", async () => {
    let closed = 0;
    const queue = new EventQueue(() => {
      closed += 1;
    });
    queue.push(text("a", "1"));
    queue.close();
    expect(closed).toBe(1);
    expect(await queue.take(0)).toBeUndefined();
  });
});
