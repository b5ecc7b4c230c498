// Which git folders are held by mounts, and which are compared after a command instead. Where a mount is to go must be
// nothing that a command of another sandbox can replace by a link: bubblewrap creates a missing mount target, and would
// create it where the link leads.
import { isAbsolute, join } from "node:path";
import { isInside } from "../paths/inside.ts";
import { isPlainPath } from "../paths/os-path.ts";
import { smallText } from "../workspace/looked-at.ts";
import type { GitFolder, ScannedTree } from "../workspace/scan.ts";

/** Where in a repository's folder git keeps other repositories' folders. */
const nestedIn = /^(modules|worktrees)\//;

/**
 * Whether what is at a path can be held. Not what lies among a repository's objects, refs or logs: no person keeps a
 * repository there, and commands in a linked worktree write there too. Nor what lies in `elsewhere`, the folders of
 * worktrees that are not in this workspace. Nor what bubblewrap cannot be told of: arguments of programs are UTF-8 here.
 */
export function holdable(
  { gitFolders }: Pick<ScannedTree, "gitFolders">,
  elsewhere: readonly GitFolder[] = [],
): (path: string) => boolean {
  const paths = new Set(gitFolders.map(({ path }) => path));
  const others = elsewhere.map(({ path }) => `${path}/`);
  return (path) => {
    if (!isPlainPath(path) || others.some((other) => path.startsWith(other))) return false;
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
      if (paths.has(path.slice(0, end)) && !isNested(path.slice(end + 1))) return false;
    return path === "" || !paths.has("") || isNested(path);
  };
}

/** Directly in a git folder is what git itself keeps there: `config` and the like. */
function isNested(rest: string): boolean {
  return nestedIn.test(rest) || !rest.includes("/");
}

/** Folders of linked worktrees whose files lie outside of the workspace: another sandbox may work there. */
export function worktreesElsewhere(
  root: string,
  mount: string,
  { gitFolders }: Pick<ScannedTree, "gitFolders">,
): GitFolder[] {
  return gitFolders.filter((folder) => {
    if (!/(^|\/)worktrees\/[^/]+$/.test(folder.path)) return false;
    const place = (smallText(root, join(folder.path, "gitdir"), 4_096) ?? "").trim();
    return isAbsolute(place) && !isInside(root, place) && !isInside(mount, place);
  });
}

/** Whether a git folder lies where submodules' folders do: in the `modules` of another one. */
export function isModule(path: string, { gitFolders }: Pick<ScannedTree, "gitFolders">): boolean {
  return gitFolders.some((around) => {
    const modules = around.path === "" ? "modules/" : `${around.path}/modules/`;
    return path.startsWith(modules);
  });
}
