// Exports sessions from this device and makes copies of them here: reads and writes storage, and asks the server for
// workspaces.
import type { Entry, SessionHead } from "../../shared/session/session-state.ts";
import { api, config, kv, settings } from "../app/app-state.ts";
import { hasWorktrees, servedApart, sourceOf, whereaboutsOf } from "../app/create-session.ts";
import { heldSession } from "../app/open-sessions.ts";
import { changeSession } from "../app/session-actions.ts";
import { newId } from "../browser/ids.ts";
import { readSpending } from "../session/spending.ts";
import { type Draft, emptyDraft, readDraft } from "../storage/draft.ts";
import { listRecords, type SessionRecord } from "../storage/session-record.ts";
import { isUnreadable, loadEarlier, loadSession } from "../storage/session-store.ts";
import { readMalformed } from "../storage/settings.ts";
import { entriesUpTo, sessionOf } from "./copy-entries.ts";
import { decidedElsewhere } from "./disarm.ts";
import { sessionAsMarkdown } from "./markdown-export.ts";
import { storeSession } from "./store-session.ts";

export interface ExportedSession {
  record: SessionRecord;
  head: SessionHead;
  entries: readonly Entry[];
  draft?: Draft;
}

export function exportFile(sessions: readonly ExportedSession[], rest: object = {}): string {
  return JSON.stringify({ handrail: "sessions", version: 1, exportedAt: Date.now(), sessions, ...rest });
}

/**
 * Every entry of a session, including those that did not fit into a full storage. Unreadable parts are left out.
 */
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

/**
 * All sessions, including archived ones, and counts and settings, but neither the pairing token nor a provider's key.
 */
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

/**
 * Gives a file to the person: as the browser's download, or with the share sheet if an installed app has no downloads.
 */
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
  // The browser reads the file only after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * Gives the copy files of its own: a fresh clone or copy, or the served folder as it is now. Without a connection it
 * has no files yet and can only be read.
 */
async function newWorkspace(record: SessionRecord): Promise<Partial<SessionRecord>> {
  try {
    const sandbox = await (record.git === undefined
      ? servedApart(record.title)
      : api.createSandbox(sourceOf(record.git, record.ref)));
    const workspace = record.git === undefined ? sandbox.workspace : record.workspace;
    const preparing = sandbox.state !== "ready" || undefined;
    return {
      ...{ sandboxId: sandbox.sandboxId, workspace, preparing, elsewhere: undefined },
      ...(record.git === undefined ? whereaboutsOf(sandbox) : {}),
    };
  } catch {
    return {};
  }
}

/** A new session with the history up to the message at `index`. Throws an Error with words for the person. */
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
  const said = decidedElsewhere(entriesUpTo(entries, index), "session");
  await storeSession(rest, sessionOf(said), emptyDraft);
  return rest.id;
}

/** Says, before the copy is made, which files it will have. */
export function filesOfCopy(record: SessionRecord): string {
  if (record.git !== undefined)
    return `It gets a fresh clone of ${record.git}: what this session changed in its own is not in there.`;
  if (config.value?.workspace?.kind === "sample")
    return "It gets a fresh copy of the sample project: what this session changed in its own is not in there.";
  return !hasWorktrees()
    ? "It works in the same folder, whose files stay as they are now."
    : "It gets a git worktree of its own, from the folder's last commit; what is not committed stays where it is. Where the folder has no repository, it works in the same files.";
}
