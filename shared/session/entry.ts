// Reads stored entries, and checks each against its event's own schema.
import * as z from "zod/mini";
import { isDurable, parseTurnEvent } from "../event.ts";
import type { Entry } from "./session-state.ts";

const Stored = z.object({ turnId: z.string(), id: z.number(), event: z.string(), data: z.unknown() });

/** The entry that `value` contains; undefined if it is not a valid one. Never throws. */
export function parseEntry(value: unknown): Entry | undefined {
  const stored = z.safeParse(Stored, value);
  if (!stored.success) return undefined;
  try {
    const { turnId, id, event, data } = stored.data;
    const parsed = parseTurnEvent(event, data, id);
    if (parsed === undefined || !isDurable(parsed) || parsed.event === "plan") return undefined;
    return { ...parsed, turnId };
  } catch {
    return undefined;
  }
}
