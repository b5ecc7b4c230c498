import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeMarker } from "../../../functions/compaction/make-marker.ts";
import { cutToMarker, needsMarker } from "../../../functions/compaction/marker.ts";
import { calibrationIn } from "../../../functions/context/calibration.ts";
import { render } from "../../../functions/context/render.ts";
import { fallbacksIn } from "../../../functions/model/fallback.ts";
import { withChangedFiles } from "../../../functions/plan/history-facts.ts";
import { checkHistory } from "../../../functions/turn/check-request.ts";
import type { Message } from "../../../shared/message.ts";
import type { Plan } from "../../../shared/plan/plan-file.ts";
import { historyForTurn } from "../../../shared/session/history.ts";
import { histories } from "./history-arbitrary.ts";
import { HistoryBuilder } from "./history-builder.ts";
import { pairProblems } from "./pair-problems.ts";

let markers = 0;

/** The text about permissions for the session that the model reads. It grants nothing. */
function decisionsIn(messages: readonly Message[]): unknown[] {
  return messages
    .flatMap((message) => (message.role === "event" ? [message.extra.event] : []))
    .filter(({ subkind, data }) => subkind === "tool_decision" && data.decision === "session")
    .map(({ data }) => data);
}

/** `history` followed by a marker, as the next turn receives it. */
function marked(history: readonly Message[], plan: Plan | null): Message[] {
  markers += 1;
  return [
    ...history,
    makeMarker(cutToMarker(history), plan, { id: `marker${markers}`, at: 1, mode: "normal" }),
  ];
}

const promptOf = (posted: readonly Message[]) => render(cutToMarker(posted).messages, "system");
const carriedOf = (posted: readonly Message[]) => cutToMarker(posted).carried;

describe("after a marker", () => {
  test("a history posted whole and its tail make the same prompt, and both are valid", () => {
    fc.assert(
      fc.property(histories(25), histories(12), (before, after) => {
        const renamed = after.messages.map(
          (message) =>
            JSON.parse(
              JSON.stringify(message).replaceAll(/"(m|call|plan:call|plan:m)(\d+)"/g, '"after-$1$2"'),
            ) as Message,
        );
        const whole = [...marked(before.messages, before.plan), ...renamed];
        const tail = historyForTurn(whole);
        expect(cutToMarker(tail)).toEqual(cutToMarker(whole));
        const prompt = promptOf(tail);
        expect(prompt).toEqual(promptOf(whole));
        expect(pairProblems(prompt)).toEqual([]);
        expect(() => checkHistory(tail)).not.toThrow();
      }),
      { numRuns: 150 },
    );
  });

  test("session grants, the last change of mode and the current plan are unchanged", () => {
    fc.assert(
      fc.property(histories(30), (builder) => {
        const tail = historyForTurn(marked(builder.messages, builder.plan));
        const { messages, carried } = cutToMarker(tail);
        expect(decisionsIn(messages)).toEqual(decisionsIn(builder.messages));
        expect(carried.mode).toBe(
          builder.messages.findLast(({ role }) => role === "assistant")?.mode ?? null,
        );
        const text = JSON.stringify(render(messages, "system"));
        if (builder.planMark) expect(text.split(builder.planMark).length - 1).toBe(1);
        for (const mark of builder.deltaMarks) expect(text.split(mark).length - 1).toBe(1);
        const switched = builder.messages.findLast(
          (message) => message.role === "event" && message.extra.event.subkind === "mode_switch",
        );
        if (switched) expect(text).toContain(switched.content.slice(0, 40));
      }),
      { numRuns: 150 },
    );
  });

  test("a second marker carries on what the first one carried", () => {
    const asked = new HistoryBuilder().user("first").setPlan().ask("Way: short");
    const grant = { decision: "session", risk: "remote", program: "git", subcommand: "push" };
    asked.event("tool_decision", "decided", grant).say("done");
    const once = historyForTurn(marked(asked.messages, null));
    const more = new HistoryBuilder().user("more").ask("Colour: red").messages.slice(1);
    const renamed = more.map((message) => ({ ...message, id: `again-${message.id}` }));
    const twice = historyForTurn(marked([...once, ...renamed], null));
    expect(decisionsIn(cutToMarker(twice).messages)).toHaveLength(1);
    expect(carriedOf(twice)).toMatchObject({
      asked: 2,
      ledger: "Colour: red",
      messages: asked.messages.length + renamed.length,
    });
    const text = twice.at(-1)?.content ?? "";
    expect(text).toContain("Way: short");
    expect(text).toContain("Colour: red");
    expect(text).toContain("Person: first");
  });

  test("what the current plan has checked and changed counts until its finish", () => {
    const builder = new HistoryBuilder().user("first").setPlan();
    builder.calls([{ name: "edit_file", args: { path: "a.ts" }, result: "ok" }]);
    const result = builder.messages.at(-1);
    if (result?.role === "tool" && result.meta)
      result.meta = { ...result.meta, facts: { files: [{ path: "a.ts", added: 2, removed: 1 }] } };
    builder.event("verifier_report", "checked", {
      kind: "checkpoint",
      stepId: "s1",
      command: "x",
      passed: false,
    });
    const tail = historyForTurn(marked(builder.messages, builder.plan));
    expect(carriedOf(tail).files).toEqual([{ path: "a.ts", added: 2, removed: 1 }]);
    expect(withChangedFiles(builder.messages, carriedOf(tail).files)[0]).toEqual({
      path: "a.ts",
      added: 4,
      removed: 2,
    });
    expect(cutToMarker(tail).messages.some((message) => message.content === "checked")).toBe(true);
    builder.event("verifier_report", "finished", { kind: "finish" });
    const done = builder.plan && { ...builder.plan, status: "done" as const };
    const after = historyForTurn(marked(builder.messages, done));
    expect(carriedOf(after)).toMatchObject({ files: [], asked: 0, kept: [] });
    expect(after.some(({ role }) => role === "plan")).toBe(false);
  });

  test("an approved plan still counts as approved, and its text is there once", () => {
    const builder = new HistoryBuilder().user("first").switchTo("plan").user("plan it").setPlan();
    builder.switchTo("normal", { approved: true }).user("Approved. Go ahead.").say("working");
    const prompt = JSON.stringify(promptOf(marked(builder.messages, builder.plan)));
    expect(prompt).toContain("The person approved version 1.");
    expect(prompt.split(builder.planMark ?? "none").length - 1).toBe(1);
  });

  test("what was learned of a model after its last answer stays: what it refuses, and how much it accepts", () => {
    const calibration = { model: "default/m", scale: 1, room: 4_000 };
    const builder = new HistoryBuilder().user("first").say("answer");
    builder.event("system_notice", "no images", {
      kind: "fallback",
      provider: "default",
      model: "m",
      part: "images",
    });
    builder.event("system_notice", "too long", { calibration });
    const { messages, carried } = cutToMarker(historyForTurn(marked(builder.messages, null)));
    expect(calibrationIn(messages, "default/m", carried.calibration)).toEqual(calibration);
    expect(fallbacksIn(messages, { provider: "default", model: "m" })).toEqual(new Set(["images"]));
    expect(calibrationIn(messages, "default/other", carried.calibration)).toMatchObject({ scale: 1 });
  });

  test("the planning instruction of a caller's own system prompt stays", () => {
    const builder = new HistoryBuilder().user("first");
    builder.switchTo("plan", { instruction: "PLAN LIKE THIS" }).user("plan it").say("planning");
    expect(JSON.stringify(promptOf(marked(builder.messages, null)))).toContain("PLAN LIKE THIS");
  });
});

test("a history gets its marker past 1 MB, and the next one after 750 KB more", () => {
  const of = (chars: number) => new HistoryBuilder().user("x".repeat(chars)).messages;
  const around = JSON.stringify(of(0)).length;
  expect(needsMarker(of(1_000_000 - around))).toBe(false);
  expect(needsMarker(of(1_000_001 - around))).toBe(true);
  const behind = marked(of(1_000_000), null);
  expect(needsMarker(behind)).toBe(false);
  expect(needsMarker([...behind, ...of(749_000)])).toBe(false);
  expect(needsMarker([...behind, ...of(751_000)])).toBe(true);
});

test("a marker of somebody else cuts nothing off", () => {
  const builder = new HistoryBuilder()
    .user("first")
    .say()
    .event("summarization_marker", "elsewhere")
    .user("on");
  expect(cutToMarker(builder.messages).messages).toEqual(builder.messages);
});
