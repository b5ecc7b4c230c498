import { describe, expect, test } from "vitest";
import { fitPrompt } from "../../../functions/compaction/fit-prompt.ts";
import { HistoryBuilder } from "./history-builder.ts";

/** The hidden messages that are left after `make` and `users` further user messages with answers. */
function eventsAfter(users: number, make: (builder: HistoryBuilder) => unknown): string[] {
  const builder = new HistoryBuilder().user();
  make(builder);
  for (let n = 0; n < users; n += 1) builder.user().say();
  return fitPrompt(builder.messages, "", 100_000).history.flatMap((message) =>
    message.role === "event" ? [message.content] : message.role === "plan" ? ["plan"] : [],
  );
}

describe("hidden events by age", () => {
  test.each(["tick", "ide_callback", "tool_decision", "verifier_report"])(
    "%s is dropped before the last 20 user messages",
    (subkind) => {
      expect(eventsAfter(19, (b) => b.event(subkind, "x"))).toEqual(["x"]);
      expect(eventsAfter(20, (b) => b.event(subkind, "x"))).toEqual([]);
    },
  );

  test("so is a change of mode, unless it carries the planning instruction", () => {
    expect(eventsAfter(20, (b) => b.switchTo("plan"))).toEqual([]);
    expect(eventsAfter(20, (b) => b.switchTo("plan", { instruction: "PLANNING MODE" }))).toHaveLength(1);
    expect(
      eventsAfter(20, (b) => b.switchTo("plan", { instruction: "PLANNING MODE" }).switchTo("normal")),
    ).toEqual([]);
  });

  test.each(["cron_fire", "process_completed"])("of %s the last 8 are kept, however old", (subkind) => {
    const many = (b: HistoryBuilder) => Array.from({ length: 11 }, (_, n) => b.event(subkind, `e${n}`));
    expect(eventsAfter(30, many)).toEqual(["e3", "e4", "e5", "e6", "e7", "e8", "e9", "e10"]);
  });

  test.each(["summarization_marker", "cancellation_note", "system_notice", "never_heard_of"])(
    "%s stays as an anchor",
    (subkind) => {
      expect(eventsAfter(30, (b) => b.event(subkind, "x"))).toEqual(["x"]);
    },
  );

  test("a grant for the session stays, a single decision does not", () => {
    expect(eventsAfter(30, (b) => b.event("tool_decision", "x", { decision: "session" }))).toEqual(["x"]);
    expect(eventsAfter(30, (b) => b.event("tool_decision", "x", { decision: "once" }))).toEqual([]);
  });

  test("plans and their updates stay", () => {
    expect(eventsAfter(30, (b) => b.setPlan().updatePlan())).toHaveLength(2);
  });

  test("messages of people, models and tools are unchanged", () => {
    const builder = new HistoryBuilder().user().read("a.ts", 50).say().user();
    expect(fitPrompt(builder.messages, "", 100_000).history).toEqual(builder.messages);
  });
});
