// For a command that may or may not have run: what has changed in the workspace since its step began.
import { useEffect, useState } from "preact/hooks";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { api, inWords } from "../app/app-state.ts";
import { FileCard } from "../diff/file-card.tsx";
import { type DiffFile, parseDiff } from "../diff/parse-diff.ts";
import type { OpenSession } from "../session/open-session.ts";

type WorkspaceChanges =
  | { kind: "looking" }
  | { kind: "failed"; message: string }
  | { kind: "seen"; files: DiffFile[] };

export function WorkspaceNow({ session, open = false }: { session: OpenSession; open?: boolean }) {
  const [looked, setLooked] = useState<WorkspaceChanges>({ kind: "looking" });
  const [tries, setTries] = useState(0);
  const { sandboxId } = session.record.value;
  const { snapshot, words } = beginning(session.settled.value.head.plan);
  useEffect(() => {
    let left = false;
    setLooked({ kind: "looking" });
    api.diff(sandboxId, snapshot).then(
      (text) => left || setLooked({ kind: "seen", files: parseDiff(text) }),
      (error: unknown) => left || setLooked({ kind: "failed", message: inWords(error).message }),
    );
    return () => {
      left = true;
    };
  }, [sandboxId, snapshot, tries]);
  if (looked.kind === "looking") return <p class="muted">Looking at the workspace…</p>;
  const again = (
    <button type="button" class="text-button inline" onClick={() => setTries(tries + 1)}>
      Refresh
    </button>
  );
  if (looked.kind === "failed") {
    return (
      <p class="muted">
        {looked.message} {again}
      </p>
    );
  }
  return (
    <>
      <p class="muted">
        {looked.files.length === 0 ? `No file has changed since ${words}.` : `Changed since ${words}:`}{" "}
        {again}
      </p>
      {looked.files.map((file) => (
        <FileCard key={file.path} file={file} open={open || looked.files.length === 1} />
      ))}
    </>
  );
}

/** The snapshot of the running step; if there is none, that of the session's beginning. */
function beginning(plan: Plan | null): { snapshot: string | undefined; words: string } {
  const at = plan?.steps.findIndex((step) => step.status === "active" && step.snapshot !== undefined) ?? -1;
  return at < 0
    ? { snapshot: undefined, words: "the session began" }
    : { snapshot: plan?.steps[at]?.snapshot, words: `step ${at + 1} began` };
}
