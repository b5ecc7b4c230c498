// On a host that must end soon (workerd), a turn without followers is detached after a while. The delay keeps
// a reload or a change of tabs from interrupting an answer.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as limits from "../../../functions/limits.ts";
import { LiveTurn } from "../../../functions/live/live-turns.ts";
import type { TurnEvent } from "../../../shared/event.ts";

const held = { turnId: "t", after: 0 };
const { detachAfterMs } = limits;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function left(afterMs: number = detachAfterMs) {
  const live = new LiveTurn(1, "hash", afterMs);
  live.watch(held).close();
  live.detachUnlessWatched();
  return { live, detached: () => live.signals.detach.aborted };
}

test("a turn keeps running for a while after its last watcher left, and no longer", () => {
  const { detached } = left();
  vi.advanceTimersByTime(detachAfterMs - 1);
  expect(detached()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(detached()).toBe(true);
});

test.each<[string, (live: LiveTurn) => void]>([
  ["here", (live) => void live.watch(held)],
  ["through the journal", (live) => live.hear({ type: "watchers", count: 1 })],
])("a client that comes back meanwhile, %s, finds it running to its end", (_where, comeBack) => {
  const { live, detached } = left();
  vi.advanceTimersByTime(detachAfterMs / 2);
  comeBack(live);
  vi.advanceTimersByTime(10 * detachAfterMs);
  expect(detached()).toBe(false);
});

test("a host that keeps running by itself detaches nothing", () => {
  const { detached } = left(Number.POSITIVE_INFINITY);
  vi.advanceTimersByTime(10 * detachAfterMs);
  expect(detached()).toBe(false);
});

test("who joins while a check that ran out of time has no result yet is told so, after that it began", () => {
  const live = new LiveTurn(1, "hash", detachAfterMs);
  const started: TurnEvent = {
    event: "tool.started",
    data: { toolCallId: "a", at: 0, check: { command: "c" } },
  };
  const ended: TurnEvent = { event: "tool.ended", data: { toolCallId: "a", outOfTime: true } };
  live.publish(started);
  live.publish(ended);
  const queue = live.watch(held);
  expect(queue.take()).toEqual([started, ended]);
});

test("who joins while the model is asked again hears the last answer first, and only the newest wait", () => {
  const live = new LiveTurn(1, "hash", detachAfterMs);
  const wait = (at: number): TurnEvent => ({ event: "model.wait", data: { at } });
  const said: TurnEvent = { event: "text.delta", data: { messageId: "a1", delta: "One thing." } };
  for (const event of [wait(1), said, wait(2)]) live.publish(event);
  expect(live.watch(held).take()).toEqual([said, wait(2)]);
});
