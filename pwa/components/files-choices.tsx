// The sources from which an imported session can get its files, each a button with the whole address, and the bar of a
// session that has no files yet. Nothing is fetched without a tap.

import { useState } from "preact/hooks";
import { giveFiles, servedInWords } from "../app/create-session.ts";
import type { OpenSession } from "../session/open-session.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { placeInWords } from "../words/repository.ts";
import { Problem } from "./problem.tsx";

export interface FilesChoicesProps {
  claims: SessionRecord["claims"];
  busy: boolean;
  onPick(which: "clone" | "served"): void;
}

export function FilesChoices({ claims, busy, onPick }: FilesChoicesProps) {
  return (
    <>
      {claims !== undefined && (
        <button type="button" class="choice" disabled={busy} onClick={() => onPick("clone")}>
          <b>Clone {placeInWords(claims.git)}</b>
          <span class="muted">
            {claims.git}
            {claims.ref !== undefined && ` · ${claims.ref}`}
          </span>
        </button>
      )}
      <button type="button" class="choice" disabled={busy} onClick={() => onPick("served")}>
        <b>{servedInWords()}</b>
        <span class="muted">what your own server gives a new session</span>
      </button>
    </>
  );
}

export function WithoutFiles({ session }: { session: OpenSession }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const give = async (which: "clone" | "served") => {
    setBusy(true);
    setProblem(null);
    try {
      await giveFiles(session.record.value, which);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <div class="choices">
      <p class="bar-words" role="status">
        {busy
          ? "Preparing files…"
          : "This session has no files here. You can read it; to continue it, choose its files:"}
      </p>
      <Problem words={problem} />
      <FilesChoices
        claims={session.record.value.claims}
        busy={busy || !session.writes.value}
        onPick={(which) => void give(which)}
      />
    </div>
  );
}
