// Shows which files an undo changes, and how, before it is done: the session's own files, and separately those of
// others.
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { plural } from "../../shared/session/session-summary.ts";
import { inWords } from "../app/app-state.ts";
import { readSince, type SeenChanges } from "../changes/read-changes.ts";
import { oneLineOf } from "../components/shown-text.ts";
import { DiffHunks } from "../diff/diff-text.tsx";
import type { DiffFile } from "../diff/parse-diff.ts";

type FilesSince =
  | { kind: "looking" }
  | { kind: "failed"; message: string }
  | { kind: "seen"; changes: SeenChanges };

/**
 * The differences in the sandbox since `snapshot`. They are read once, and again when the turns of `others`, the
 * sessions that run there, have ended: their changes are shown before the undo.
 */
export function useWhatComesBack(
  sandboxId: string,
  snapshot: string,
  others: readonly string[] = [],
): Signal<FilesSince> {
  const looked = useSignal<FilesSince>({ kind: "looking" });
  const atWork = others.length > 0;
  useEffect(() => {
    looked.value = { kind: "looking" };
    readSince(sandboxId, snapshot).then(
      (changes) => (looked.value = { kind: "seen", changes }),
      (error: unknown) => (looked.value = { kind: "failed", message: inWords(error).message }),
    );
  }, [snapshot, atWork]);
  return looked;
}

/** The ticks that the person changed. By default, the session's own files are ticked unless others changed them too. */
export type Ticks = ReadonlySet<string>;

/** The arguments of a restore: own files that stay, and files of others or of both that are put back. */
export function chosen(
  { files, others, mixed }: SeenChanges,
  ticks: Ticks,
): { also: string[]; except: string[] } {
  const turned = (list: readonly DiffFile[], byItself: (path: string) => boolean) =>
    list.flatMap(({ path }) => (ticks.has(path) && byItself(path) ? [path] : []));
  const foreign = [...turned(files, (path) => mixed.has(path)), ...turned(others, () => true)];
  return { also: [...new Set(foreign)], except: turned(files, (path) => !mixed.has(path)) };
}

/**
 * The arguments for what is put back before a turn undoes a step: only the ticked files of others, or of both. The turn
 * puts back the files that only the session changed.
 */
export function alsoChosen(changes: SeenChanges, ticks: Ticks): { also: string[]; except: string[] } {
  const { also } = chosen(changes, ticks);
  // Only the files in `also` are put back here. The turn puts back the others and tells the model.
  return { also, except: changes.files.flatMap(({ path }) => (also.includes(path) ? [] : [path])) };
}

interface WaitsProps {
  /** True if a turn of this session runs. */
  runs: boolean;
  others: readonly string[] | undefined;
}

/** Says why files cannot be put back now; shows nothing if they can. */
export function WaitsForOthers({ runs, others = [] }: WaitsProps) {
  if (runs) return <p class="problem">The agent is working. Stop it first.</p>;
  if (others.length === 0) return null;
  return (
    <p class="problem" role="status">
      Right now {others.join(", ")} {others.length === 1 ? "works" : "work"} in this folder. The files can be
      put back when that has ended.
    </p>
  );
}

interface WhatComesBackProps {
  looked: FilesSince;
  ticks: Signal<Ticks>;
  /** True if the person can leave single files of the session as they are. */
  ownStays?: boolean;
  /** True if an undo is being undone, which brings back the files as they were before it. */
  again?: boolean;
}

export function WhatComesBack({ looked, ticks, ownStays = true, again = false }: WhatComesBackProps) {
  if (looked.kind === "looking") return <p class="muted">Looking at what has changed since…</p>;
  if (looked.kind === "failed") return <p class="problem">{looked.message}</p>;
  const { files, others, mixed, commits } = looked.changes;
  const own = new Set(files.map(({ path }) => path));
  const foreign = others.filter(({ path }) => !own.has(path));
  const row = (file: DiffFile, byItself: boolean, words: ComponentChildren) => (
    <FileBack
      key={file.path}
      file={file}
      byItself={byItself}
      ticks={byItself && !ownStays ? undefined : ticks}
      words={words}
    />
  );
  return (
    <>
      {files.length === 0 ? (
        <p>This session has changed no file since: none is touched.</p>
      ) : (
        <p>
          <b>{plural(files.length, "file")}</b> {files.length === 1 ? "goes" : "go"} back to what{" "}
          {files.length === 1 ? "it was" : "they were"}
          {again && " before the undo"}:
        </p>
      )}
      <ul class="back-list">
        {files.map((file) => {
          const commit = commits.get(file.path);
          const both = mixed.has(file.path);
          return row(
            file,
            !both,
            <>
              {file.status === "new"
                ? "is deleted"
                : file.status === "deleted"
                  ? "comes back"
                  : again
                    ? `+${file.removed} −${file.added} again`
                    : `+${file.added} −${file.removed} reverted`}
              {commit !== undefined && !again && <> · committed: {oneLineOf(commit)}; the commit stays</>}
              {both && " · others changed the same lines: it stays unless you tick it"}
            </>,
          );
        })}
      </ul>
      {foreign.length > 0 && (
        <>
          <p>
            <b>Also changed here</b>, by other sessions, an editor or git. They stay unless you tick them:
          </p>
          <ul class="back-list">
            {foreign.map((file) => row(file, false, `+${file.added} −${file.removed}`))}
          </ul>
        </>
      )}
    </>
  );
}

interface FileBackProps {
  file: DiffFile;
  byItself: boolean;
  ticks: Signal<Ticks> | undefined;
  words: ComponentChildren;
}

function FileBack({ file, byItself, ticks, words }: FileBackProps) {
  const name = <code>{oneLineOf(file.path)}</code>;
  const turn = () => {
    if (ticks === undefined) return;
    const next = new Set(ticks.value);
    if (!next.delete(file.path)) next.add(file.path);
    ticks.value = next;
  };
  return (
    <li>
      {ticks === undefined ? (
        name
      ) : (
        <label>
          <input type="checkbox" checked={ticks.value.has(file.path) !== byItself} onChange={turn} /> {name}
        </label>
      )}{" "}
      <span class="muted">{words}</span>
      <details>
        <summary class="muted">What changes</summary>
        <DiffHunks file={file} />
      </details>
    </li>
  );
}
