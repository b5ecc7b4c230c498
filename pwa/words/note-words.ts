// The note of a step, as the person reads it. Pure.
import type { Step } from "../../shared/plan/plan-file.ts";

/**
 * The engine's own notes are clauses for the model, and begin a line on the screen. After "Skipped:" they stay as they
 * are; the model's notes may begin with a path.
 */
export function noteInWords({
  status,
  note,
  noteBy,
}: Pick<Step, "status" | "note" | "noteBy">): string | undefined {
  if (note === undefined || noteBy !== "engine" || status === "skipped") return note;
  return note.charAt(0).toUpperCase() + note.slice(1);
}
