// The changed files as a tree of links, showing which were viewed already.
import { useMemo } from "preact/hooks";
import { plural } from "../../shared/session/session-summary.ts";
import { oneLineOf } from "../components/shown-text.ts";
import type { DiffFile } from "../diff/parse-diff.ts";
import type { OpenSession } from "../session/open-session.ts";
import { type FileTree, fileTree } from "./file-tree.ts";

/** A list with fewer files is read at a glance and need not be folded. */
const worthAList = 3;

/** The exact content that was viewed: a file that changes afterwards has to be viewed again. */
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
  open: boolean;
  onJump(file: DiffFile): void;
}

export function FileList({ files, session, open, onJump }: FileListProps) {
  const tree = useMemo(() => fileTree(files), [files]);
  if (files.length < worthAList) return null;
  const viewed = files.filter((file) => isViewed(session, file)).length;
  return (
    <details class="card file-list" open={open}>
      <summary>
        <b>{plural(files.length, "file")}</b>
        <span class="time">
          {viewed} of {files.length} viewed
        </span>
      </summary>
      <Folder tree={tree} session={session} onJump={onJump} />
    </details>
  );
}

function Folder({ tree, session, onJump }: { tree: FileTree } & Pick<FileListProps, "session" | "onJump">) {
  return (
    <ul class="jump-list">
      {tree.folders.map((folder) => (
        <li key={folder.name}>
          <p class="jump-folder">{oneLineOf(folder.name)}/</p>
          <Folder tree={folder} session={session} onJump={onJump} />
        </li>
      ))}
      {tree.files.map(({ name, file }) => {
        const viewed = isViewed(session, file);
        return (
          <li key={file.path}>
            <button type="button" class="file-jump" title={file.path} onClick={() => onJump(file)}>
              <span class="file-mark" aria-hidden="true">
                {viewed && "✓"}
              </span>
              {viewed && <span class="visually-hidden">viewed: </span>}
              <code class="jump-path">{oneLineOf(name)}</code>
              <span class="time">{figures(file)}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

export function figures({ status, added, removed }: DiffFile): string {
  if (status === "binary") return "binary";
  const word = status === "changed" ? "" : `${status} · `;
  return `${word}+${added}${removed > 0 ? ` −${removed}` : ""}`;
}
