// The tree of the workspace. A folder is read when it is opened.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Tree as Listing } from "../../shared/api.ts";
import { inWords } from "../app/app-state.ts";
import { listFolder } from "../app/workspace.ts";
import { oneLineOf } from "../components/shown-text.ts";
import { sizeInWords } from "./file-kind.ts";

interface TreeProps {
  sandboxId: string;
  /** "" is the workspace itself. */
  folder: string;
  onFile(path: string): void;
}

type Listed = { kind: "loading" } | { kind: "failed"; message: string } | { kind: "ready"; listing: Listing };

export function Tree({ sandboxId, folder, onFile }: TreeProps) {
  const listed = useSignal<Listed>({ kind: "loading" });
  const read = () => {
    listed.value = { kind: "loading" };
    listFolder(sandboxId, folder).then(
      (listing) => (listed.value = { kind: "ready", listing }),
      (error: unknown) => (listed.value = { kind: "failed", message: inWords(error).message }),
    );
  };
  useEffect(read, [sandboxId, folder]);
  if (listed.value.kind === "loading") return <p class="tree-line muted">Reading…</p>;
  if (listed.value.kind === "failed") {
    return (
      <p class="tree-line muted">
        {listed.value.message}{" "}
        <button type="button" class="text-button" onClick={read}>
          Retry
        </button>
      </p>
    );
  }
  const { entries, truncated } = listed.value.listing;
  if (entries.length === 0) return <p class="tree-line muted">Nothing here but files that git ignores.</p>;
  return (
    <ul>
      {foldersFirst(entries).map((entry) => (
        <li key={entry.path}>
          {entry.type === "dir" ? (
            <Folder sandboxId={sandboxId} folder={entry.path} onFile={onFile} />
          ) : (
            <button type="button" class="tree-line file" onClick={() => onFile(entry.path)}>
              <span class="name">{oneLineOf(nameOf(entry.path))}</span>
              <span class="time">{entry.type === "file" ? sizeInWords(entry.size) : entry.type}</span>
            </button>
          )}
        </li>
      ))}
      {truncated && <li class="muted">There are more than can be listed.</li>}
    </ul>
  );
}

function Folder(props: TreeProps) {
  const open = useSignal(false);
  return (
    <>
      <button
        type="button"
        class="tree-line"
        aria-expanded={open.value}
        onClick={() => (open.value = !open.value)}
      >
        <span class="chevron" aria-hidden="true" />
        <span class="name">{oneLineOf(nameOf(props.folder))}</span>
      </button>
      {open.value && <Tree {...props} />}
    </>
  );
}

function foldersFirst(entries: Listing["entries"]): Listing["entries"] {
  const rank = (type: string) => (type === "dir" ? 0 : 1);
  return [...entries].sort((a, b) => rank(a.type) - rank(b.type) || a.path.localeCompare(b.path));
}

function nameOf(path: string): string {
  return path.replace(/\/$/, "").split("/").at(-1) ?? path;
}
