// The changed files as a list to jump from, with what was viewed already.
import { plural } from "../../shared/session/session-summary.ts";
import { oneLineOf } from "../components/shown-text.ts";
import type { DiffFile } from "../diff/parse-diff.ts";
import type { OpenSession } from "../session/open-session.ts";

/** Fewer are seen at a glance. */
const worthAList = 3;

/** The very content that was viewed: a file that is changed after that is to be viewed again. */
function contentOf({ seen, added, removed }: DiffFile): string {
  return seen ?? `+${added} −${removed}`;
}

export function isViewed(session: OpenSession, file: DiffFile): boolean {
  return session.draft.value.viewed[file.path] === contentOf(file);
}

export function setViewed(session: OpenSession, file: DiffFile, viewed: boolean): void {
  const { [file.path]: _old, ...others } = session.draft.value.viewed;
  session.setDraft({ viewed: viewed ? { ...others, [file.path]: contentOf(file) } : others });
}

interface FileListProps {
  files: readonly DiffFile[];
  session: OpenSession;
  onJump(file: DiffFile): void;
}

export function FileList({ files, session, onJump }: FileListProps) {
  if (files.length < worthAList) return null;
  const viewed = files.filter((file) => isViewed(session, file)).length;
  return (
    <details class="card file-list">
      <summary>
        <b>{plural(files.length, "file")}</b>
        <span class="time">{viewed} viewed</span>
      </summary>
      <ul>
        {files.map((file) => (
          <li key={file.path}>
            <button type="button" class="file-jump" onClick={() => onJump(file)}>
              <span class="file-mark">
                {isViewed(session, file) && (
                  <>
                    <span aria-hidden="true">✓</span>
                    <span class="visually-hidden">viewed: </span>
                  </>
                )}
              </span>
              <code class="jump-path">{oneLineOf(file.path)}</code>
              <span class="time">
                +{file.added} −{file.removed}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
