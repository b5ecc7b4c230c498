// Shows where a session's work is, and delivers it from the sandbox: the branch, which can be named, a push, a patch,
// and an archive.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { branchNameOf } from "../../shared/branch-name.ts";
import type { GitState } from "../../shared/delivery.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { api, inWords } from "../app/app-state.ts";
import { commit, gitState } from "../app/delivery.ts";
import { download, readArchive, readBundle } from "../app/workspace.ts";
import { newId } from "../browser/ids.ts";
import { openSheet } from "../browser/sheet.ts";
import { ConfirmBar } from "../components/confirm-bar.tsx";
import { MenuGroup, MenuRow } from "../components/menu-row.tsx";
import { Problem } from "../components/problem.tsx";
import { Sheet } from "../components/sheet.tsx";
import type { OpenSession } from "../session/open-session.ts";

export function BranchSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const { sandboxId, workspace, title } = session.record.value;
  const { plan } = session.settled.value.head;
  const git = useSignal<GitState | null>(null);
  const name = useSignal<string | null>(null);
  const busy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const key = useSignal(newId());
  useEffect(() => {
    void gitState(sandboxId).then(
      (state) => (git.value = state),
      (error: unknown) => (problem.value = inWords(error).message),
    );
  }, [sandboxId]);
  const on = git.value?.branch ?? "";
  const said = session.draft.value.text.trim() || (title === "New session" ? "" : title);
  const isDefault = [git.value?.defaultBranch, "main", "master", ""].includes(on);
  const value = name.value ?? (isDefault ? branchNameOf(plan?.goal || said) : on);
  const work = async (what: () => Promise<unknown>) => {
    busy.value = true;
    problem.value = null;
    await what().catch((error: unknown) => (problem.value = inWords(error).message));
    busy.value = false;
  };
  const change = () =>
    work(async () => {
      await commit(sandboxId, { key: key.value, branch: value.trim(), paths: [] });
      key.value = newId();
      await session.measureChanges();
      onClose();
    });
  const patchName = `${workspace}-${on || "changes"}`.replace(/[^\w.-]+/g, "-");
  const patch = async () => {
    const answer = await api.send(`/sandboxes/${sandboxId}/diff`);
    const text = await answer.text();
    if (answer.headers.get("x-handrail-truncated") === "true")
      throw new Error("This session changed more than fits into a patch here. Download the files instead.");
    if (text === "") throw new Error("This session has changed nothing yet.");
    return new File([text], `${patchName}.patch`, { type: "text/x-diff" });
  };
  const share = async () => {
    const file = await patch();
    // Not every browser can share files; every browser that can share at all can share text.
    const what = navigator.canShare?.({ files: [file] }) ? { files: [file] } : { text: await file.text() };
    await navigator.share(what).catch((error: unknown) => {
      if (!(error instanceof Error && error.name === "AbortError")) throw error;
    });
  };
  const runs = session.outbox.value.turn !== null;
  const { ahead = 0, behind = 0, upstream = null, remote = null } = git.value ?? {};
  return (
    <Sheet
      title="Branch"
      subtitle={git.value === null ? undefined : on || "no branch (detached HEAD)"}
      onClose={onClose}
      bar={
        <ConfirmBar onCancel={onClose}>
          <button
            type="button"
            class="button go grow"
            disabled={
              git.value === null || busy.value || runs || value.trim() === on || !session.writes.value
            }
            onClick={() => void change()}
          >
            {isDefault ? "Create this branch" : "Change the branch"}
          </button>
        </ConfirmBar>
      }
    >
      <div class="sheet-words">
        <label class="field">
          <span class="muted">{isDefault ? "New branch from the current commit" : "Its name"}</span>
          <input
            class="answer-text"
            value={value}
            autocapitalize="none"
            spellcheck={false}
            disabled={git.value === null}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </label>
        {git.value !== null && (
          <p class="muted">
            {ahead === 0 ? "No commit" : plural(ahead, "commit")} that{" "}
            {upstream === null ? "no remote has" : `${upstream} does not have`}
            {behind > 0 && `, and ${plural(behind, "commit")} of it are not here`}. Another name moves no
            file.
          </p>
        )}
        {runs && <p class="problem">The agent is working. Stop it first, or wait until it is done.</p>}
        <Problem words={problem.value} />
      </div>
      <MenuGroup>
        {remote !== null && on !== "" && (
          <MenuRow
            icon="export"
            title="Push…"
            words={`to ${remote.host}`}
            onPick={() => openSheet({ kind: "push", branch: on })}
          />
        )}
        <MenuRow
          icon="copy"
          title="Download as patch"
          words="what this session changed, committed or not"
          onPick={() => void work(async () => patch().then((file) => download(file, file.name)))}
        />
        {"share" in navigator && (
          <MenuRow icon="export" title="Share the patch" words="" onPick={() => void work(share)} />
        )}
        {ahead > 0 && (
          <MenuRow
            icon="archive"
            title="Download as git bundle"
            words={`${plural(ahead, "commit")}, for git pull on another machine`}
            onPick={() => void work(async () => download(await readBundle(sandboxId), `${patchName}.bundle`))}
          />
        )}
        <MenuRow
          icon="archive"
          title="Download as tar.gz"
          words="all files, without what git ignores"
          onPick={() => void work(async () => download(await readArchive(sandboxId), `${patchName}.tar.gz`))}
        />
      </MenuGroup>
    </Sheet>
  );
}
