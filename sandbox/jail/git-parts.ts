// Which git folders are protected by mounts, and which are compared after a command instead. No command of another sandbox
// may be able to replace a mount's place by a link: bubblewrap creates a missing mount target, and would create it where the
// link leads.
import { isAbsolute, join } from "node:path";
import { folded } from "../../shared/editor-names.ts";
import { isInside } from "../paths/inside.ts";
import { isPlainPath } from "../paths/os-path.ts";
import { smallText } from "../workspace/looked-at.ts";
import type { GitFolder, ScannedTree } from "../workspace/scan.ts";

/** Where in a repository's folder git keeps other repositories' folders. */
const nestedIn = /^(modules|worktrees)\//;
/** What commands in a linked worktree write to in the folder that it shares. */
const sharedParts = /^(objects|refs|logs)(\/|$)/;

/**
 * Whether what is at a path can be held. It cannot among the objects, refs or logs of a `.git`: no person keeps a
 * repository there. A folder of another name may look like git's because a command made it so, and is held like any
 * other, except for what a linked worktree outside this workspace shares with it: commands there write to that. Nothing
 * is held in `elsewhere`, the folders of such worktrees, nor what bubblewrap cannot be told of: its arguments are UTF-8.
 */
export function holdable(
  root: string,
  { gitFolders }: Pick<ScannedTree, "gitFolders">,
  elsewhere: readonly GitFolder[] = [],
): (path: string) => boolean {
  const own = new Set(gitFolders.map(({ path }) => path).filter((path) => isInDotGit(join(root, path))));
  const others = elsewhere.map(({ path }) => `${path}/`);
  const shared = new Set(elsewhere.map(({ path }) => path.replace(/\/?worktrees\/[^/]+$/, "")));
  return (path) => {
    if (!isPlainPath(path) || others.some((other) => path.startsWith(other))) return false;
    return around(path).every(([folder, rest]) => {
      if (shared.has(folder) && sharedParts.test(rest)) return false;
      return !own.has(folder) || isNested(rest);
    });
  };
}

/** Every folder that contains a path, with the rest of the path. */
function around(path: string): [string, string][] {
  const folders: [string, string][] = path === "" ? [] : [["", path]];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
    folders.push([path.slice(0, end), path.slice(end + 1)]);
  return folders;
}

/** Whether a path is a `.git` or is in one. Decided by name: anybody who can write to a folder can change its content. */
export function isInDotGit(path: string): boolean {
  return path.split("/").some((name) => folded(name) === ".git");
}

/** Directly in a git folder is what git itself keeps there: `config` and the like. */
function isNested(rest: string): boolean {
  return nestedIn.test(rest) || !rest.includes("/");
}

/** Folders of linked worktrees with their files outside of the workspace: another sandbox may work there. */
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

/** Whether a git folder contains submodules' folders: it is in the `modules` of another one. */
export function isModule(path: string, { gitFolders }: Pick<ScannedTree, "gitFolders">): boolean {
  return gitFolders.some((around) => {
    const modules = around.path === "" ? "modules/" : `${around.path}/modules/`;
    return path.startsWith(modules);
  });
}
