// Whether a turn has a runner. A runner that has left or fallen silent does not count, and followers are
// told.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Attendance } from "../../sandbox/journal/attendance.ts";
import type { AttendanceNews } from "../../shared/journal.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched() {
  const attendance = new Attendance();
  const seen: boolean[] = [];
  attendance.onChange(() => seen.push(attendance.attended));
  return { attendance, seen };
}

test("a runner that leaves no longer runs the turn, and its followers are told", () => {
  const { attendance, seen } = watched();
  const leave = attendance.attend(1, false, () => undefined);
  leave();
  expect(seen).toEqual([true, false]);
});

test("a runner whose heartbeat stops counts as gone while somebody follows, until it beats again", async () => {
  const { attendance, seen } = watched();
  attendance.attend(1, true, () => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(attendance.attended).toBe(true);
  const over = attendance.watch();
  for (let second = 0; second < 10; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    attendance.beat(1);
  }
  expect(attendance.attended).toBe(true);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(attendance.attended).toBe(false);
  // A heartbeat with another epoch does not come from this runner.
  attendance.beat(0);
  expect(attendance.attended).toBe(false);
  attendance.beat(1);
  expect([attendance.attended, seen.slice(-2)]).toEqual([true, [false, true]]);
  over();
});

test("of two runners the higher epoch runs the turn, whichever comes first, and the other is told", () => {
  const { attendance } = watched();
  const told: [number, AttendanceNews["type"]][] = [];
  const attend = (epoch: number) => attendance.attend(epoch, false, (news) => told.push([epoch, news.type]));
  const leave = [attend(2), attend(1), attend(3)];
  expect(told).toEqual([
    [1, "overtaken"],
    [2, "overtaken"],
  ]);
  leave[0]?.();
  leave[1]?.();
  expect(attendance.attended).toBe(true);
  leave[2]?.();
  expect(attendance.attended).toBe(false);
});
