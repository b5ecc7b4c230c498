import { expect, test } from "vitest";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { assistant, numbered, started, user } from "../session/events.ts";

test("an undo without a plan has a line where it was made, before and after the next message", () => {
  const said = numbered([started("t1"), user("u1", "Change it"), assistant("a1", "Changed.", [])]);
  const { entries } = said.reduce(reduce, emptySession());
  const last = entries.at(-1);
  const line = { after: `${last?.turnId}.${last?.id}`, text: "You went back to before `Change it`" };
  const note = { kind: "note", text: line.text };
  expect(transcriptRows(entries, null, [], [line]).at(-1)).toMatchObject(note);
  const later = numbered([started("t2"), user("u2", "Now the other")]);
  const state = [...said, ...later].reduce(reduce, emptySession());
  expect(transcriptRows(state.entries, null, [], [line]).slice(-2)).toMatchObject([note, { kind: "user" }]);
});
