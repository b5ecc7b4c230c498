import { expect, test } from "vitest";
import { pickFor, pickOf, withPick } from "../../../pwa/session/chosen-model.ts";
import type { SessionRecord } from "../../../pwa/storage/session-record.ts";

const record = { id: "s", model: { provider: "a", id: "worker" }, effort: "low" } as SessionRecord;
const thinker = { provider: "b", id: "thinker" };

test("a turn in plan mode uses the planning model; approving a plan, or answer and run, uses the other", () => {
  const approve = { type: "approve" as const, planVersion: 1, planHash: "h", mode: "normal" as const };
  const answers = { type: "answers" as const, toolCallId: "c", answers: [], run: true };
  expect(pickFor("plan", { type: "message", text: "x" })).toBe("plan");
  expect(pickFor("plan", { ...answers, run: false })).toBe("plan");
  expect(pickFor("plan", approve)).toBe("run");
  expect(pickFor("plan", answers)).toBe("run");
  expect(pickFor("auto", { type: "continue" })).toBe("run");
});

test("planning uses the session's model until it has one of its own, and never its effort", () => {
  expect(pickOf(record, "plan")).toEqual({ model: record.model });
  const own = { ...record, ...withPick(record, "plan", { model: thinker, effort: "high" }) };
  expect(pickOf(own, "plan")).toEqual({ model: thinker, effort: "high" });
  expect(pickOf(own, "run")).toEqual({ model: record.model, effort: "low" });
});
