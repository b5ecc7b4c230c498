// Changes that others made in the same folder. They are shown apart, are not counted, and cannot be taken back from
// here.
import { plural } from "../../shared/session/session-summary.ts";
import { FileCard } from "../diff/file-card.tsx";
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
        <FileCard key={file.path} file={file} />
      ))}
    </section>
  );
}
