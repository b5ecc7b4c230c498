// Removes lines from a journal that every client has acknowledged and no turn needs any more: output,
// results, messages. The events stay in a file beside it; see kept-events.ts. The remaining lines record that
// the turn was run and ended, what it did to the plan, what the person allowed, and which calls must not run
// again.
import * as z from "zod/mini";
import type { JournalEvent } from "../../shared/event.ts";
import { hashOfLine, isHarmlessLine } from "./call-entry.ts";
import type { StoredLine } from "./journal-lines.ts";
import { eventsOf } from "./turn-log.ts";

const keptEvents = new Set([
  "turn.started",
  "mode",
  "plan",
  "step",
  "proposal",
  "questions",
  "permission",
  "turn.done",
  "turn.failed",
]);

/**
 * The remaining lines of a turn that has ended and been acknowledged, numbered again after a `compacted`
 * line.
 */
export function compacted(lines: readonly StoredLine[]): StoredLine[] {
  const keys = new Set<unknown>();
  const rest = lines.flatMap((line): StoredLine[] => {
    switch (line.type) {
      case "claim":
      case "stop":
      case "lost":
      case "revoked":
        return [line];
      case "record": {
        const events = eventsOf(line).filter((event) => keptEvents.has(event.event) || isGrant(event));
        return events.length === 0 ? [] : [{ ...line, events }];
      }
      case "started": {
        if (isHarmlessLine(line)) return [];
        keys.add(line.key);
        return [{ ...line, args: {}, argsHash: hashOfLine(line) }];
      }
      case "result":
        return keys.has(line.key) ? [forgotten(line)] : [];
      default:
        return [];
    }
  });
  return counted(lines, rest);
}

/**
 * The remaining lines of calls outside turns, which no client acknowledges. A call without effects on the
 * workspace runs again under its key, so its result can be dropped.
 */
export function withoutHarmless(lines: readonly StoredLine[]): StoredLine[] {
  const dropped = new Set(lines.filter(isHarmlessStart).map(({ key }) => key));
  return counted(
    lines,
    lines.filter(({ type, key }) => type !== "compacted" && !dropped.has(key)),
  );
}

function isHarmlessStart(line: StoredLine): boolean {
  return line.type === "started" && isHarmlessLine(line);
}

function counted(before: readonly StoredLine[], rest: readonly StoredLine[]): StoredLine[] {
  const first: StoredLine = { seq: 1, at: before.at(-1)?.at ?? 0, type: "compacted", lines: before.length };
  return rest.length === 0 ? [] : [first, ...rest].map((line, index) => ({ ...line, seq: index + 1 }));
}

const SessionDecision = z.object({
  message: z.object({
    extra: z.object({
      event: z.object({
        subkind: z.literal("tool_decision"),
        data: z.object({ decision: z.literal(["session", "never"]) }),
      }),
    }),
  }),
});

/** A decision for the whole session stays valid until it is revoked or the sandbox is deleted. */
function isGrant({ event, data }: JournalEvent): boolean {
  return event === "message" && z.safeParse(SessionDecision, data).success;
}

/** Replaces a result that is no longer kept. */
function forgotten({ seq, at, type, key, ms }: StoredLine): StoredLine {
  const message =
    "This ran long ago and does not run again; its result is no longer kept. Look at what it did.";
  const error = { code: "outcome_unknown", message, retryable: false };
  return { seq, at, type, key, ok: false, error, replayed: false, ms: typeof ms === "number" ? ms : 0 };
}
