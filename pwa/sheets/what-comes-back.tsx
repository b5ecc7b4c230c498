// Which files an undo changes, and how, before it is done.
import { plural } from "../../shared/session/session-summary.ts";
import { oneLineOf } from "../components/shown-text.ts";
import type { DiffFile } from "../diff/parse-diff.ts";

export type StepChanges =
  | { kind: "looking" }
  | { kind: "failed"; message: string }
  | { kind: "seen"; files: DiffFile[] };

export function WhatComesBack({ looked }: { looked: StepChanges }) {
  if (looked.kind === "looking") return <p class="muted">Looking at what has changed since…</p>;
  if (looked.kind === "failed") return <p class="problem">{looked.message}</p>;
  if (looked.files.length === 0) return <p>No file has changed since: none is touched.</p>;
  return (
    <>
      <p>
        <b>{plural(looked.files.length, "file")}</b> {looked.files.length === 1 ? "goes" : "go"} back to what{" "}
        {looked.files.length === 1 ? "it was" : "they were"}:
      </p>
      <ul class="back-list">
        {looked.files.map(({ path, status, added, removed }) => (
          <li key={path}>
            <code>{oneLineOf(path)}</code>{" "}
            <span class="muted">
              {status === "new"
                ? "is deleted"
                : status === "deleted"
                  ? "comes back"
                  : `+${added} −${removed} taken back`}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
