// Commits the changes that the person ticks, immediately and without a model. The commit can then be taken back or
// pushed.
import "../styles/commit.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Committed, GitState } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { visibleText } from "../../shared/visible-text.ts";
import { inWords, settings } from "../app/app-state.ts";
import { commit, gitState } from "../app/delivery.ts";
import { newId } from "../browser/ids.ts";
import { openSheet } from "../browser/sheet.ts";
import { chosen, type LeftOut } from "../changes/chosen-files.ts";
import { draftedMessage } from "../changes/commit-message.ts";
import { putBack, readUncommitted } from "../changes/read-changes.ts";
import { ConfirmBar } from "../components/confirm-bar.tsx";
import { Sheet } from "../components/sheet.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import type { DiffFile } from "../diff/parse-diff.ts";
import { delivered } from "../session/deliver.ts";
import type { OpenSession } from "../session/open-session.ts";
import { AuthorFields } from "./author-fields.tsx";
import { BranchField, branchFor } from "./branch-field.tsx";
import { CommitFiles } from "./commit-files.tsx";
import { ModelMessage } from "./model-message.tsx";

interface SeenDiff {
  git: GitState;
  files: DiffFile[];
}

export function CommitSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const { plan, mode } = session.settled.value.head;
  const { sandboxId, title } = session.record.value;
  const seen = useSignal<SeenDiff | null>(null);
  const left = useSignal<LeftOut>(new Set());
  const branch = useSignal<string | null>(null);
  const made = useSignal<Committed | null>(null);
  /** True if the ticked changes go into the newest commit, which no remote has. */
  const amends = useSignal(false);
  /** True if the person allowed the repository's hooks for this commit. */
  const hooks = useSignal(false);
  const busy = useSignal(false);
  const problem = useSignal<string | null>(null);
  /** A request that is repeated after a lost answer keeps its key. */
  const asked = useSignal<{ body: string; key: string } | null>(null);

  const look = async () => {
    try {
      const [git, files] = await Promise.all([gitState(sandboxId), readUncommitted(sandboxId)]);
      seen.value = { git, files };
      if (git.remote !== null && session.record.value.remote !== true) await session.choose({ remote: true });
      left.value = new Set();
    } catch (error) {
      problem.value = inWords(error).message;
    }
  };
  useEffect(() => void look(), [sandboxId]);

  const { git, files = [] } = seen.value ?? {};
  const { commitMessage } = session.draft.value;
  // A field shows its text as it is, so characters that would be invisible there are written out.
  const drafted = amends.value ? "" : visibleText(draftedMessage(plan, title, files));
  const message = commitMessage === "" ? drafted : commitMessage;
  const picked = chosen(files, left.value);
  const count = new Set([...picked.paths, ...picked.hunks.map(({ path }) => path)]).size;
  const runs = session.outbox.value.turn !== null;
  const planning = mode === "plan";
  const on = branch.value ?? (git ? branchFor(git) : "");

  const { author } = settings.value;
  const named = author && author.name !== "" && author.email !== "";
  const wanted = {
    ...{ ...picked, branch: on.trim(), message: message.trim(), ...(named && { author }) },
    ...(amends.value && git?.head && { amend: git.head }),
    ...(hooks.value && { hooks: true }),
  };
  const ready = amends.value ? count > 0 || message.trim() !== "" : count > 0 && message.trim() !== "";

  const send = async (body: { undo: string } | typeof wanted) => {
    busy.value = true;
    problem.value = null;
    const text = JSON.stringify(body);
    if (asked.value?.body !== text) asked.value = { body: text, key: newId() };
    try {
      const done = await commit(sandboxId, { key: asked.value.key, ...body });
      asked.value = null;
      amends.value = false;
      made.value = "undo" in body ? null : done;
      if (made.value !== null) {
        const words = `committed ${done.commit.slice(0, 7)} on ${done.branch}: ${plural(done.files.length, "file")}.`;
        delivered(session, "commit", words);
        session.setDraft({ commitMessage: "" });
      }
      await look();
      putBack.value += 1;
      void session.measureChanges();
    } catch (error) {
      problem.value = inWords(error).message;
      // After a refusal, the next attempt is a new request with a new key.
      if (error instanceof HandrailError && !error.retryable) asked.value = null;
    }
    busy.value = false;
  };

  const problems = problem.value !== null && (
    <p class="problem" role="alert">
      {problem.value}
    </p>
  );
  if (made.value !== null) {
    const { commit: id, branch: where, files: held } = made.value;
    return (
      <Sheet
        title="Committed"
        onClose={onClose}
        bar={
          <div class="actions">
            <button
              type="button"
              class="button quiet"
              disabled={busy.value}
              onClick={() => void send({ undo: id })}
            >
              Undo
            </button>
            {git?.remote && (
              <button
                type="button"
                class="button soft grow"
                onClick={() => openSheet({ kind: "push", branch: where })}
              >
                Push…
              </button>
            )}
            <button type="button" class="button go grow" ref={takeFocus} onClick={onClose}>
              Done
            </button>
          </div>
        }
      >
        <div class="sheet-words">
          <p role="status">
            Committed <code>{id.slice(0, 7)}</code> on <code>{oneLineOf(where)}</code>:{" "}
            {plural(held.length, "file")}.
            {!busy.value &&
              files.length > 0 &&
              ` ${plural(files.length, "file")} of this session ${files.length === 1 ? "is" : "are"} still uncommitted.`}
          </p>
          <p class="muted">Nothing is pushed. Undo takes the commit back and leaves the files as they are.</p>
          {problems}
        </div>
      </Sheet>
    );
  }
  return (
    <Sheet
      title="Commit"
      subtitle={seen.value === null ? undefined : `${count} of ${plural(files.length, "file")}`}
      onClose={onClose}
      bar={
        <ConfirmBar onCancel={onClose}>
          <button
            type="button"
            class="button go grow"
            disabled={busy.value || runs || planning || !ready || !session.writes.value}
            onClick={() => void send(wanted)}
          >
            {busy.value
              ? "Committing…"
              : amends.value
                ? "Amend the last commit"
                : seen.value === null
                  ? "Commit"
                  : `Commit ${plural(count, "file")}`}
          </button>
        </ConfirmBar>
      }
    >
      <div class="sheet-words">
        {seen.value === null && problem.value === null && <p class="muted">Looking at what is there…</p>}
        {seen.value !== null && files.length === 0 && <p>Nothing of this session is uncommitted.</p>}
        {git && <BranchField git={git} title={title} value={on} onInput={(next) => (branch.value = next)} />}
        <label class="field">
          <span class="muted">Message</span>
          <textarea
            class="answer-text commit-message"
            rows={4}
            value={message}
            placeholder={amends.value ? "As it is in the last commit" : ""}
            onInput={(event) => session.setDraft({ commitMessage: event.currentTarget.value })}
          />
        </label>
        {files.length > 0 && (
          <ModelMessage
            session={session}
            files={files}
            left={left.value}
            plain={draftedMessage(plan, title, files)}
          />
        )}
        <CommitFiles files={files} left={left} />
        {git?.head && git.ahead > 0 && (
          <label>
            <input type="checkbox" checked={amends.value} onChange={() => (amends.value = !amends.value)} />{" "}
            Add to the last commit, <code>{git.head.slice(0, 7)}</code>, which is not pushed
          </label>
        )}
        <AuthorFields />
        <label>
          <input type="checkbox" checked={hooks.value} onChange={() => (hooks.value = !hooks.value)} /> Run
          the repository's hooks first
        </label>
        {runs && <p class="problem">The agent is working. Stop it first, or wait until it is done.</p>}
        <p class={planning ? "problem" : "muted"}>
          {planning
            ? "Plan mode writes nothing, commits neither. Switch to Normal or Auto first."
            : `It is committed here with git; ${
                hooks.value
                  ? "the repository's pre-commit and commit-msg run before it, as a command of this session, and may refuse it."
                  : "hooks of the repository do not run."
              } Nothing is pushed.`}
        </p>
        {problems}
      </div>
    </Sheet>
  );
}

/** For what replaces the button that had the focus. */
function takeFocus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
}
