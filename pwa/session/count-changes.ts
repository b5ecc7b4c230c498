// The one number of changes: the session's own uncommitted ones, measured after each turn and after every undo.
import { signal } from "@preact/signals";
import type { ToolMessage } from "../../shared/message.ts";
import { callArguments, changedFiles, commandRan } from "../../shared/session/call-facts.ts";
import { type Commit, commitIn, diffCounts } from "../../shared/session/diff-counts.ts";
import type { Entry, SessionHead, SessionState } from "../../shared/session/session-state.ts";
import { changesSinceInWords } from "../../shared/session/session-summary.ts";
import type { Api } from "../api/client.ts";

/**
 * The sandboxes with a count in progress: no number is shown until then. The sum of edits differs from it, and the
 * number would jump.
 */
export const counting = signal<ReadonlySet<string>>(new Set());

export function setCounting(sandboxId: string, counts: boolean): void {
  const all = new Set(counting.value);
  if (counts) all.add(sandboxId);
  else all.delete(sandboxId);
  counting.value = all;
}

/** `words` of a summary of the session, without a number that is not measured yet. */
export function withoutUncounted(words: string, sandboxId: string, head: SessionHead): string {
  return counting.value.has(sandboxId) ? words.replace(` · ${changesSinceInWords(head)}`, "") : words;
}

type MeasuredChanges = Pick<SessionHead, "changes" | "committed">;

/** Whether files may be other ones after the newest turn. */
export function mayHaveChanged(entries: readonly Entry[]): boolean {
  const turnId = entries.at(-1)?.turnId;
  return entries.some((entry) => {
    if (entry.turnId !== turnId || entry.event !== "message") return false;
    const { message } = entry.data;
    if (message.role === "tool") return mayWrite(message);
    return message.role === "event" && message.extra.event.source === "rewind";
  });
}

function mayWrite(message: ToolMessage): boolean {
  return commandRan(message) || changedFiles(message).length > 0;
}

/**
 * Whether the session has certainly written nothing so far, committed or not. A script may commit without a trace, so
 * this is no more certain once a command has run outside of plan mode.
 */
export function isUntouched({ head, entries }: Pick<SessionState, "head" | "entries">): boolean {
  if (head.committed !== null || Object.keys(head.changes).length > 0) return false;
  return !entries.some(({ event, data }) => {
    if (event !== "message") return false;
    const { message } = data;
    return message.role === "tool" && message.mode !== "plan" && mayWrite(message);
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

/** Whether a command of the newest turn may have made a commit, although git was told to be quiet about it. */
function mayHaveCommitted(entries: readonly Entry[]): boolean {
  const turnId = entries.at(-1)?.turnId;
  return entries.some((entry) => {
    if (entry.turnId !== turnId || entry.event !== "message") return false;
    const { message } = entry.data;
    if (message.role !== "assistant") return false;
    return (message.toolCalls ?? []).some(({ arguments: json }) =>
      /\bgit\b.*\bcommit\b/.test(callArguments(json).command ?? ""),
    );
  });
}

/**
 * The session's uncommitted changes, since it began or since a commit that contained all of them. `branch` resolves to
 * the checked-out one. Throws if the server does not tell.
 */
export async function measureChanges(
  api: Api,
  sandboxId: string,
  { head, entries }: { head: SessionHead; entries: readonly Entry[] },
  branch: () => Promise<string | undefined>,
): Promise<MeasuredChanges> {
  const before = head.committed;
  const { own, commits } = await api.changes(sandboxId, before?.snapshot);
  const held = new Set(commits.flatMap(({ files }) => files));
  const changes = Object.fromEntries(Object.entries(diffCounts(own)).filter(([path]) => !held.has(path)));
  const [newest] = commits;
  let commit = commitOf(entries);
  if (commit === undefined && newest !== undefined && mayHaveCommitted(entries))
    commit = { hash: newest.commit.split(" ", 1)[0] ?? "", branch: (await branch()) ?? "HEAD" };
  // A commit that the person made from here after that turn is newer.
  const theirs = before?.turnId === (entries.at(-1)?.turnId ?? "");
  if (commit === undefined || theirs || commit.hash === before?.hash) return { committed: before, changes };
  // What the commit left out is counted on, from where it was before.
  const whole = Object.keys(changes).length === 0;
  const { snapshot } = whole ? await api.snapshot(sandboxId) : { snapshot: before?.snapshot ?? "start" };
  return { committed: { ...commit, snapshot }, changes };
}

/** The same, and the branch that is checked out for the record; without what the server does not tell. */
export async function lookAtChanges(
  api: Api,
  sandboxId: string,
  state: Parameters<typeof measureChanges>[2],
) {
  const asked = api.sandbox(sandboxId).catch(() => undefined);
  const onBranch = async () => (await asked)?.branch ?? undefined;
  const measured = await measureChanges(api, sandboxId, state, onBranch).catch(() => undefined);
  const info = await asked;
  if (measured === undefined) return { measured, known: { uncounted: true } };
  return { measured, known: { uncounted: undefined, ...(info && { branch: info.branch }) } };
}

export function withMeasured(state: SessionState, measured: MeasuredChanges): SessionState {
  return { ...state, head: { ...state.head, ...measured } };
}
