// The file that sessions are exported to and imported from: its form, and how it is read with nothing trusted.
import * as z from "zod/mini";
import { parseEntry } from "../../shared/session/entry.ts";
import { type Entry, SessionHead } from "../../shared/session/session-state.ts";
import { Draft } from "../storage/draft.ts";
import { SessionRecord } from "../storage/session-record.ts";
import { Settings } from "../storage/settings.ts";
import { Spending } from "../storage/spending.ts";
import { sessionOf } from "./copy-entries.ts";
import { entriesOfMessages } from "./old-history.ts";

export interface ExportedSession {
  record: SessionRecord;
  head: SessionHead;
  entries: readonly Entry[];
  draft?: Draft;
}

export function exportFile(sessions: readonly ExportedSession[], rest: object = {}): string {
  return JSON.stringify({ handrail: "sessions", version: 1, exportedAt: Date.now(), sessions, ...rest });
}

const File = z.object({
  handrail: z.literal("sessions"),
  version: z.number(),
  sessions: z.array(z.unknown()),
});
const Session = z.object({
  record: SessionRecord,
  head: z.optional(z.unknown()),
  entries: z.array(z.unknown()),
  draft: z.optional(z.unknown()),
});

/** What was chosen for the whole app: in a file of everything. */
const Choices = z.object({
  settings: z.catch(z.optional(z.omit(Settings, { token: true, keys: true })), undefined),
  spending: z.catch(z.optional(Spending), undefined),
});
export type Choices = z.infer<typeof Choices>;

export interface ImportFile {
  choices: Choices;
  sessions: ExportedSession[];
  /** Sessions and entries that do not read as such: left out, and to be said. */
  unreadable: { sessions: number; entries: number };
}

/**
 * What a file holds; throws an Error in words for people where it is none. `now` dates what has no time,
 * `newId` names what has no id.
 */
export function readImport(text: string, now: number, newId: () => string): ImportFile {
  const value = parsed(text);
  const file = z.safeParse(File, value);
  if (file.success) {
    if (file.data.version > 1)
      throw new Error("This file is of a newer Handrail. Load the app's new version first.");
    return { ...readSessions(file.data.sessions), choices: z.parse(Choices, value) };
  }
  const list = Array.isArray(value) ? value : isRecord(value) ? value.messages : undefined;
  const entries = entriesOfMessages(list, now);
  if (entries === undefined)
    throw new Error("This file holds no session: neither an export of Handrail nor a list of messages.");
  const title = isRecord(value) && typeof value.title === "string" ? value.title : "Imported conversation";
  const { head } = sessionOf(entries);
  const record = newRecord(newId(), title, now);
  return { sessions: [{ record, head, entries }], unreadable: { sessions: 0, entries: 0 }, choices: {} };
}

function readSessions(list: readonly unknown[]): Omit<ImportFile, "choices"> {
  const sessions: ExportedSession[] = [];
  const unreadable = { sessions: 0, entries: 0 };
  for (const value of list) {
    const session = z.safeParse(Session, value);
    if (!session.success) {
      unreadable.sessions += 1;
      continue;
    }
    const { record, entries: raw } = session.data;
    const entries = raw.flatMap((entry) => parseEntry(entry) ?? []);
    unreadable.entries += raw.length - entries.length;
    const head = z.safeParse(SessionHead, session.data.head);
    const whole = head.success && head.data.entryCount === entries.length;
    const draft = z.safeParse(Draft, session.data.draft);
    sessions.push({
      record,
      head: whole ? head.data : sessionOf(entries).head,
      entries,
      ...(draft.success && { draft: draft.data }),
    });
  }
  return { sessions, unreadable };
}

function newRecord(id: string, title: string, now: number): SessionRecord {
  const summary = { text: "Imported", mark: "hollow" } as const;
  return {
    id,
    title,
    sandboxId: "",
    workspace: "imported",
    createdAt: now,
    updatedAt: now,
    summary,
    demo: false,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("This file is not JSON. Handrail imports its own exports and lists of messages.");
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
