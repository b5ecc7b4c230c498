// The times of steps in the transcript.
import { expect, test } from "vitest";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import type { DurableDraft } from "../../../shared/event.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { numbered, plan, started } from "../session/events.ts";

test("a step that is retried has not taken the time for which it waited for the person", () => {
  const hourMs = 3_600_000;
  const said = (id: string, createdAt: number): DurableDraft => ({
    event: "message",
    data: { message: { id, role: "assistant", content: "So.", createdAt, mode: "normal", finish: "stop" } },
  });
  const step = (status: "active" | "failed"): DurableDraft => ({
    event: "step",
    data: { stepId: "s1", status },
  });
  const { entries, head } = numbered([
    started("t1"),
    { event: "plan", data: { plan: plan({ status: "executing" }) } },
    ...[step("active"), step("failed"), said("a1", 1_000)],
    started("t2"),
    // The engine dates its first message like the newest one before it, since no message of the person came.
    ...[step("active"), said("e1", 1_000), said("a2", hourMs), step("failed")],
  ]).reduce(reduce, emptySession());
  const [, retried] = transcriptRows(entries, head.plan).filter((row) => row.kind === "station");
  expect(retried).toMatchObject({ since: 1_000, until: hourMs, idleMs: hourMs - 1_000 });
});
