// Which git folders are held by mounts, and which are compared after a command instead.
import { isPlainPath } from "../paths/os-path.ts";
import type { Found } from "../workspace/scan.ts";

/** Where in a repository's folder git keeps other repositories' folders. */
const nestedIn = /^(modules|worktrees)\//;

/**
 * Whether what is at a path can be held. Not what lies among a repository's objects, refs or logs: no person keeps a
 * repository there, and commands of another sandbox, in a linked worktree, could move it away while this jail is made.
 * Nor what bubblewrap cannot be told of: arguments of programs are UTF-8 here.
 */
export function holdable({ gitFolders }: Pick<Found, "gitFolders">): (path: string) => boolean {
  const paths = new Set(gitFolders.map(({ path }) => path));
  return (path) => {
    if (!isPlainPath(path)) return false;
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
      if (paths.has(path.slice(0, end))) return isNested(path.slice(end + 1));
    return path === "" || !paths.has("") || isNested(path);
  };
}

/** Directly in a git folder is what git itself keeps there: `config` and the like. */
function isNested(rest: string): boolean {
  return nestedIn.test(rest) || !rest.includes("/");
}

/** Whether a git folder lies where submodules' folders do: in the `modules` of another one. */
export function isModule(path: string, { gitFolders }: Pick<Found, "gitFolders">): boolean {
  return gitFolders.some((around) => {
    const modules = around.path === "" ? "modules/" : `${around.path}/modules/`;
    return path.startsWith(modules);
  });
}
