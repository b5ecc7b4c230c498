// A changed file that can only be viewed: its name and counts, and its diff after a tap.
import { oneLineOf } from "../components/shown-text.ts";
import { DiffHunks } from "./diff-text.tsx";
import type { DiffFile } from "./parse-diff.ts";

export function FileCard({ file, open = false }: { file: DiffFile; open?: boolean }) {
  return (
    <details class="card file" open={open}>
      <summary>
        <h2>{oneLineOf(file.path)}</h2>
        <span class="time">
          +{file.added}
          {file.removed > 0 && ` −${file.removed}`}
        </span>
      </summary>
      <DiffHunks file={file} />
    </details>
  );
}
