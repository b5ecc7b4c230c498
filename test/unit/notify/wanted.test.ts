import { describe, expect, test } from "vitest";
import { isWanted } from "../../../functions/notify/wanted.ts";

const at = (clock: string) => Date.parse(`2026-11-23T${clock}:00Z`);

describe("what is sent", () => {
  test("every kind by default", () => {
    expect(isWanted({}, "end", at("12:00"))).toBe(true);
  });

  test("no kind that is off", () => {
    const wants = { kinds: ["questions", "a kind of later versions"] };
    expect(isWanted(wants, "questions", at("12:00"))).toBe(true);
    expect(isWanted(wants, "end", at("12:00"))).toBe(false);
  });

  test("the reminder that it still runs, where the minutes are set", () => {
    expect(isWanted({ kinds: [] }, "running", at("12:00"))).toBe(true);
  });

  test.each([
    ["22:00", "21:59", true],
    ["22:00", "22:00", false],
    ["22:00", "02:00", false],
    ["22:00", "06:59", false],
    ["22:00", "07:00", true],
    ["01:00", "00:59", true],
    ["01:00", "01:00", false],
    ["01:00", "07:00", true],
  ])("in quiet hours from %s to 07:00, at %s: %s", (from, now, wanted) => {
    const [hours = 0, minutes = 0] = from.split(":").map(Number);
    expect(isWanted({ quiet: { from: hours * 60 + minutes, to: 7 * 60 } }, "failure", at(now))).toBe(wanted);
  });
});
