// A session's git worktree: makes one for a session that shares its folder, and brings its work back by a merge or by
// picked files. Conflicts are shown by file, and the person decides them or leaves them to the session.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { HandrailError } from "../../shared/errors.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { visibleText } from "../../shared/visible-text.ts";
import type { BringBack, BroughtBack, WorktreeState } from "../../shared/worktree.ts";
import { api, inWords } from "../app/app-state.ts";
import { giveWorktree } from "../app/worktrees.ts";
import { ConfirmBar } from "../components/confirm-bar.tsx";
import { Problem } from "../components/problem.tsx";
import { Sheet } from "../components/sheet.tsx";
import { tell } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { resolveConflicts } from "../words/told-words.ts";
import { BroughtWords, Conflicts, FilesBack, type Sides, StaysHere } from "./bring-back.tsx";

export function WorktreeSheet(props: { session: OpenSession; onClose(): void }) {
  return props.session.record.value.worktree === undefined ? (
    <GiveSheet {...props} />
  ) : (
    <BringBackSheet {...props} />
  );
}

function GiveSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const busy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const runs = session.outbox.value.turn !== null;
  const give = async () => {
    busy.value = true;
    try {
      await giveWorktree(session);
      onClose();
    } catch (error) {
      problem.value = inWords(error).message;
    }
    busy.value = false;
  };
  return (
    <Sheet
      title="A worktree of its own"
      onClose={onClose}
      bar={
        <ConfirmBar onCancel={onClose}>
          <button
            type="button"
            class="button go grow"
            disabled={runs || busy.value || !session.writes.value}
            onClick={() => void give()}
          >
            {busy.value ? "Making it…" : "Move to a worktree"}
          </button>
        </ConfirmBar>
      }
    >
      <div class="sheet-words">
        <p>
          This session then works in files of its own, on a branch of its own. What it has changed and nobody
          committed goes along and leaves the folder; what others did stays there.
        </p>
        <p class="muted">
          Files that git ignores, such as installed packages, stay in the folder. Its work comes back with
          “Bring back”.
        </p>
        {runs && <p class="problem">The agent is working. Stop it first, or wait until it is done.</p>}
        <Problem words={problem.value} />
      </div>
    </Sheet>
  );
}

function BringBackSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const { sandboxId, title } = session.record.value;
  const state = useSignal<WorktreeState | null>(null);
  const problem = useSignal<string | null>(null);
  const how = useSignal<BringBack["how"]>("merge");
  const left = useSignal<ReadonlySet<string>>(new Set());
  // A field shows its text as it is, so characters that would be invisible there are written out.
  const message = useSignal(visibleText(title, "line"));
  const sides = useSignal<Sides>({});
  const result = useSignal<BroughtBack | null>(null);
  const busy = useSignal(false);
  const runs = session.outbox.value.turn !== null;
  const look = () =>
    api.worktree(sandboxId).then(
      (found) => (state.value = found),
      (error: unknown) => (problem.value = inWords(error).message),
    );
  useEffect(() => void look(), [sandboxId]);
  const { files = [], uncommitted = false } = state.value ?? {};
  const conflicts = result.value?.conflicts ?? [];
  // What the person sees: the conflicts if there are any, otherwise the files.
  const { seen } = (conflicts.length > 0 ? result.value : state.value) ?? {};
  const picked = files.map(({ path }) => path).filter((path) => !left.value.has(path));
  const ask = async (more: Partial<BringBack> = {}) => {
    busy.value = true;
    problem.value = null;
    const paths = how.value === "pick" && left.value.size > 0 ? { paths: picked } : {};
    const words = message.value.trim() === "" ? {} : { message: message.value.trim() };
    try {
      const shown = conflicts.map(({ path }) => path);
      const choices = Object.fromEntries(
        Object.entries(sides.value).filter(([path]) => shown.includes(path)),
      );
      const request: BringBack = { how: how.value, ...paths, ...words, choices, ...more };
      if (seen !== undefined) request.seen = seen;
      result.value = await api.bringBack(sandboxId, request);
      sides.value = {};
      if (result.value.done) void session.measureChanges();
      await look();
    } catch (error) {
      problem.value = inWords(error).message;
      // The worktree has changed meanwhile: show its new state, and let the person decide again.
      if (error instanceof HandrailError && error.code === "stale_file") {
        result.value = null;
        sides.value = {};
        await look();
      }
    }
    busy.value = false;
  };
  const leave = async () => {
    await ask({ leave: true });
    if (problem.value !== null) return;
    const folder = state.value?.into ?? state.value?.folder ?? "the folder";
    const paths = conflicts.map(({ path }) => path);
    tell(session, resolveConflicts(folder, paths), {});
    onClose();
  };
  const decided = conflicts.length > 0 && conflicts.every(({ path }) => sides.value[path] !== undefined);
  const done = result.value?.done === true;
  const nothing = state.value !== null && files.length === 0;
  const into = state.value?.into ?? state.value?.folder ?? "the folder";
  const waits = state.value === null || busy.value || runs || !session.writes.value || nothing;
  return (
    <Sheet
      title="Bring back"
      subtitle={state.value === null ? undefined : `${state.value.branch} → ${into}`}
      onClose={onClose}
      bar={
        done ? (
          <button type="button" class="button go wide" onClick={onClose}>
            Done
          </button>
        ) : (
          <ConfirmBar onCancel={onClose}>
            <button
              type="button"
              class="button go grow"
              disabled={
                waits || (how.value === "pick" && picked.length === 0) || (conflicts.length > 0 && !decided)
              }
              onClick={() => void ask()}
            >
              {busy.value
                ? "Bringing it back…"
                : conflicts.length > 0
                  ? "Bring back with these choices"
                  : how.value === "merge"
                    ? `Merge into ${into}`
                    : `Bring ${plural(picked.length, "file")}`}
            </button>
          </ConfirmBar>
        )
      }
    >
      <div class="sheet-words">
        {state.value === null && problem.value === null && <p class="muted">Looking at what is there…</p>}
        {result.value !== null && <BroughtWords result={result.value} folder={state.value?.folder ?? ""} />}
        {conflicts.length > 0 && (
          <>
            <Conflicts conflicts={conflicts} sides={sides} into={into} />
            <button type="button" class="button soft" disabled={waits} onClick={() => void leave()}>
              Let the session resolve them
            </button>
          </>
        )}
        {state.value !== null && conflicts.length === 0 && !done && (
          <>
            <FilesBack state={state.value} how={how} left={left} />
            {uncommitted && files.length > 0 && (
              <label class="field">
                <span class="muted">Commit message for what is not committed yet</span>
                <textarea
                  class="answer-text"
                  rows={2}
                  value={message.value}
                  onInput={(event) => (message.value = event.currentTarget.value)}
                />
              </label>
            )}
          </>
        )}
        {nothing && !done && <p>There is nothing to bring back: the folder has all of it.</p>}
        {state.value !== null && <StaysHere {...state.value} />}
        {runs && <p class="problem">The agent is working. Stop it first, or wait until it is done.</p>}
        <Problem words={problem.value} />
      </div>
    </Sheet>
  );
}
