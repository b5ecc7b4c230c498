// The files of a commit and their parts, each with a tick.
import type { Signal } from "@preact/signals";
import { isIn, type LeftOut, partsOf, shareOf, turned } from "../changes/chosen-files.ts";
import { figures } from "../changes/file-list.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import type { DiffFile } from "../diff/parse-diff.ts";

/** This many lines of a part are shown, so that it can be recognized. */
const shownLines = 6;

export function CommitFiles({ files, left }: { files: readonly DiffFile[]; left: Signal<LeftOut> }) {
  return (
    <ul class="tick-list" aria-label="Files of the commit">
      {files.map((file) => (
        <li key={file.path}>
          <label>
            <input
              type="checkbox"
              checked={shareOf(left.value, file) !== "none"}
              ref={(box) => {
                if (box) box.indeterminate = shareOf(left.value, file) === "some";
              }}
              onChange={() => (left.value = turned(left.value, file, partsOf(file)))}
            />
            <code>{oneLineOf(file.path)}</code>
          </label>
          <span class="muted">{figures(file)}</span>
          {file.hunks.length > 1 && <Parts file={file} left={left} />}
        </li>
      ))}
    </ul>
  );
}

function Parts({ file, left }: { file: DiffFile; left: Signal<LeftOut> }) {
  return (
    <details>
      <summary class="muted">{file.hunks.length} parts</summary>
      {file.hunks.map((hunk, at) => {
        const changed = hunk.lines.filter(({ kind }) => kind !== "same");
        return (
          <label key={at} class="conflict">
            <input
              type="checkbox"
              aria-label={`Part ${at + 1} of ${file.path}`}
              checked={isIn(left.value, file, at + 1)}
              onChange={() => (left.value = turned(left.value, file, [at + 1]))}
            />{" "}
            Part {at + 1}, line {changed[0]?.number ?? 1}
            <pre>
              {changed
                .slice(0, shownLines)
                .map(({ kind, text }) => `${kind === "added" ? "+" : "−"} ${text}`)
                .join("\n")}
              {changed.length > shownLines && "\n…"}
            </pre>
          </label>
        );
      })}
    </details>
  );
}
