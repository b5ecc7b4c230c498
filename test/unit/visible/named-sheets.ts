// Sheets that draw names on one line, drawn with names that hide something. A sheet's module is loaded only when it is
// drawn, because it expects a page.
import { signal } from "@preact/signals";
import { h } from "preact";
import { type Drawn, drawn } from "./drawn-page.ts";
import { file, name, openedSession, pull, record } from "./named-things.ts";

const nothing = () => undefined;
const mark = "⟨U+0009⟩";
const at = { token: "", remote: { host: "github.com", owner: "a", name: "b" } };
const brought = { done: false, files: [], conflicts: [], blocked: [] };
const worktree = {
  ...{
    branch: "b",
    folder: name,
    into: null,
    files: [{ path: name, added: 1, removed: 0 }],
    commits: 1,
    behind: 0,
  },
  ...{ uncommitted: false, conflicts: [], apart: [name] },
};

/** By file: what it draws in all of its states. */
export const sheets: Readonly<Record<string, () => Promise<readonly Drawn[]>>> = {
  "sheets/taken-out.tsx": async () => {
    const { TakenOut } = await import("../../../pwa/sheets/taken-out.tsx");
    const entries = [{ id: "1", path: name, why: "a hook", at: 1, kind: "file", bytes: 1, yours: false }];
    return [await drawn(h(TakenOut, { sandboxId: "b1" }), [{ answer: { entries }, until: mark }])];
  },
  "sheets/bin-sheet.tsx": async () => {
    const { BinSheet } = await import("../../../pwa/sheets/bin-sheet.tsx");
    const { bin } = await import("../../../pwa/app/session-actions.ts");
    bin.value = [record];
    return [await drawn(h(BinSheet, {}))];
  },
  "sheets/help-sheet.tsx": async () => {
    const { HelpSheet } = await import("../../../pwa/sheets/help-sheet.tsx");
    const { projectCommands } = await import("../../../pwa/session/commands.ts");
    const own = { name: "own", description: name, arguments: name };
    projectCommands.value = { sandboxId: "b1", commands: [Object(own)] };
    return [await drawn(h(HelpSheet, { onPick: nothing, onClose: nothing }))];
  },
  "sheets/import-sheet.tsx": async () => {
    const { About } = await import("../../../pwa/sheets/import-sheet.tsx");
    const session = { record: { ...record, claims: { git: name } }, entries: [] };
    return [await drawn(h(About, { session: Object(session) }))];
  },
  "sheets/pull-comments.tsx": async () => {
    const { PullComments } = await import("../../../pwa/sheets/pull-comments.tsx");
    const acts = { onFix: nothing, onResolve: nothing, onAnswer: async () => true };
    return [await drawn(h(PullComments, { comments: pull.comments, may: true, open: true, ...acts }))];
  },
  "sheets/pull-request-state.tsx": async () => {
    const { PullRequestState } = await import("../../../pwa/sheets/pull-request-state.tsx");
    const props = {
      session: openedSession(),
      where: "",
      at,
      drafted: {},
      unpushed: 0,
      onChanged: async () => undefined,
      onClose: nothing,
    };
    const closed = { ...pull, state: "merged" as const };
    return [
      await drawn(h(PullRequestState, { ...props, pull })),
      await drawn(h(PullRequestState, { ...props, pull: closed }), [
        { answer: {}, tap: "Delete its branch", until: "is deleted there" },
      ]),
    ];
  },
  "sheets/asked-pull.tsx": async () => {
    const { AskedPull } = await import("../../../pwa/sheets/asked-pull.tsx");
    const acts = { at, unpushed: 0, may: true, onChanged: async () => undefined, run: async () => undefined };
    return [await drawn(h(AskedPull, { session: openedSession(), pull, drafted: { title: name }, ...acts }))];
  },
  "sheets/pull-request-form.tsx": async () => {
    const { PullRequestForm } = await import("../../../pwa/sheets/pull-request-form.tsx");
    const git = {
      branch: name,
      head: "0",
      upstream: null,
      ahead: 1,
      defaultBranch: "main",
      clean: true,
      remote: at.remote,
    };
    const props = {
      session: openedSession(),
      given: {},
      git: Object(git),
      at,
      onMade: nothing,
      onClose: nothing,
    };
    return [await drawn(h(PullRequestForm, props))];
  },
  "sheets/merge-sheet.tsx": async () => {
    const { MergeSheet } = await import("../../../pwa/sheets/merge-sheet.tsx");
    const props = { where: "", busy: false, problems: null, onMerge: nothing, onClose: nothing };
    return [await drawn(h(MergeSheet, { pull, ...props }))];
  },
  "sheets/push-sheet.tsx": async () => {
    const { PushSheet } = await import("../../../pwa/sheets/push-sheet.tsx");
    const total = { commits: 1, files: 1, added: 1, removed: 0 };
    const commits = [{ commit: "0123456789", subject: name }];
    const files = [{ path: name, added: 1, removed: 0 }];
    const answer = {
      remote: at.remote,
      branch: name,
      commit: "0123456789",
      asked: true,
      commits,
      files,
      total,
      forges: [],
    };
    const sheet = h(PushSheet, { session: openedSession(), branch: "b", onClose: nothing });
    return [
      await drawn(sheet, [{ answer, until: mark }]),
      await drawn(sheet, [
        { answer, until: mark },
        { tap: "Push 1 commit", until: "Pushed " },
      ]),
    ];
  },
  "sheets/what-comes-back.tsx": async () => {
    const { WhatComesBack } = await import("../../../pwa/sheets/what-comes-back.tsx");
    const changes = {
      files: [file],
      others: [],
      truncated: false,
      mixed: new Set<string>(),
      commits: new Map([[name, name]]),
    };
    return [
      await drawn(h(WhatComesBack, { looked: { kind: "seen", changes }, ticks: signal(new Set<string>()) })),
    ];
  },
  "sheets/branch-field.tsx": async () => {
    const { BranchField } = await import("../../../pwa/sheets/branch-field.tsx");
    const git = Object({ branch: "main", defaultBranch: "main" });
    return [await drawn(h(BranchField, { git, title: "", value: name, onInput: nothing }))];
  },
  "sheets/bring-back.tsx": async () => {
    const { BroughtWords, Conflicts, FilesBack, StaysHere } = await import(
      "../../../pwa/sheets/bring-back.tsx"
    );
    const conflicts = [{ path: name, text: "" }];
    return [
      ...(await Promise.all(
        (["pick", "merge"] as const).map((how) =>
          drawn(h(FilesBack, { state: worktree, how: signal(how), left: signal(new Set<string>()) })),
        ),
      )),
      await drawn(h(StaysHere, { state: worktree, ...worktree })),
      await drawn(h(BroughtWords, { result: { ...brought, blocked: [name] }, folder: name })),
      await drawn(h(BroughtWords, { result: { ...brought, conflicts }, folder: name })),
      await drawn(h(BroughtWords, { result: { ...brought, done: true, files: ["a"] }, folder: name })),
      await drawn(h(Conflicts, { conflicts, sides: signal({}), into: "main" })),
    ];
  },
  "sheets/commit-sheet.tsx": async () => {
    const { CommitSheet } = await import("../../../pwa/sheets/commit-sheet.tsx");
    const git = { branch: name, head: null, upstream: null, ahead: 0, behind: 0, defaultBranch: "main" };
    const answer = { ...git, clean: true, remote: null, commit: "0123456789", files: ["a"] };
    const session = openedSession();
    return [
      await drawn(h(CommitSheet, { session, onClose: nothing }), [
        { answer, until: "0 of 0" },
        { tap: "Commit", until: "Committed " },
      ]),
    ];
  },
  "sheets/commit-files.tsx": async () => {
    const { CommitFiles } = await import("../../../pwa/sheets/commit-files.tsx");
    return [await drawn(h(CommitFiles, { files: [file], left: signal(new Set<string>()) }))];
  },
};
