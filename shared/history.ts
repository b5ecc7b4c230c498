// What a server has of sessions (PROTOCOL 3.2 "Sessions of the server"): the list, and the history of one of them, as
// the sandbox server gives them to the edge and the edge to a client.
import * as z from "zod/mini";
import { DeviceNotes } from "./device-notes.ts";
import { DoneReason, JournalEvent } from "./event.ts";
import { Mode } from "./mode.ts";
import { SessionHead } from "./session/session-state.ts";
import { StoredTurn } from "./turn.ts";

/** How the newest turn ended, or whether it runs; `new` = there was none yet. */
export const SessionStage = z.union([z.enum(["new", "running", "failed"]), DoneReason]);
export type SessionStage = z.infer<typeof SessionStage>;

/** What the sandbox server keeps of a session beside its journals. */
export const SessionRow = z.object({
  /** The beginning of the first message, and of the newest plan's goal; "" = nothing, none. */
  said: z.string(),
  goal: z.string(),
  mode: Mode,
  stage: SessionStage,
  /** When a turn began or ended last. */
  updatedAt: z.number(),
});
export type SessionRow = z.infer<typeof SessionRow>;

const about = { id: z.string(), workspace: z.string(), createdAt: z.number() };

/**
 * A part of the list, the last change first. `title`: as a person named it. `next`: where it continues; missing = that
 * was all.
 */
export const SessionRows = z.object({
  rows: z.array(z.object({ ...about, ...SessionRow.shape, title: z.optional(z.string()) })),
  next: z.optional(z.string()),
});
export type SessionRows = z.infer<typeof SessionRows>;

/** Durable events of a turn that the journal does not hold any more. */
export const MissingEvents = z.object({ turnId: z.string(), from: z.number(), through: z.number() });
export type MissingEvents = z.infer<typeof MissingEvents>;

/** A part of a history. */
export const HistoryPart = z.object({
  ...about,
  ...SessionRow.shape,
  /** Ids that are left out between them, or before `last`, are of events that are not kept any more. */
  events: z.array(z.object({ ...JournalEvent.shape, turnId: z.string() })),
  /** The place after these events; missing = no turn has begun. */
  last: z.optional(StoredTurn),
  /** There are further events already. */
  more: z.boolean(),
  /** The events that make up the current state at the end of the history, wherever this part ends. */
  now: z.array(JournalEvent),
  /** Missing from servers of an earlier version. */
  notes: z.optional(DeviceNotes),
});
export type HistoryPart = z.infer<typeof HistoryPart>;

/** A session of this server. `title`: as a person named it on a device, else as its turns say. */
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
  /** What `after` takes to continue; null = that was all. */
  next: z.nullable(z.string()),
});
export type SessionList = z.infer<typeof SessionList>;

/** The session of a history, in the form of an export's. */
const HistorySession = z.object({
  record: z.object({
    ...{ id: z.string(), title: z.string(), sandboxId: z.string(), workspace: z.string() },
    ...{ createdAt: z.number(), updatedAt: z.number() },
    summary: z.object({ text: z.string(), mark: z.string() }),
  }),
  /** The current state at the end of the history; its counts are of `entries` alone. */
  head: SessionHead,
  /** Durable events without `plan`, in order; see parseEntry. */
  entries: z.array(z.unknown()),
});

/** The answer of `GET …/history`: a file that the app can import, and the place where it continues. */
export const SessionHistory = z.object({
  handrail: z.literal("sessions"),
  version: z.literal(1),
  exportedAt: z.number(),
  sessions: z.tuple([HistorySession]),
  /** For the next request; null = no turn has begun. */
  after: z.nullable(z.string()),
  more: z.boolean(),
  missing: z.array(MissingEvents),
  notes: z.optional(DeviceNotes),
});
export type SessionHistory = z.infer<typeof SessionHistory>;
