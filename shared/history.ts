// The sessions that a server has (PROTOCOL 3.2 "Sessions of the server"): their list, and the history of one of them,
// in the form in which the sandbox server gives them to the edge and the edge to a client.
import * as z from "zod/mini";
import { DeviceNotes } from "./device-notes.ts";
import { DoneReason, JournalEvent } from "./event.ts";
import { Mode } from "./mode.ts";
import { SessionHead } from "./session/session-state.ts";
import { StoredTurn } from "./turn.ts";

/** How the newest turn ended, or that it is running; `new` = there has been no turn. */
export const SessionStage = z.union([z.literal(["new", "running", "failed"]), DoneReason]);
export type SessionStage = z.infer<typeof SessionStage>;

/** What the sandbox server stores about a session besides its journals. */
export const SessionRow = z.object({
  /** The beginning of the first message, and of the newest plan's goal; "" if there is none. */
  said: z.string(),
  goal: z.string(),
  mode: Mode,
  stage: SessionStage,
  /** When a turn last began or ended. */
  updatedAt: z.number(),
});
export type SessionRow = z.infer<typeof SessionRow>;

const about = { id: z.string(), workspace: z.string(), createdAt: z.number() };

/**
 * A part of the list, most recently changed first. `title`: the name that a person gave. `next`: where the list
 * continues; missing = this is the end.
 */
export const SessionRows = z.object({
  rows: z.array(z.object({ ...about, ...SessionRow.shape, title: z.optional(z.string()) })),
  next: z.optional(z.string()),
});
export type SessionRows = z.infer<typeof SessionRows>;

/** Durable events of a turn that the journal no longer contains. */
export const MissingEvents = z.object({ turnId: z.string(), from: z.number(), through: z.number() });
export type MissingEvents = z.infer<typeof MissingEvents>;

/** A part of a history. */
export const HistoryPart = z.object({
  ...about,
  ...SessionRow.shape,
  /** Ids that are missing between them, or before `last`, belong to events that have been discarded. */
  events: z.array(z.object({ ...JournalEvent.shape, turnId: z.string() })),
  /** The place after these events; missing = no turn has begun yet. */
  last: z.optional(StoredTurn),
  /** There are further events. */
  more: z.boolean(),
  /** The events that make up the state at the end of the whole history, even if this part ends earlier. */
  now: z.array(JournalEvent),
  /** Servers of earlier versions do not send it. */
  notes: z.optional(DeviceNotes),
});
export type HistoryPart = z.infer<typeof HistoryPart>;

/** A session of this server. `title`: the name that a person gave on a device, otherwise one taken from its turns. */
export const SessionOnServer = z.object({
  sandboxId: z.string(),
  title: z.string(),
  state: SessionStage,
  mode: Mode,
  workspace: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type SessionOnServer = z.infer<typeof SessionOnServer>;

export const SessionList = z.object({
  sandboxes: z.array(SessionOnServer),
  /** The value of `after` with which the list continues; null = this is the end. */
  next: z.nullable(z.string()),
});
export type SessionList = z.infer<typeof SessionList>;

/** The session of a history, in the form of an exported session. */
const HistorySession = z.object({
  record: z.object({
    ...{ id: z.string(), title: z.string(), sandboxId: z.string(), workspace: z.string() },
    ...{ createdAt: z.number(), updatedAt: z.number() },
    summary: z.object({ text: z.string(), mark: z.string() }),
  }),
  /** The state at the end of the whole history; its counts cover only `entries`. */
  head: SessionHead,
  /** Durable events without `plan`, in order; see parseEntry. */
  entries: z.array(z.unknown()),
});

/** The response of `GET …/history`: a file that the app can import, and the place where the history continues. */
export const SessionHistory = z.object({
  handrail: z.literal("sessions"),
  version: z.literal(1),
  exportedAt: z.number(),
  sessions: z.tuple([HistorySession]),
  /** The place to send with the next request; null = no turn has begun yet. */
  after: z.nullable(z.string()),
  more: z.boolean(),
  missing: z.array(MissingEvents),
  notes: z.optional(DeviceNotes),
});
export type SessionHistory = z.infer<typeof SessionHistory>;
