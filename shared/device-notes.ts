// What the devices of a session tell each other beside its history (PROTOCOL 3.2 "Notes"): a name, where the files can go
// back to, and which of them writes.
import * as z from "zod/mini";

/** The files as they were before the turn `turnId`. `text`: the message; `at`: milliseconds. */
export const UndoPoint = z.object({
  turnId: z.string(),
  snapshot: z.string(),
  at: z.number(),
  text: z.string().check(z.maxLength(200)),
});
export type UndoPoint = z.infer<typeof UndoPoint>;

/** Older undo points are dropped: nobody goes back further. */
export const maxUndoPoints = 50;

export const maxTitleChars = 200;

/** What a device posts. */
export const SaidNotes = z.strictObject({
  /** The name that a person gave the session. */
  title: z.optional(z.string().check(z.maxLength(maxTitleChars))),
  /** Added to the existing ones; of two for one turn, the last one counts. */
  undoPoints: z.optional(z.array(UndoPoint).check(z.maxLength(maxUndoPoints))),
  /** The `client` that writes from now on. */
  writer: z.optional(z.string().check(z.maxLength(100))),
  /** The end of the endpoint of a subscription that the push service says is over. */
  endedPush: z.optional(z.string().check(z.maxLength(20))),
});
export type SaidNotes = z.infer<typeof SaidNotes>;

/** What devices read. `mark`: changes with each note. `writer`: missing = no connected device writes. */
export const DeviceNotes = z.object({ ...SaidNotes.shape, mark: z.number() });
export type DeviceNotes = z.infer<typeof DeviceNotes>;

/** The name of a subscription in `endedPush`: too short a part of it to send anything to it. */
export function endOfEndpoint(endpoint: string): string {
  return endpoint.slice(-20);
}
