// Reads the changes of a sandbox as files, the points since which they can be shown, and the reason why nothing may be
// taken back now.
import { signal } from "@preact/signals";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { api } from "../app/app-state.ts";
import { type DiffFile, parseDiff } from "../diff/parse-diff.ts";
import type { OpenSession } from "../session/open-session.ts";

/** Grows when a sheet undid or committed changes, so that the page of changes reads them again. */
export const putBack = signal(0);

export interface SeenChanges {
  /** The changes that the session itself made. */
  files: DiffFile[];
  /** The changes that others made in the meantime: other sessions of the folder, editors, git. */
  others: DiffFile[];
  /** True if the end of a very long diff was left out. */
  truncated: boolean;
  /** Files of the session in which others changed the same lines. */
  mixed: ReadonlySet<string>;
  /** By path: the commit that contains this state of a session's file, as `HASH SUBJECT`. */
  commits: ReadonlyMap<string, string>;
}

/** Throws as `Api` does. */
export async function readSince(sandboxId: string, since: string | undefined): Promise<SeenChanges> {
  const { own, others, truncated, mixed, commits } = await api.changes(sandboxId, since);
  return {
    ...{ files: parseDiff(own), others: parseDiff(others), truncated, mixed: new Set(mixed) },
    commits: new Map(
      commits.flatMap(({ commit, files }) => files.map((path): [string, string] => [path, commit])),
    ),
  };
}

/** Files that the session changed, as they differ from HEAD. Throws as `Api` does. */
export async function readUncommitted(sandboxId: string): Promise<DiffFile[]> {
  return parseDiff(await api.diff(sandboxId, "HEAD"));
}

/** The files whose changes are in no commit yet. */
export function openFiles({ files, commits }: SeenChanges): DiffFile[] {
  return files.filter(({ path }) => !commits.has(path));
}

export interface Beginning {
  snapshot: string;
  stepId: string;
  /** "Since step 2", "This step". */
  words: string;
  about: string;
}

/** The steps that were begun, in the plan's order. */
export function beginnings(plan: Plan | null): Beginning[] {
  return (plan?.steps ?? []).flatMap(({ id, snapshot, status, description }, at) => {
    if (snapshot === undefined) return [];
    const words = status === "active" ? "This step" : `Since step ${at + 1}`;
    return [{ snapshot, stepId: id, words, about: `Since step ${at + 1} began: ${description}` }];
  });
}

/** Why files must not be put back now; undefined if they may be. */
export function lockedBecause(session: OpenSession): string | undefined {
  if (!session.writes.value) return "This session is open in another tab.";
  return session.outbox.value.turn === null ? undefined : "The agent is working. Stop it first.";
}
