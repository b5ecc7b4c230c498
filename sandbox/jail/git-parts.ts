// Decides which git folders are protected by mounts, and which are compared after a command instead. A
// command of another sandbox must not be able to replace a mount point with a link: bubblewrap creates a
// missing mount target, and would create it where the link leads.
import { isAbsolute, join } from "node:path";
import { folded } from "../../shared/editor-names.ts";
import { isInside } from "../paths/inside.ts";
import { isPlainPath } from "../paths/os-path.ts";
import { smallText } from "../workspace/looked-at.ts";
import type { GitFolder, ScannedTree } from "../workspace/scan.ts";

/** The folders in which git keeps other repositories within a repository's folder, and Sapling's settings. */
const nestedIn = /^((modules|worktrees)\/|sl\/config$)/;
/** The parts of the shared folder that commands in a linked worktree write to. */
const sharedParts = /^(objects|refs|logs)(\/|$)/;

/**
 * Whether the entry at a path can be held. In a `.git`, only its direct entries and those in `modules` and
 * `worktrees` can: nobody keeps a repository among git's objects, refs or logs. A folder of another name may
 * look like git's because a command made it so. It is held like any other, except for the parts that it
 * shares with a linked worktree outside this workspace, because commands there write to them. Nothing is held
 * in `elsewhere`, the folders of such worktrees, or at a path that is not UTF-8, because such a path cannot
 * be an argument for bubblewrap.
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

/** Every folder that contains a path, each with the rest of the path. */
function around(path: string): [string, string][] {
  const folders: [string, string][] = path === "" ? [] : [["", path]];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
    folders.push([path.slice(0, end), path.slice(end + 1)]);
  return folders;
}

/**
 * Whether a path is a `.git` or inside one. Decided by name, because anyone who can write to a folder can
 * change its content.
 */
export function isInDotGit(path: string): boolean {
  return path.split("/").some((name) => folded(name) === ".git");
}

/**
 * Whether the path belongs to a nested repository or lies directly in the git folder, where git keeps
 * `config` and the like.
 */
function isNested(rest: string): boolean {
  return nestedIn.test(rest) || !rest.includes("/");
}

/**
 * The git folders of linked worktrees whose files are outside of the workspace: another sandbox may work
 * there.
 */
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

/** Whether a git folder is in the `modules` of another one, where submodules' folders are. */
export function isModule(path: string, { gitFolders }: Pick<ScannedTree, "gitFolders">): boolean {
  return gitFolders.some((around) => {
    const modules = around.path === "" ? "modules/" : `${around.path}/modules/`;
    return path.startsWith(modules);
  });
}
