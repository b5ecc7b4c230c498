// Stores the content of a file as the person decided on the sheet. It overwrites nothing, and asks the server only for
// what they chose.
import { HandrailError } from "../../shared/errors.ts";
import { reduce } from "../../shared/session/reduce.ts";
import { emptySession, type SessionState } from "../../shared/session/session-state.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { api, changeSettings, kv, settings } from "../app/app-state.ts";
import { newId } from "../browser/ids.ts";
import { applyTheme } from "../browser/screen.ts";
import { emptyDraft } from "../storage/draft.ts";
import { readRecord, type SessionRecord } from "../storage/session-record.ts";
import { loadSession } from "../storage/session-store.ts";
import { sessionOf } from "./copy-entries.ts";
import { pendingOf } from "./disarm.ts";
import { type ImportedSession, type ImportFile, importLimits, readImport } from "./import-file.ts";
import { withNothingWaiting } from "./shown-calls.ts";
import { storeSession, tooLargeIn } from "./store-session.ts";

/** Parses a chosen file; throws an Error with words for the person. Nothing is stored or requested. */
export async function readChosen(file: File): Promise<ImportFile> {
  if (file.size > importLimits.fileBytes) {
    const megabytes = importLimits.fileBytes / 1024 / 1024;
    throw new Error(`This file is larger than ${megabytes} MB. Export its sessions one by one.`);
  }
  return readImport(await file.text(), Date.now(), newId);
}

/**
 * Adds the sessions of a file. With `own`, sessions with a workspace on this server continue in it; all others have no
 * files. Returns the result in words, and the new session's id if there is only one. Throws an Error with words for the
 * person.
 */
export async function importSessions(
  { sessions, unreadable, theme }: ImportFile,
  files: "none" | "own",
): Promise<{ words: string; id: string | undefined }> {
  if (theme !== undefined && settings.value.theme === "system") {
    await changeSettings({ theme });
    applyTheme(theme);
  }
  const count = { added: 0, known: 0, copies: 0 };
  const added: string[] = [];
  let large = 0;
  for (const session of sessions) {
    const { became, id, state } = await addSession(session, files);
    count[became] += 1;
    if (became !== "known") added.push(id);
    if (state !== undefined && tooLargeIn(state)) large += 1;
  }
  const words = [
    count.added > 0 && `${plural(count.added, "session")} added`,
    count.copies > 0 &&
      `${plural(count.copies, "session")} added as a copy, because another state of it is here`,
    count.known > 0 &&
      `${plural(count.known, "session")} left alone: ${count.known === 1 ? "it is" : "they are"} here already`,
    unreadable.sessions > 0 && `${plural(unreadable.sessions, "session")} could not be read`,
    unreadable.entries > 0 && `${plural(unreadable.entries, "entry", "entries")} could not be read`,
  ].filter((part) => part !== false);
  const id = added.length === 1 ? added[0] : undefined;
  if (words.length === 0) return { words: "The file holds no sessions.", id };
  return {
    words: `${words.join("; ")}.${large > 0 ? ` ${tooLargeInWords(large, sessions.length)}` : ""}`,
    id,
  };
}

function tooLargeInWords(count: number, of: number): string {
  return count === 1
    ? `${of === 1 ? "It" : "One of them"} is larger than a request may be (8 MB): it can be read and exported, but not continued. To continue, duplicate it up to an earlier message.`
    : `${count} of them are larger than a request may be (8 MB): they can be read and exported, but not continued. To continue, duplicate them up to an earlier message.`;
}

interface Added {
  became: "added" | "known" | "copies";
  id: string;
  state?: SessionState;
}

async function addSession(session: ImportedSession, files: "none" | "own"): Promise<Added> {
  const { entries, text } = session;
  const { id } = session.record;
  const here = await readRecord(kv, id);
  if (here !== undefined) {
    const stored = await loadSession(kv, id);
    const same = stored?.state.head.saidCount === sessionOf(entries).head.saidCount;
    if (same && here.updatedAt >= session.record.updatedAt) return { became: "known", id };
  }
  const title = here === undefined ? session.record.title : `${session.record.title} (imported)`;
  // A copy of a session that exists here must not work in that session's files.
  const own = files === "own" && here === undefined ? await ownWorkspace(session) : undefined;
  const state = own === undefined ? resting(sessionOf(withNothingWaiting(entries))) : goingOn(session);
  const record: SessionRecord = {
    ...session.record,
    title,
    ...(here !== undefined && { id: newId() }),
    ...own,
  };
  await storeSession(record, state, { ...emptyDraft, text });
  return { became: here === undefined ? "added" : "copies", id: record.id, state };
}

/** The state of an imported session at rest: no turn runs, and it is in normal mode. */
function resting(state: SessionState): SessionState {
  const { turn } = state.head;
  const ended =
    turn?.status === "running" ? { ...turn, status: "done" as const, reason: "stopped" as const } : turn;
  return { ...state, head: { ...state.head, turn: ended, mode: "normal", model: null, toolProtocol: null } };
}

/** The state of a session that continues in its original workspace: what waits there also waits here. */
function goingOn({ entries, head }: ImportedSession): SessionState {
  const { head: folded } = entries.reduce(reduce, emptySession());
  const session = resting(sessionOf(entries));
  return {
    ...session,
    head: { ...session.head, changes: folded.changes, ...pendingOf(head, folded) },
  };
}

/**
 * The workspace that the file names, if this server has it. Its permissions were given on the other device, so they are
 * revoked before anything in the file can use them.
 */
async function ownWorkspace({ sandboxId }: ImportedSession): Promise<Partial<SessionRecord> | undefined> {
  if (sandboxId === "") return undefined;
  try {
    const { workspace, state } = await api.sandbox(sandboxId);
    await Promise.all([api.revokeGrants(sandboxId), api.forgetHosts(sandboxId)]);
    return { sandboxId, workspace, elsewhere: true, ...(state !== "ready" && { preparing: true }) };
  } catch (error) {
    if (error instanceof HandrailError && error.code === "not_found") return undefined;
    throw error;
  }
}
