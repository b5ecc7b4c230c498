// Begins sessions: makes a sandbox for the files and a record on this device. It also gives files to imported sessions.
// Loaded when needed.
import type { SandboxAnswer } from "../../shared/api.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { Mode } from "../../shared/mode.ts";
import { emptySession } from "../../shared/session/session-state.ts";
import { sessionSummary } from "../../shared/session/session-summary.ts";
import { newId } from "../browser/ids.ts";
import { draftKey, emptyDraft } from "../storage/draft.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { type Put, sessionPuts } from "../storage/session-store.ts";
import { unmadeSessionInWords } from "../storage/storage-error.ts";
import { cloneProblem, plainAddress, repositoryName } from "../words/repository.ts";
import {
  api,
  changeSettings,
  config,
  inWords,
  kv,
  otherTabs,
  refreshConfig,
  servedByDemo,
  settings,
} from "./app-state.ts";
import { type InLine, makeSandbox } from "./make-sandbox.ts";
import { listRecord } from "./open-sessions.ts";
import { changeSession } from "./session-actions.ts";

export interface NewSession {
  /** An address that git can clone; without it, the session gets the files that the server offers by default. */
  git?: string | undefined;
  ref?: string | undefined;
  mode?: Mode;
  /** The text that is in the composer when the session opens. */
  text?: string;
}

/**
 * Returns a new session with its own sandbox, stored and ready to open. `line` is called with its place in the queue.
 * Throws an error whose message can be shown to the person.
 */
export async function createSession(
  { git, ref, mode, text }: NewSession = {},
  line?: InLine,
): Promise<string> {
  if (config.value === null) await refreshConfig();
  const source = git === undefined ? undefined : sourceOf(git, ref);
  const when = settings.value.worktrees ?? ("shared" as const);
  const apart = git === undefined && when === "always" && config.value?.workspace?.kind === "folder";
  const worktree = git === undefined && when === "shared" && hasWorktrees() ? { when } : undefined;
  const making = apart ? servedApart(undefined, line) : makeSandbox(source, worktree, line);
  const sandbox = await making.catch((error: unknown) => {
    const { message } = inWords(error);
    throw new Error(git === undefined ? message : cloneProblem(message));
  });
  const now = Date.now();
  const repository = git === undefined ? "" : plainAddress(git);
  const { model, modes, picks } = settings.value;
  const picked = picks?.[repository] ?? picks?.["*"];
  const state = emptySession(mode ?? modes?.[repository]);
  const record: SessionRecord = {
    id: newId(),
    title: "New session",
    sandboxId: sandbox.sandboxId,
    workspace: git === undefined ? sandbox.workspace : repositoryName(git),
    createdAt: now,
    updatedAt: now,
    summary: sessionSummary(state),
    demo: servedByDemo.value,
    ...(model && { model }),
    ...picked?.run,
    ...(picked?.plan && { planning: picked.plan }),
    ...(git !== undefined && { git: plainAddress(git) }),
    ...(ref && { ref }),
    ...whereaboutsOf(sandbox),
    ...(sandbox.state !== "ready" && { preparing: true }),
  };
  const draft: Put[] = text ? [[draftKey(record.id), { ...emptyDraft, text }]] : [];
  await kv.write([...sessionPuts(record, state, 0), ...draft]).catch((error: unknown) => {
    // Without its stored record, nothing would lead to the new sandbox, so it is deleted and the person is told.
    void api.deleteSandbox(sandbox.sandboxId).catch(() => undefined);
    throw new Error(unmadeSessionInWords(error));
  });
  listRecord(record);
  otherTabs.postMessage(record.id);
  return record.id;
}

/** Stores the mode in which sessions of a repository begin; "" means the server's default. */
export function rememberMode(repository: string, mode: Mode): Promise<void> {
  return changeSettings({ modes: { ...settings.value.modes, [repository]: mode } });
}

/** Returns whether sessions that use the server's default files can have git worktrees. */
export function hasWorktrees(): boolean {
  const { workspace, sandbox } = config.value ?? {};
  return workspace?.kind === "folder" && sandbox?.worktrees === true;
}

type Whereabouts = Pick<SessionRecord, "branch" | "worktree" | "noWorktree">;

/** Returns the part of a record that says where the sandbox's files come from. */
export function whereaboutsOf({ branch, worktree, noWorktree }: ServedApart): Whereabouts {
  return { branch, worktree: worktree?.folder, noWorktree };
}

/**
 * Returns the folder for a session that must not disturb others: a worktree of its own if git can make one, otherwise
 * the served folder with the reason.
 */
export async function servedApart(title?: string, line?: InLine): Promise<ServedApart> {
  let noWorktree = "The folder cannot have worktrees.";
  if (hasWorktrees()) {
    try {
      return await makeSandbox(undefined, { when: "always", ...(title && { name: title }) }, line);
    } catch (error) {
      // The server answers `invalid_request` if git cannot make a worktree, as in a repository without a commit.
      if (!(error instanceof HandrailError) || !/^(unsupported|invalid_request)$/.test(error.code))
        throw error;
      noWorktree = error.message;
    }
  }
  const made = await makeSandbox(undefined, undefined, line);
  return config.value?.workspace?.kind === "folder" ? { ...made, noWorktree } : made;
}

type ServedApart = SandboxAnswer & { noWorktree?: string };

export function sourceOf(git: string, ref: string | undefined): { git: string; ref?: string } {
  return { git, ...(ref && { ref }) };
}

/**
 * With `clone` the sandbox gets the repository that the session's file names; with `served` it gets what the server
 * offers by default. Throws an Error with words for the person.
 */
export async function giveFiles(
  { id, title, claims }: Pick<SessionRecord, "id" | "title" | "claims">,
  which: "clone" | "served",
): Promise<void> {
  const git = which === "clone" ? claims?.git : undefined;
  const made = git === undefined ? servedApart(title) : makeSandbox(sourceOf(git, claims?.ref));
  const sandbox = await made.catch((error: unknown) => {
    const { message } = inWords(error);
    throw new Error(git === undefined ? message : cloneProblem(message));
  });
  await changeSession(id, {
    sandboxId: sandbox.sandboxId,
    preparing: sandbox.state !== "ready" || undefined,
    ...(git === undefined
      ? { workspace: sandbox.workspace, ...whereaboutsOf(sandbox), claims: undefined }
      : { git, ...(claims?.ref && { ref: claims.ref }), claims: undefined }),
  });
}

/** Describes the server's default files in words. */
export function servedInWords(): string {
  const workspace = config.value?.workspace;
  if (workspace?.kind === "sample") return "Use a fresh sample project";
  return workspace === undefined ? "Use the served folder" : `Use the folder ${workspace.name}`;
}
