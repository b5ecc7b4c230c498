// A pull request before it is opened: a drafted title and text, which can be changed, and whether it is a draft.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { GitState } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { visibleText } from "../../shared/visible-text.ts";
import { api, inWords } from "../app/app-state.ts";
import type { AtRemote } from "../app/delivery.ts";
import { openPull } from "../app/forge.ts";
import { newId } from "../browser/ids.ts";
import { openSheet } from "../browser/sheet.ts";
import { draftedPull, ranChecks } from "../changes/pull-request-text.ts";
import { ConfirmBar } from "../components/confirm-bar.tsx";
import { Problem } from "../components/problem.tsx";
import { Sheet } from "../components/sheet.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import { delivered } from "../session/deliver.ts";
import type { OpenSession } from "../session/open-session.ts";

interface PullRequestFormProps {
  session: OpenSession;
  given: { title?: string; text?: string };
  git: GitState;
  at: AtRemote;
  onMade(): void;
  onClose(): void;
}

export function PullRequestForm({ session, given, git, at, onMade, onClose }: PullRequestFormProps) {
  const { branch, remote, defaultBranch } = git;
  const { sandboxId } = session.record.value;
  const { entries, head } = session.settled.value;
  const subjects = useSignal<readonly string[]>([]);
  const typed = useSignal<{ title?: string; body?: string; base?: string }>({});
  const draft = useSignal(false);
  const busy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const key = useSignal(newId());
  useEffect(() => {
    api.changes(sandboxId).then(
      // `HASH SUBJECT`
      ({ commits }) => (subjects.value = commits.map(({ commit }) => commit.replace(/^\S+ /, ""))),
      () => undefined,
    );
  }, [sandboxId]);
  // A field shows its text as it is, so characters that would be invisible there are written out.
  const drafted = draftedPull(head.plan, session.record.value.title, ranChecks(entries), subjects.value);
  const title = typed.value.title ?? visibleText(given.title || drafted.title, "line");
  const body = typed.value.body ?? visibleText(given.text || drafted.body);
  const base = typed.value.base ?? defaultBranch ?? "";
  const unpushed = git.upstream === null || git.ahead > 0;
  const sameBranch = branch === null || branch === base;
  const open = async () => {
    busy.value = true;
    problem.value = null;
    const words = { title: title.trim(), body, draft: draft.value };
    const place = {
      ...(branch && { branch }),
      ...(remote && { host: remote.host }),
      ...(base && { base: base.trim() }),
    };
    try {
      const made = await openPull(sandboxId, { key: key.value, ...words, ...place }, at);
      delivered(session, "pull_request", `pull request #${made.number} is ${made.state}: ${made.url}`);
      onMade();
    } catch (error) {
      problem.value = inWords(error).message;
      if (error instanceof HandrailError && !error.retryable) key.value = newId();
    }
    busy.value = false;
  };
  return (
    <Sheet
      title="Pull request"
      subtitle={`${branch ?? "no branch"} → ${base || "the default branch"} · ${remote?.host}`}
      onClose={onClose}
      bar={
        <ConfirmBar onCancel={onClose}>
          {unpushed && branch !== null && !sameBranch ? (
            <button type="button" class="button go grow" onClick={() => openSheet({ kind: "push", branch })}>
              Push first…
            </button>
          ) : (
            <button
              type="button"
              class="button go grow"
              disabled={busy.value || title.trim() === "" || sameBranch || !session.writes.value}
              onClick={() => void open()}
            >
              {busy.value ? "Opening…" : draft.value ? "Open as a draft" : "Open pull request"}
            </button>
          )}
        </ConfirmBar>
      }
    >
      <div class="sheet-words">
        {sameBranch && (
          <p class="problem">
            {branch === null
              ? "No branch is checked out. Commit to one first."
              : "You are on the branch that it would go to. Commit to a branch of its own first."}
          </p>
        )}
        {unpushed && !sameBranch && (
          <p>
            {git.ahead > 0 ? plural(git.ahead, "commit") : "The branch"} of{" "}
            <code>{oneLineOf(branch ?? "")}</code> {git.ahead > 1 ? "are" : "is"} not at {remote?.host} yet.
          </p>
        )}
        <label class="field">
          <span class="muted">Title</span>
          <input
            class="answer-text"
            value={title}
            maxLength={250}
            onInput={(event) => (typed.value = { ...typed.value, title: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span class="muted">Text</span>
          <textarea
            class="answer-text"
            rows={8}
            value={body}
            onInput={(event) => (typed.value = { ...typed.value, body: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span class="muted">Into</span>
          <input
            class="answer-text"
            value={base}
            placeholder="the default branch"
            autocapitalize="none"
            spellcheck={false}
            onInput={(event) => (typed.value = { ...typed.value, base: event.currentTarget.value })}
          />
        </label>
        <label class="pull-draft">
          <input
            type="checkbox"
            checked={draft.value}
            onChange={(event) => (draft.value = event.currentTarget.checked)}
          />{" "}
          A draft: not to be merged yet
        </label>
        <Problem words={problem.value} />
      </div>
    </Sheet>
  );
}
