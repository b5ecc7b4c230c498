import { expect, test } from "vitest";
import { rowOfFound } from "../../../pwa/transcript/found-row.ts";
import type { Row } from "../../../pwa/transcript/rows.ts";

const user = (key: string): Row => ({
  key,
  kind: "user",
  message: { id: key, role: "user", createdAt: 0, content: "x", mode: "plan" },
});
const text = (key: string): Row => ({ key, kind: "text", text: "x", reasoning: undefined, cut: undefined });
const chose = (key: string): Row => ({ key, kind: "chose", decisions: [], updates: [] });
const station = (key: string, ...rows: Row[]): Row => ({
  key,
  kind: "station",
  step: undefined,
  number: 0,
  left: false,
  stepId: "s1",
  status: "done",
  rows,
  note: undefined,
  since: 0,
  until: undefined,
  idleMs: 0,
  checks: [],
});
const entry = (turnId: string, id: number, who: "You" | "Agent" | "Plan" = "Agent") => ({
  to: "found" as const,
  session: "s",
  turnId,
  id,
  who,
  words: ["x"],
});

test("an entry with a row of its own is found there, also below its step", () => {
  const rows = [user("t.1"), station("t.2", text("t.3"))];
  expect(rowOfFound(rows, entry("t", 1), false)).toEqual({ at: 0, key: "t.1" });
  expect(rowOfFound(rows, entry("t", 3), false)).toEqual({ at: 1, key: "t.3" });
});

test("a question and its answer are found where the choice is shown", () => {
  const rows = [user("t.1"), chose("t.5"), text("t.8"), chose("u.3"), chose("v.3")];
  expect(rowOfFound(rows, entry("t", 9), false)).toEqual({ at: 3, key: "u.3" });
  expect(rowOfFound(rows, entry("u", 2, "You"), false)).toEqual({ at: 3, key: "u.3" });
});

test("no other row is found while earlier ones may still be loaded, or while the question waits", () => {
  const rows = [chose("t.9"), text("t.12")];
  expect(rowOfFound(rows, entry("t", 4), true)).toBeUndefined();
  expect(rowOfFound(rows, entry("t", 4), false)).toEqual({ at: 0, key: "t.9" });
  expect(rowOfFound([user("t.1")], entry("t", 2), false)).toBeUndefined();
});
