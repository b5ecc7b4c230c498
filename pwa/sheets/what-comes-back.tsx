// Which files an undo changes, and how, before it is done.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { plural } from "../../shared/session/session-summary.ts";
import { inWords } from "../app/app-state.ts";
import { readSince } from "../changes/read-changes.ts";
import { oneLineOf } from "../components/shown-text.ts";
import type { DiffFile } from "../diff/parse-diff.ts";

type FilesSince =
  | { kind: "looking" }
  | { kind: "failed"; message: string }
  | { kind: "seen"; files: DiffFile[] };

/** What has changed in the sandbox since `snapshot`, read once. */
export function useWhatComesBack(sandboxId: string, snapshot: string): Signal<FilesSince> {
  const looked = useSignal<FilesSince>({ kind: "looking" });
  useEffect(() => {
    readSince(sandboxId, snapshot).then(
      ({ files }) => (looked.value = { kind: "seen", files }),
      (error: unknown) => (looked.value = { kind: "failed", message: inWords(error).message }),
    );
  }, [snapshot]);
  return looked;
}

export function WhatComesBack({ looked }: { looked: FilesSince }) {
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
