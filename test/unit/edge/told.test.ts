import { expect, test } from "vitest";
import { toldToEnd } from "../../../functions/turn/told.ts";
import type { JournalEvent, TurnEvent } from "../../../shared/event.ts";
import { seenAfter } from "../../../shared/seen-hash.ts";
import { SseParser } from "../../../shared/sse.ts";

const step = (id: number): JournalEvent => ({
  id,
  event: "step",
  data: { stepId: `s${id}`, status: "done" },
});
const failed = (id: number, code: string): JournalEvent => ({
  id,
  event: "turn.failed",
  data: { error: { code, message: "words" } },
});
const done = (id: number): JournalEvent => ({
  id,
  event: "turn.done",
  data: { reason: "stop", rounds: 1 },
});
const turnId = "t";
const told = (records: JournalEvent[], after: number, seen?: string, counts?: "client") =>
  [...toldToEnd(records, { turnId, after, ...(seen ? { seen } : {}) }, counts)].map((event: TurnEvent) =>
    "id" in event ? event.id : event.event === "gap" ? [event.data.from, event.data.through] : event.event,
  );

test("what is missing of a turn is reported once, and its end follows, so that a client with a part of it can go on", () => {
  const kept = [step(1), step(5), done(9)];
  expect(told(kept, 0)).toEqual([1, [2, 4], 5, [6, 8], 9]);
  expect(told(kept, 3)).toEqual([[4, 4], 5, [6, 8], 9]);
  expect(told(kept, 4)).toEqual([5, [6, 8], 9]);
  expect(told(kept, 8)).toEqual([9]);
  expect(told(kept, 9)).toEqual([]);
});

test("a client for whose history the turn was set aside gets its end alone, every other one the end it had", () => {
  const records = [step(1), step(2), done(3), failed(8, "history_differs")];
  expect(told(records, 2, undefined, "client")).toEqual([[3, 7], 8]);
  expect(told(records, 7, undefined, "client")).toEqual([8]);
  expect(told(records, 1)).toEqual([2, 3]);
});

test("the hash of a client's events is compared, but not where a gap makes it unknown", () => {
  const records = [step(1), step(2), done(3)];
  const seen = seenAfter(seenAfter("", step(1)), step(2));
  expect(told(records, 2, seen)).toEqual([3]);
  expect(() => told(records, 2, "0123456789abcdef")).toThrow(/Decide which history counts/);
  expect(told([step(2), done(3)], 2, seen)).toEqual([3]);
});

test("the hash belongs to one event of a stream, and is not inherited", () => {
  const events = new SseParser().push("id: 1\nseen: ab\nevent: step\ndata: {}\n\nevent: step\ndata: {}\n\n");
  expect(events.map(({ seen }) => seen)).toEqual(["ab", undefined]);
});
