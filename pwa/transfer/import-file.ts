// Parses a file of sessions without trusting it: the result can be shown and stored, and has no effect.
import * as z from "zod/mini";
import { isRecord } from "../../shared/is-record.ts";
import { isDeeperThan } from "../../shared/json-depth.ts";
import { parseEntry } from "../../shared/session/entry.ts";
import { type Entry, SessionHead } from "../../shared/session/session-state.ts";
import { visibleText } from "../../shared/visible-text.ts";
import { SessionRecord } from "../storage/session-record.ts";
import { Theme } from "../storage/settings.ts";
import { addressIn, plainAddress } from "../words/repository.ts";
import { disarmed } from "./disarm.ts";
import { entriesOfMessages } from "./old-history.ts";

const File = z.object({
  handrail: z.literal("sessions"),
  version: z.number(),
  exportedAt: z.catch(z.optional(z.number()), undefined),
  sessions: z.array(z.unknown()),
  settings: z.catch(z.optional(z.object({ theme: z.catch(z.optional(Theme), undefined) })), undefined),
});
const Session = z.object({
  record: SessionRecord,
  head: z.optional(z.unknown()),
  entries: z.array(z.unknown()),
  draft: z.optional(z.unknown()),
});
const ExportedDraft = z.object({ text: z.string() });

/** One session of a file. */
export interface ImportedSession {
  /** The record without files and without choices that a person makes for a session. */
  record: SessionRecord;
  entries: readonly Entry[];
  /** The session's workspace on the server where it was exported; "" if the file names none. */
  sandboxId: string;
  /** The state as the file has it, which is not trusted. Null if it does not fit the entries. */
  head: SessionHead | null;
  /** The unsent text. */
  text: string;
}

export interface ImportFile {
  /** In milliseconds since the epoch; undefined if the file does not say. */
  exportedAt: number | undefined;
  theme: Theme | undefined;
  sessions: ImportedSession[];
  /** The number of sessions and entries that could not be parsed and were left out; the person is told. */
  unreadable: { sessions: number; entries: number };
}

/**
 * Parses a file of exported sessions. Throws an Error with a message for the person if it is not one. Entries without a
 * time get `now`, and entries without an id get `newId()`.
 */
export function readImport(text: string, now: number, newId: () => string): ImportFile {
  const value = parsed(text);
  const file = z.safeParse(File, value);
  if (file.success) {
    const { version, sessions, exportedAt, settings } = file.data;
    if (version > 1) throw new Error("This file comes from a newer Handrail. Update the app first.");
    if (sessions.length > importLimits.sessions)
      throw new Error(`This file holds more than ${importLimits.sessions} sessions, and is not imported.`);
    const said = exportedAt !== undefined && exportedAt >= 0 && exportedAt <= now ? exportedAt : undefined;
    return { ...readSessions(sessions, now, newId), exportedAt: said, theme: settings?.theme };
  }
  const list = Array.isArray(value) ? value : isRecord(value) ? value.messages : undefined;
  const entries = entriesOfMessages(list, now);
  if (entries === undefined)
    throw new Error("This file holds no session: neither an export of Handrail nor a list of messages.");
  const title = isRecord(value) && typeof value.title === "string" ? value.title : "";
  const record = recordOf({ id: newId(), title, workspace: "", createdAt: now, updatedAt: now }, now, newId);
  const session = { record, entries: disarmed(entries), sandboxId: "", head: null, text: "" };
  const unreadable = { sessions: 0, entries: 0 };
  return { sessions: [session], unreadable, exportedAt: undefined, theme: undefined };
}

function readSessions(list: readonly unknown[], now: number, newId: () => string) {
  const sessions: ImportedSession[] = [];
  const unreadable = { sessions: 0, entries: 0 };
  for (const value of list) {
    const session = z.safeParse(Session, value);
    if (!session.success || session.data.entries.length > importLimits.entries) {
      unreadable.sessions += 1;
      continue;
    }
    const { record, entries: raw } = session.data;
    const entries = raw.flatMap((entry) => parseEntry(entry) ?? []);
    unreadable.entries += raw.length - entries.length;
    const head = z.safeParse(SessionHead, session.data.head);
    const whole = head.success && head.data.entryCount === entries.length;
    const draft = z.safeParse(ExportedDraft, session.data.draft);
    sessions.push({
      record: recordOf(record, now, newId),
      entries: disarmed(entries),
      sandboxId: /^[A-Za-z0-9_-]{1,100}$/.test(record.sandboxId) ? record.sandboxId : "",
      head: whole ? head.data : null,
      // A field shows its text as it is, so characters that would be invisible there are written out.
      text: draft.success ? visibleText(draft.data.text.slice(0, importLimits.draftChars)) : "",
    });
  }
  return { sessions, unreadable };
}

type ImportedRecord = Pick<SessionRecord, "id" | "title" | "workspace" | "createdAt" | "updatedAt"> &
  Partial<Pick<SessionRecord, "git" | "ref" | "claims" | "archived" | "demo">>;

/** A new record with the texts from the file that people read. Ids in it are parts of storage keys. */
function recordOf(from: ImportedRecord, now: number, newId: () => string): SessionRecord {
  const address = from.git ?? from.claims?.git;
  const ref = (from.git === undefined ? from.claims?.ref : from.ref)?.slice(0, importLimits.titleChars);
  const git = address === undefined ? undefined : addressIn(plainAddress(address));
  return {
    id: /^[A-Za-z0-9_-]{1,64}$/.test(from.id) ? from.id : newId(),
    title: line(from.title) || "Imported conversation",
    sandboxId: "",
    workspace: line(from.workspace) || "imported",
    createdAt: past(from.createdAt, now),
    updatedAt: past(from.updatedAt, now),
    summary: { text: "Imported", mark: "hollow" },
    demo: from.demo ?? false,
    ...(from.archived === true && { archived: true }),
    ...(git !== undefined && { claims: { git, ...(ref ? { ref } : {}) } }),
  };
}

function line(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, importLimits.titleChars);
}

function past(at: number, now: number): number {
  return at >= 0 && at <= now ? at : now;
}

function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("This file is not JSON. Handrail imports its own exports and lists of messages.");
  }
  if (isDeeperThan(value, importLimits.jsonDepth))
    throw new Error(`This file is nested deeper than ${importLimits.jsonDepth} levels: no session is.`);
  return value;
}

export const importLimits = {
  /**
   * The largest file, for an export of everything: a year of sessions takes about 30 MB. A phone reads the whole file
   * and then holds it parsed.
   */
  fileBytes: 64 * 1024 * 1024,
  /**
   * The deepest JSON: a plan in a history has about fourteen levels, and the code that walks through it is recursive.
   */
  jsonDepth: 200,
  sessions: 2_000,
  /** Entries of one session: fifty times the longest session in our tests. */
  entries: 500_000,
  /** The longest text that the list shows in a line. */
  titleChars: 200,
  /** The longest text for a composer: as much as a person can look through before they send it. */
  draftChars: 20_000,
} as const;
