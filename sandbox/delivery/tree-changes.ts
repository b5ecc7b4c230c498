// The differences between two trees of a repository, and the refusal of a nested repository.
import { HandrailError } from "../../shared/errors.ts";
import type { RepositoryGit } from "../worktrees/repository-git.ts";

/** A file as `to` has it; "0" if it has none. `was`: its mode in `from`, after a colon. */
export interface TreeEntry {
  path: string;
  was: string;
  mode: string;
  id: string;
}

export async function treeChanges(git: RepositoryGit, from: string, to: string): Promise<TreeEntry[]> {
  const raw = await git.names("diff-tree", "-r", "--raw", "-z", "--no-renames", from, to);
  return raw.flatMap((field, at) => {
    const [was = "", mode = "", , id = ""] = field.split(" ");
    return at % 2 === 0 ? [{ path: raw[at + 1] ?? "", was, mode: mode === "000000" ? "0" : mode, id }] : [];
  });
}

/** Git stores only a commit id for it, and none of its files. */
export function isRepository(path: string): HandrailError {
  return new HandrailError("invalid_request", `${path} is a repository of its own: leave it out.`);
}
