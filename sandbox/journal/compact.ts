// Takes out of the journal of a turn that ended long ago what nobody needs any more: output, results, messages.
// What stays says that the turn was run and ended, and what it did to the plan.
import { writeWhole } from "../files.ts";
import type { Line } from "./journal-file.ts";
import { eventsOf } from "./turn-log.ts";

const kept = new Set(["plan", "proposal", "questions", "permission", "turn.done", "turn.failed"]);

/** The lines that stay, counted anew; undefined where nothing can go. */
export function compacted(lines: readonly Line[]): Line[] | undefined {
  const rest = lines.flatMap((line): Line[] => {
    if (line.type === "claim" || line.type === "stop") return [line];
    if (line.type !== "record") return [];
    const events = eventsOf(line).filter(({ event }) => kept.has(event));
    return events.length === 0 ? [] : [{ ...line, events }];
  });
  const same = rest.length === lines.length && rest.every((line, index) => line === lines[index]);
  const smaller = JSON.stringify(rest).length < JSON.stringify(lines).length;
  return same || !smaller ? undefined : rest.map((line, index) => ({ ...line, seq: index + 1 }));
}

export async function rewrite(path: string, lines: readonly Line[]): Promise<void> {
  await writeWhole(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), true);
}
