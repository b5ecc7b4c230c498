// Sessions out of this device and into it: reads and writes storage, asks the server for workspaces. Overwrites nothing.

import { HandrailError } from "../../shared/errors.ts";
import { historyForTurn, messagesOf } from "../../shared/session/history.ts";
import { type Entry, emptySession, type SessionState } from "../../shared/session/session-state.ts";
import { plural, sessionSummary } from "../../shared/session/session-summary.ts";
import {
  api,
  changeSettings,
  config,
  heldSession,
  kv,
  listRecord,
  otherTabs,
  settings,
} from "../state/app.ts";
import { sourceOf } from "../state/create-session.ts";
import { newId } from "../state/ids.ts";
import { changeSession } from "../state/session-actions.ts";
import { loadSpending, setCap, spending } from "../state/spending.ts";
import { applyTheme } from "../state/theme.ts";
import { emptyDraft, readDraft, writeDraft } from "../storage/draft.ts";
import { listRecords, readRecord, type SessionRecord } from "../storage/session-record.ts";
import { isUnreadable, loadEarlier, loadSession, sessionPuts } from "../storage/session-store.ts";
import { readMalformed } from "../storage/settings.ts";
import { readSpending } from "../storage/spending.ts";
import { unmadeSessionInWords } from "../storage/storage-error.ts";
import { entriesUpTo, sessionOf } from "./copy-entries.ts";
import { type Choices, type ExportedSession, exportFile, readImport } from "./export-file.ts";
import { sessionAsMarkdown } from "./markdown-export.ts";

/** Every entry of a session, also what a full storage did not take; parts that could not be read are left out. */
export async function wholeSession(id: string): Promise<ExportedSession> {
  const held = (await heldSession(id)?.catch(() => undefined))?.session;
  const shown = held && { record: held.record.value, state: held.state.value, draft: held.draft.value };
  const loaded = shown ?? (await loadSession(kv, id));
  if (loaded === undefined) throw new Error("This session is not kept on this device any more.");
  const { record, state } = loaded;
  const earlier = await loadEarlier(kv, id, state);
  const entries = [...earlier, ...state.entries].filter((entry) => !isUnreadable(entry));
  return { record, head: state.head, entries, draft: shown?.draft ?? (await readDraft(kv, id)) };
}

export async function exportSession(id: string, form: "json" | "markdown"): Promise<void> {
  const session = await wholeSession(id);
  if (form === "json") await changeSession(id, { elsewhere: true });
  const name = session.record.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "session";
  if (form === "json") await giveFile(`${name}.handrail.json`, exportFile([session]), "application/json");
  else await giveFile(`${name}.md`, sessionAsMarkdown(session.record, session.entries), "text/markdown");
}

/** All sessions, archived ones too, counts and choices. Neither the token nor a key of a provider. */
export async function exportEverything(): Promise<void> {
  const sessions: ExportedSession[] = [];
  for (const { id } of await listRecords(kv)) {
    sessions.push(await wholeSession(id));
    await changeSession(id, { elsewhere: true });
  }
  const { theme, model, modes } = settings.value;
  const rest = {
    settings: { theme, model, modes },
    spending: await readSpending(kv),
    malformed: await readMalformed(kv),
    quarantine: await kv.range("quarantine/"),
  };
  const day = new Date().toISOString().slice(0, 10);
  await giveFile(`handrail-${day}.handrail.json`, exportFile(sessions, rest), "application/json");
}

/** Hands a file to the person: by the browser's download, or by the share sheet where an installed app has no downloads. */
export async function giveFile(name: string, text: string, type: string): Promise<void> {
  const file = new File([text], name, { type });
  const installed = "standalone" in navigator && navigator.standalone === true;
  if (installed && navigator.canShare?.({ files: [file] })) {
    await navigator.share({ files: [file] }).catch(() => undefined);
    return;
  }
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Adds what the text of a file holds. Gives back what became of it, in words; throws an Error in words. */
export async function importSessions(text: string): Promise<string> {
  const { sessions, unreadable, choices } = readImport(text, Date.now(), newId);
  await takeChoices(choices);
  const count = { added: 0, known: 0, copies: 0 };
  let large = 0;
  for (const session of sessions) {
    const became = await addSession(session);
    count[became] += 1;
    if (became !== "known" && isTooLarge(session)) large += 1;
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
  if (words.length === 0) return "The file holds no sessions.";
  return `${words.join("; ")}.${large > 0 ? ` ${tooLargeInWords(large, sessions.length)}` : ""}`;
}

/** Whether no request may carry what a next turn would post of it, as far as this server has said what it takes. */
function isTooLarge({ entries, head: { plan } }: ExportedSession): boolean {
  const maxBytes = config.value?.limits.maxBodyBytes;
  if (maxBytes === undefined) return false;
  const messages = historyForTurn(messagesOf(entries));
  return new Blob([JSON.stringify({ messages, plan })]).size > maxBytes;
}

function tooLargeInWords(count: number, of: number): string {
  return count === 1
    ? `${of === 1 ? "It" : "One of them"} is larger than a request may be (8 MB): it can be read and exported, but not gone on with. To go on, duplicate it up to an earlier message.`
    : `${count} of them are larger than a request may be (8 MB): they can be read and exported, but not gone on with. To go on, duplicate them up to an earlier message.`;
}

/** What was chosen elsewhere holds where nothing is chosen here. */
async function takeChoices({ settings: other, spending: spent }: Choices): Promise<void> {
  if (other !== undefined) {
    const { theme, model, modes } = settings.value;
    // A file may come from anybody: that nothing is asked any more is chosen by hand alone.
    const asking = Object.entries(other.modes ?? {}).filter(([, mode]) => mode !== "auto");
    await changeSettings({
      model: model ?? other.model,
      modes: { ...Object.fromEntries(asking), ...modes },
      ...(theme === "system" && { theme: other.theme }),
    });
    applyTheme(settings.value.theme);
  }
  await loadSpending(kv);
  for (const of of ["session", "day"] as const) {
    const cap = spent?.caps[of] ?? null;
    if (cap !== null && spending.value.caps[of] === null) await setCap(kv, of, cap);
  }
}

async function addSession(session: ExportedSession): Promise<"added" | "known" | "copies"> {
  const { record, entries } = session;
  const here = await readRecord(kv, record.id);
  if (here === undefined) {
    const own = await knownSandbox(record);
    const state = own === undefined ? sessionOf(entries) : resting({ ...emptySession(), ...session });
    await store({ ...record, ...(own ?? (await newWorkspace(record))) }, state, session);
    return "added";
  }
  const head = await loadSession(kv, record.id);
  if (head?.state.head.entryCount === entries.length && here.updatedAt === record.updatedAt) return "known";
  const copy = {
    ...record,
    id: newId(),
    title: `${record.title} (imported)`,
    ...(await newWorkspace(record)),
  };
  await store(copy, sessionOf(entries), session);
  return "copies";
}

/** Nothing runs in a session that was only just brought here. */
function resting(state: SessionState): SessionState {
  const { turn } = state.head;
  if (turn?.status !== "running") return state;
  return { ...state, head: { ...state.head, turn: { ...turn, status: "done", reason: "stopped" } } };
}

async function store(
  record: SessionRecord,
  state: SessionState,
  { draft }: Partial<ExportedSession>,
): Promise<void> {
  const { deletedAt: _gone, ...rest } = record;
  const summary = state.head.turn === null ? record.summary : sessionSummary(state);
  const kept = { ...rest, summary };
  await kv.write(sessionPuts(kept, state, 0)).catch((error: unknown) => {
    throw new Error(unmadeSessionInWords(error));
  });
  if (draft !== undefined) await writeDraft(kv, kept.id, draft);
  listRecord(kept);
  otherTabs.postMessage(kept.id);
}

type Workspace = Pick<SessionRecord, "sandboxId" | "workspace" | "elsewhere">;

/** The record's own sandbox where this server knows it, or cannot be asked; undefined where it does not. */
async function knownSandbox({ sandboxId, workspace }: SessionRecord): Promise<Workspace | undefined> {
  if (sandboxId === "") return undefined;
  try {
    await api.sandbox(sandboxId);
  } catch (error) {
    if (error instanceof HandrailError && error.code === "not_found") return undefined;
  }
  return { sandboxId, workspace, elsewhere: true };
}

/** Files of its own: a fresh clone or copy, or the served folder as it is now. Offline: none yet, it only reads. */
async function newWorkspace(record: SessionRecord): Promise<Partial<SessionRecord>> {
  try {
    const sandbox = await api.createSandbox(
      record.git === undefined ? undefined : sourceOf(record.git, record.ref),
    );
    const workspace = record.git === undefined ? sandbox.workspace : record.workspace;
    const preparing = sandbox.state !== "ready" || undefined;
    return { sandboxId: sandbox.sandboxId, workspace, preparing, elsewhere: undefined };
  } catch {
    return {};
  }
}

/** A new session with the history up to the message at `index`; throws an Error in words. */
export async function duplicateUpTo(
  record: SessionRecord,
  entries: readonly Entry[],
  index: number,
): Promise<string> {
  const workspace = await newWorkspace(record);
  if (workspace.sandboxId === undefined) throw new Error("There is no connection to your Handrail server.");
  const now = Date.now();
  const copy = { ...record, id: newId(), title: `${record.title} (copy)`, createdAt: now, updatedAt: now };
  const { archived: _archived, ...rest } = { ...copy, ...workspace };
  await store(rest, sessionOf(entriesUpTo(entries, index)), { draft: emptyDraft });
  return rest.id;
}

/** What the files of a copy are, said before it is made. */
export function filesOfCopy(record: SessionRecord): string {
  if (record.git !== undefined)
    return "It gets a fresh clone: what this session changed in its own is not in there.";
  return config.value?.workspace?.kind === "sample"
    ? "It gets a fresh copy of the sample project: what this session changed in its own is not in there."
    : "It works in the same folder, whose files stay as they are now.";
}
