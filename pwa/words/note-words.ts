// The note of a step, as the person reads it. Pure.
import type { Step } from "../../shared/plan/plan-file.ts";

/**
 * The engine writes its notes as clauses for the model. On the screen they begin a line, so they get a capital letter,
 * except after "Skipped:". The model's notes stay as they are, because they may begin with a path.
 */
export function noteInWords({
  status,
  note,
  noteBy,
}: Pick<Step, "status" | "note" | "noteBy">): string | undefined {
  if (note === undefined || noteBy !== "engine" || status === "skipped") return note;
  return note.charAt(0).toUpperCase() + note.slice(1);
}
