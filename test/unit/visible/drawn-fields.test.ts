// Input fields, which show their text as it is: what is put into one beforehand hides nothing.
import { h } from "preact";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyDraft } from "../../../pwa/storage/draft.ts";
import { drawn, openPage } from "./drawn-page.ts";
import { name, openedSession, record } from "./named-things.ts";

let close = (): void => undefined;
beforeAll(() => {
  close = openPage();
});
afterAll(() => close());

const nothing = () => undefined;
const begin = "name⟨U+0009⟩of⟨U+000A⟩a⟨U+202E⟩⟨U+200B⟩⟨U+E0041⟩⟨U+3164⟩thing⟨400 spaces⟩end";

test("the name of a session", async () => {
  const { NameField } = await import("../../../pwa/sheets/name-field.tsx");
  expect((await drawn(h(NameField, { session: openedSession() }))).fields).toEqual([begin]);
});

test("the message of a commit", async () => {
  const { CommitSheet } = await import("../../../pwa/sheets/commit-sheet.tsx");
  const git = { branch: "b", head: null, upstream: null, ahead: 0, behind: 0, defaultBranch: "main" };
  const steps = [{ answer: { ...git, clean: true, remote: null }, until: "0 of 0" }];
  const { fields } = await drawn(h(CommitSheet, { session: openedSession(), onClose: nothing }), steps);
  expect(fields.join("")).toContain("a⟨U+202E⟩⟨U+200B⟩");
});

test("the title and text of a pull request", async () => {
  const { PullRequestForm } = await import("../../../pwa/sheets/pull-request-form.tsx");
  const git = { branch: "b", head: "0", upstream: null, ahead: 1, defaultBranch: "main", clean: true };
  const at = { token: "", remote: { host: "github.com", owner: "a", name: "b" } };
  const form = (given: object) =>
    h(PullRequestForm, {
      ...{ session: openedSession(), given, git: Object({ ...git, remote: at.remote }), at },
      ...{ onMade: nothing, onClose: nothing },
    });
  const text = "a\u202eb";
  expect((await drawn(form({ title: name, text }))).fields).toEqual(
    expect.arrayContaining([begin, "a⟨U+202E⟩b"]),
  );
  expect((await drawn(form({}))).fields[0]).toContain("a⟨U+202E⟩⟨U+200B⟩");
});

test("the message of what a worktree brings back", async () => {
  const { WorktreeSheet } = await import("../../../pwa/sheets/worktree-sheet.tsx");
  const session = openedSession();
  session.record.value = { ...record, worktree: Object({}) };
  const files = [{ path: "a", added: 1, removed: 0 }];
  const answer = { branch: "b", folder: "f", into: null, files, commits: 1, behind: 0 };
  const more = { uncommitted: true, conflicts: [], apart: [] };
  const steps = [{ answer: { ...answer, ...more }, until: "Commit message" }];
  expect((await drawn(h(WorktreeSheet, { session, onClose: nothing }), steps)).fields).toContain(begin);
});

test("an address that another app shared", async () => {
  const { NewSessionPage } = await import("../../../pwa/pages/new-session-page.tsx");
  const { shared } = await import("../../../pwa/app/shared-text.ts");
  shared.value = "https://github.com/a/b\u202e";
  expect((await drawn(h(NewSessionPage, {}))).fields).toContain("https://github.com/a/b⟨U+202E⟩");
});

test("the message of a commit that the agent drafted", async () => {
  const { openDelivery } = await import("../../../pwa/session/deliver.ts");
  let draft: object = emptyDraft;
  const session = { ...openedSession(), setDraft: (change: object) => (draft = change) };
  openDelivery(Object(session), { do: "commit", text: " Fix it\u202e\n" });
  expect(draft).toEqual({ commitMessage: "Fix it⟨U+202E⟩" });
});
