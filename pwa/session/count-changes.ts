// The one number of changes: what the session itself changed and no commit holds, measured after each turn and whatever
// took files back.
import { changedFiles, commandRan } from "../../shared/session/call-facts.ts";
import { type Commit, commitIn, diffCounts } from "../../shared/session/diff-counts.ts";
import type { Entry, SessionHead } from "../../shared/session/session-state.ts";
import type { Api } from "../api/client.ts";

type MeasuredChanges = Pick<SessionHead, "changes" | "committed">;

/** Whether files may be other ones after the newest turn. */
export function mayHaveChanged(entries: readonly Entry[]): boolean {
  const turnId = entries.at(-1)?.turnId;
  return entries.some((entry) => {
    if (entry.turnId !== turnId || entry.event !== "message") return false;
    const { message } = entry.data;
    if (message.role === "tool") return commandRan(message) || changedFiles(message).length > 0;
    return message.role === "event" && message.extra.event.source === "rewind";
  });
}

/** The commit that the newest turn made, where it changed no file after it. */
function commitOf(entries: readonly Entry[]): Commit | undefined {
  const turnId = entries.at(-1)?.turnId;
  let found: Commit | undefined;
  for (const entry of entries) {
    if (entry.turnId !== turnId || entry.event !== "message" || entry.data.message.role !== "tool") continue;
    const { message } = entry.data;
    if (commandRan(message)) found = commitIn(message.content) ?? found;
    else if (changedFiles(message).length > 0) found = undefined;
  }
  return found;
}

/** What the session changed since it began, or since its newest commit. Throws where the server does not tell. */
export async function measureChanges(
  api: Api,
  sandboxId: string,
  { head, entries }: { head: SessionHead; entries: readonly Entry[] },
): Promise<MeasuredChanges> {
  const commit = commitOf(entries);
  const isNew = commit !== undefined && commit.hash !== head.committed?.hash;
  const committed = isNew ? { ...commit, ...(await api.snapshot(sandboxId)) } : head.committed;
  const { own, commits } = await api.changes(sandboxId, committed?.snapshot);
  const held = new Set(commits.flatMap(({ files }) => files));
  const open = Object.entries(diffCounts(own)).filter(([path]) => !held.has(path));
  return { committed, changes: Object.fromEntries(open) };
}
