// The notes of steps on the screen.
import { expect, test } from "vitest";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import { noteInWords } from "../../../pwa/words/note-words.ts";
import type { DurableDraft } from "../../../shared/event.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { numbered, plan, started } from "../session/events.ts";

test("a note of the engine begins with a capital letter, except after a word; the model's stays as it is", () => {
  const note = "its check ran out of time after 4 s";
  expect(noteInWords({ status: "active", note, noteBy: "engine" })).toBe(
    "Its check ran out of time after 4 s",
  );
  expect(noteInWords({ status: "skipped", note, noteBy: "engine" })).toBe(note);
  expect(noteInWords({ status: "done", note: "index.ts is done", noteBy: "model" })).toBe("index.ts is done");
  expect(noteInWords({ status: "done" })).toBeUndefined();
  const step: DurableDraft = {
    event: "step",
    data: { stepId: "s1", status: "active", note, noteBy: "engine" },
  };
  const { entries, head } = numbered([
    started("t1"),
    { event: "plan", data: { plan: plan({ status: "executing" }) } },
    step,
  ]).reduce(reduce, emptySession());
  const stations = transcriptRows(entries, head.plan).flatMap((row) => (row.kind === "station" ? [row] : []));
  expect(stations[0]?.note).toBe("Its check ran out of time after 4 s");
});
