// Counts the session's own uncommitted changes after each turn and after every undo. All screens show this number.
import { signal } from "@preact/signals";
import type { CountedFrom } from "../../shared/git.ts";
import type { ToolMessage } from "../../shared/message.ts";
import { changedFiles, commandRan } from "../../shared/session/call-facts.ts";
import { diffCounts } from "../../shared/session/diff-counts.ts";
import type { Entry, SessionHead, SessionState } from "../../shared/session/session-state.ts";
import { changesSinceInWords } from "../../shared/session/session-summary.ts";
import type { Api } from "../api/client.ts";

/**
 * The sandboxes in which a count is in progress. No number is shown until it ends: the sum of the edits differs from
 * the count, so the number would jump.
 */
export const counting = signal<ReadonlySet<string>>(new Set());

export function setCounting(sandboxId: string, counts: boolean): void {
  const all = new Set(counting.value);
  if (counts) all.add(sandboxId);
  else all.delete(sandboxId);
  counting.value = all;
}

/** The `words` of a session's summary, without a number that has not been measured yet. */
export function withoutUncounted(words: string, sandboxId: string, head: SessionHead): string {
  return counting.value.has(sandboxId) ? words.replace(` · ${changesSinceInWords(head)}`, "") : words;
}

type MeasuredChanges = Pick<SessionHead, "changes" | "committed">;

/** Returns whether the newest turn may have changed files. A hook after the turn leaves no message. */
export function mayHaveChanged({ head, entries }: { head: SessionHead; entries: readonly Entry[] }): boolean {
  if (head.hooks === true) return true;
  const turnId = entries.at(-1)?.turnId;
  return entries.some((entry) => {
    if (entry.turnId !== turnId || entry.event !== "message") return false;
    const { message } = entry.data;
    if (message.role === "tool") return mayWrite(message);
    return message.role === "event" && message.extra.event.source === "rewind";
  });
}

/** Returns whether this is the result of an edit, or of a command that may have changed files. */
export function mayWrite(message: ToolMessage): boolean {
  return commandRan(message) || changedFiles(message).length > 0;
}

/**
 * Returns whether the session has certainly written nothing so far, committed or not. A script may commit without a
 * trace, so the answer is no once a command has run outside of plan mode.
 */
export function isUntouched({ head, entries }: Pick<SessionState, "head" | "entries">): boolean {
  if (head.committed !== null || Object.keys(head.changes).length > 0) return false;
  return !entries.some(({ event, data }) => {
    if (event !== "message") return false;
    const { message } = data;
    return message.role === "tool" && message.mode !== "plan" && mayWrite(message);
  });
}

/**
 * Where the session's own changes count from, and these changes. Throws if the server does not answer.
 */
export async function measureChanges(
  api: Api,
  sandboxId: string,
  before: SessionHead["committed"],
): Promise<MeasuredChanges> {
  const { own, commits, countedFrom } = await api.changes(sandboxId, before?.snapshot);
  const committed = countedFrom ? committedOf(countedFrom) : null;
  // HEAD has moved since.
  if (committed?.snapshot !== before?.snapshot) return measureChanges(api, sandboxId, committed);
  const held = new Set(commits.flatMap(({ files }) => files));
  const changes = Object.fromEntries(Object.entries(diffCounts(own)).filter(([path]) => !held.has(path)));
  return { committed, changes };
}

function committedOf({ commit, branch, snapshot, made, unread }: CountedFrom): SessionHead["committed"] {
  return { hash: commit.slice(0, 7), branch: branch ?? "HEAD", snapshot, moved: !made, unread };
}

/**
 * Like `measureChanges`, with the checked-out branch for the record. Never throws: parts that the server does not
 * answer are left out.
 */
export async function lookAtChanges(api: Api, sandboxId: string, before: SessionHead["committed"]) {
  const asked = api.sandbox(sandboxId).catch(() => undefined);
  const measured = await measureChanges(api, sandboxId, before).catch(() => undefined);
  const info = await asked;
  if (measured === undefined) return { measured, known: { uncounted: true } };
  return { measured, known: { uncounted: undefined, ...(info && { branch: info.branch }) } };
}

export function withMeasured(state: SessionState, measured: MeasuredChanges): SessionState {
  return { ...state, head: { ...state.head, ...measured } };
}
