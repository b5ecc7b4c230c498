// The repositories that sessions of this device were cloned from, the one used last first. Pure.
import type { SessionRecord } from "../storage/session-record.ts";

const shownAtMost = 6;

export interface Repository {
  git: string;
  ref: string | undefined;
}

/** `records`: newest first. */
export function recentRepositories(records: readonly SessionRecord[]): Repository[] {
  const found = new Map<string, Repository>();
  for (const { git, ref } of records) {
    const key = `${git} ${ref ?? ""}`;
    if (git !== undefined && !found.has(key)) found.set(key, { git, ref });
  }
  return [...found.values()].slice(0, shownAtMost);
}
