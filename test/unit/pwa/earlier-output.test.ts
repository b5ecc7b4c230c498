// The output of a command before its outcome became unknown.
import { expect, test } from "vitest";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import type { DurableDraft, TurnEvent } from "../../../shared/event.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { assistant, started } from "../session/events.ts";

test("earlier output stays with its call once the person has decided", () => {
  const permission = { toolCallId: "c1", name: "run_command", arguments: "{}", why: "", output: "began\n" };
  const first: DurableDraft[] = [
    started("t1"),
    assistant("a1", "", [["c1", "run_command", { command: "push" }]]),
    { event: "permission", data: { ...permission, risk: "outcome_unknown" } },
  ];
  const events = [...first.map((draft, index) => ({ ...draft, id: index + 1 })), { ...started("t2"), id: 1 }];
  const { entries } = (events as TurnEvent[]).reduce(reduce, emptySession());
  const call = transcriptRows(entries, null).find((row) => row.kind === "call");
  expect(call?.kind === "call" && call.view.printed).toBe("began\n");
});
