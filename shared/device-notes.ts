// What a session's devices tell each other besides its history (PROTOCOL 3.2 "Notes"): its name, the points to which
// files can be taken back, and which device writes.
import * as z from "zod/mini";

/**
 * The files as they were before the turn `turnId`. `text`: the person's message; `at`: milliseconds since the epoch.
 */
export const UndoPoint = z.object({
  turnId: z.string(),
  snapshot: z.string(),
  at: z.number(),
  text: z.string().check(z.maxLength(200)),
});
export type UndoPoint = z.infer<typeof UndoPoint>;

/** Older undo points are dropped; in practice people do not go back further. */
export const maxUndoPoints = 50;

export const maxTitleChars = 200;

/** The notes that a device posts. */
export const SaidNotes = z.strictObject({
  /** The name that a person gave the session. */
  title: z.optional(z.string().check(z.maxLength(maxTitleChars))),
  /** These are added to the existing ones; if two are for the same turn, the later one replaces the earlier. */
  undoPoints: z.optional(z.array(UndoPoint).check(z.maxLength(maxUndoPoints))),
  /** The `client` that is the writer from now on. */
  writer: z.optional(z.string().check(z.maxLength(100))),
  /** The last characters of a push endpoint whose subscription has ended, according to the push service. */
  endedPush: z.optional(z.string().check(z.maxLength(20))),
});
export type SaidNotes = z.infer<typeof SaidNotes>;

/** The notes that devices read. `mark` changes with each note. `writer`: missing = no connected device writes. */
export const DeviceNotes = z.object({ ...SaidNotes.shape, mark: z.number() });
export type DeviceNotes = z.infer<typeof DeviceNotes>;

/** How `endedPush` names a subscription: too few characters of the endpoint to send anything to it. */
export function endOfEndpoint(endpoint: string): string {
  return endpoint.slice(-20);
}
