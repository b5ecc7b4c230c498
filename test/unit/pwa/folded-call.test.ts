import { expect, test } from "vitest";
import { cardWords } from "../../../pwa/transcript/call-words.ts";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { assistant, numbered, started, toolResult } from "../session/events.ts";

test("calls in a row that each left the plan as it was are one card, which counts them", () => {
  const tries: [string, string, object][] = ["a", "b", "c"].map((id) => [id, "update_plan", {}]);
  const { entries } = numbered([
    started("t1"),
    ...tries.flatMap((call) => [assistant(call[0], "", [call]), toolResult(call[0], call[1], {}, false)]),
    assistant("d", "", [["d", "update_plan", {}]]),
    toolResult("d", "update_plan"),
  ]).reduce(reduce, emptySession());
  const rows = transcriptRows(entries, null);
  expect(rows).toHaveLength(1);
  expect(rows[0]?.kind === "call" && cardWords(rows[0].view)).toMatchObject({
    verb: "Plan not changed",
    why: "tried 3 times",
  });
});
