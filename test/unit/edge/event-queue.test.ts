import { describe, expect, test } from "vitest";
import { EventQueue } from "../../../functions/live/event-queue.ts";
import type { TurnEvent } from "../../../shared/event.ts";

const text = (messageId: string, delta: string): TurnEvent => ({
  event: "text.delta",
  data: { messageId, delta },
});
const thought = (messageId: string, delta: string): TurnEvent => ({
  event: "reasoning.delta",
  data: { messageId, delta },
});

describe("events waiting for a reader", () => {
  test("deltas of one text are joined while nobody reads; other texts and kinds stay separate, in order", () => {
    const queue = new EventQueue(() => undefined);
    for (const event of [text("a", "1"), text("a", "2"), thought("a", "3"), text("a", "4"), text("b", "5")])
      queue.push(event);
    expect(queue.take()).toEqual([text("a", "12"), thought("a", "3"), text("a", "4"), text("b", "5")]);
  });

  test("queued events are still read after the end, and then there is nothing", () => {
    const queue = new EventQueue(() => undefined);
    queue.push(text("a", "1"));
    queue.end();
    expect(queue.take()).toEqual([text("a", "1")]);
    expect(queue.take()).toEqual([]);
  });

  test("whoever fills the queue learns that the reader left", () => {
    let closed = 0;
    const queue = new EventQueue(() => {
      closed += 1;
    });
    queue.push(text("a", "1"));
    queue.close();
    expect(closed).toBe(1);
    expect(queue.take()).toEqual([]);
  });

  test("of a flood that nobody reads the newest is kept, within a cap, and every durable event, in order", () => {
    const queue = new EventQueue(() => undefined);
    const output = (offset: number): TurnEvent => ({
      event: "tool.output",
      data: { toolCallId: "c", stream: "stdout", offset, text: "x".repeat(10_000) },
    });
    const mode = (id: number): TurnEvent => ({
      event: "mode",
      id,
      data: { from: "plan", to: "normal", reason: "" },
    });
    for (let n = 1; n <= 5_000; n += 1) {
      queue.push(output(n));
      if (n % 1_000 === 0) queue.push(mode(n / 1_000));
    }
    const events = queue.take();
    expect(events.flatMap((event) => ("id" in event ? [event.id] : []))).toEqual([1, 2, 3, 4, 5]);
    expect(events.at(-2)).toEqual(output(5_000));
    expect(JSON.stringify(events).length).toBeLessThan(2_100_000);
    queue.push(text("a", "1"));
    expect(queue.take()).toEqual([text("a", "1")]);
  });
});
