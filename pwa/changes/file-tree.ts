// Changed files in a tree of folders. Folders come before files, and a folder that contains only one folder shares its
// line. Pure.
import type { DiffFile } from "../diff/parse-diff.ts";

export interface FileTree {
  /** "" for files outside of folders; "src/auth" if `src` contains nothing but `auth`. */
  name: string;
  folders: FileTree[];
  files: { name: string; file: DiffFile }[];
}

export function fileTree(files: readonly DiffFile[]): FileTree {
  const top: FileTree = { name: "", folders: [], files: [] };
  for (const file of files) {
    const parts = file.path.split("/");
    const name = parts.pop() ?? "";
    let at = top;
    for (const part of parts) {
      let next = at.folders.find((folder) => folder.name === part);
      if (next === undefined) {
        next = { name: part, folders: [], files: [] };
        at.folders.push(next);
      }
      at = next;
    }
    at.files.push({ name, file });
  }
  return inOrder(top);
}

function inOrder(folder: FileTree): FileTree {
  return {
    ...folder,
    folders: folder.folders.map(joined).map(inOrder).sort(byName),
    files: [...folder.files].sort(byName),
  };
}

function joined(folder: FileTree): FileTree {
  const [only, ...more] = folder.folders;
  if (only === undefined || more.length > 0 || folder.files.length > 0) return folder;
  return joined({ ...only, name: `${folder.name}/${only.name}` });
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}
