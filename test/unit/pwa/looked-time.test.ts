// The time that a group of reads shows.
import { expect, test } from "vitest";
import { lookedMs } from "../../../pwa/transcript/call-words.ts";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import type { DurableDraft } from "../../../shared/event.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { assistant, numbered, started, toolResult } from "../session/events.ts";

const read = (id: string): [string, string, object] => [id, "read_file", { path: "a.ts" }];

/** The result of a read that took `ms` and was received at `createdAt`. */
function result(id: string, ms: number, createdAt: number): DurableDraft {
  const draft = toolResult(id, "read_file", { ms });
  if (draft.event === "message") draft.data.message.createdAt = createdAt;
  return draft;
}

test("a read does not take the time for which the server was away; reads of one answer run in parallel", () => {
  const { entries, head } = numbered([
    started("t1"),
    ...[
      assistant("a1", "", [read("c1"), read("c2")]),
      result("c1", 1_000, 2_000),
      result("c2", 3_000, 4_000),
    ],
    ...[assistant("a2", "", [read("c3")]), result("c3", 500, 46_000)],
  ]).reduce(reduce, emptySession());
  const rows = transcriptRows(entries, head.plan);
  expect(rows.map((row) => row.kind === "looked" && lookedMs(row.calls))).toEqual([3_500]);
});
