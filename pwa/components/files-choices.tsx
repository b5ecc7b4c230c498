// Where the files of an imported session come from: one button each, with the whole address in sight. A tap fetches.

import type { SessionRecord } from "../storage/session-record.ts";
import { servedInWords } from "../transfer/give-files.ts";
import { placeInWords } from "../words/git-address.ts";

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
