// What others changed in the same folder: shown apart, counted nowhere, and not to be taken back from here.
import { plural } from "../../shared/session/session-summary.ts";
import { oneLineOf } from "../components/shown-text.ts";
import { DiffHunks } from "../diff/diff-text.tsx";
import type { DiffFile } from "../diff/parse-diff.ts";

export function OtherChanges({ files }: { files: readonly DiffFile[] }) {
  if (files.length === 0) return null;
  return (
    <section aria-label="Also changed here">
      <h2 class="page-words">Also changed here</h2>
      <p class="muted">
        {plural(files.length, "file")}, by other sessions, an editor or git. They are not part of this
        session.
      </p>
      {files.map((file) => (
        <details key={file.path} class="card file">
          <summary>
            <h2>{oneLineOf(file.path)}</h2>
            <span class="time">
              +{file.added}
              {file.removed > 0 && ` −${file.removed}`}
            </span>
          </summary>
          <DiffHunks file={file} />
        </details>
      ))}
    </section>
  );
}
