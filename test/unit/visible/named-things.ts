// What components draw in tests: a name with everything that hides, and sessions, files and pull requests that have it.
import { signal } from "@preact/signals";
import type { DiffFile } from "../../../pwa/diff/parse-diff.ts";
import type { OpenSession } from "../../../pwa/session/open-session.ts";
import { type Draft, emptyDraft } from "../../../pwa/storage/draft.ts";
import type { SessionRecord } from "../../../pwa/storage/session-record.ts";
import type { PullRequest } from "../../../shared/forge.ts";
import { emptySession, type SessionState } from "../../../shared/session/session-state.ts";

/** Tabs and line ends, bidirectional and zero-width characters, a tag, a filler, and 400 spaces. */
export const name = `name\tof\na\u202e\u200b\u{e0041}\u3164thing${" ".repeat(400)}end`;

export const record: SessionRecord = {
  ...{ id: "s1", title: name, sandboxId: "b1", workspace: name, branch: name, createdAt: 0, updatedAt: 0 },
  ...{ summary: { text: "Done", mark: "done" }, demo: false, deletedAt: 1, unsent: name },
};

/** A session with the parts that components read. */
export function openedSession(
  state: Omit<Partial<SessionState>, "head"> & { head?: Partial<SessionState["head"]> } = {},
  draft: Partial<Draft> = {},
  turn: object | null = null,
): OpenSession {
  const empty = emptySession();
  const all = signal<SessionState>({ ...empty, ...state, head: { ...empty.head, ...state.head } });
  const parts = {
    ...{
      record: signal(record),
      state: all,
      settled: all,
      draft: signal<Draft>({ ...emptyDraft, ...draft }),
    },
    ...{ outbox: signal({ turn, queue: [] }), connection: signal({ kind: "live" }), begun: signal(true) },
    ...{ writes: signal(true), types: signal(true), setDraft: () => undefined },
  };
  return Object(parts);
}

export const file: DiffFile = {
  ...{ path: name, status: "changed", from: undefined, added: 1, removed: 0 },
  hunks: [],
};

export const pull: PullRequest = {
  ...{ number: 1, url: "https://github.com/a/b/pull/1", state: "open", title: name, draft: false },
  ...{ branch: name, base: name, head: "0123456789", merge: { why: null, methods: [] } },
  checks: [{ id: "c", name, state: "passed", text: "", url: null, log: false }],
  reviews: [{ by: name, state: "approved", text: "", at: "" }],
  comments: [
    {
      ...{ id: "1", thread: null, by: name, text: "Why?", at: "", outdated: false, resolved: false },
      answers: [{ by: name, text: "So." }],
    },
  ],
  ...{ truncated: false, missing: [] },
};
