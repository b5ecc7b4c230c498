// Explains in a command's result why git or a program could not write a file that the jail keeps read-only.
import type { ExecValue } from "../../shared/sandbox.ts";

const git =
  /could not (?:write|lock) config file|unable to write upstream branch|\.git\b[^\n]*(?:Read-only file system|Device or resource busy)/i;
/**
 * Submodule commands write settings even if nothing changes: `update` rewrites `core.worktree` of each
 * existing submodule.
 */
const submodule = /core\.worktree|submodule path|\.git\/modules\//;
const editor =
  /\.(?:vscode|idea|zed|cursor|claude|codex|agents|devcontainer|envrc|mise\.toml)\b[^\n]*(?:Read-only file system|EROFS|Device or resource busy|EBUSY)|EROFS[^\n]*\.(?:vscode|idea|zed|cursor|claude|codex|agents|devcontainer|envrc|mise\.toml)\b/i;

/** Lines to add at the end of `stderr`; none if the output shows no such failure. */
export function heldBack({ stdout, stderr }: ExecValue): string[] {
  const said = `${stdout}\n${stderr}`;
  return [
    ...(git.test(said)
      ? [
          "[held by the sandbox: git's configuration, hooks and info are read-only here, since git runs what they name. Commits, branches, merges and worktrees work; settings and remotes are for the person's own terminal]",
        ]
      : []),
    ...(git.test(said) && submodule.test(said)
      ? [
          "[`git submodule init`, `sync`, and `update` of a submodule that is there write such settings. `git submodule foreach 'git checkout $sha1'` checks out the recorded commits without them, and `git -c submodule.NAME.url=URL -c submodule.NAME.active=true submodule update NAME` gets one that is missing]",
        ]
      : []),
    ...(editor.test(said)
      ? [
          "[held by the sandbox: settings of editors and shells are read-only here unless the person allows this call to change them]",
        ]
      : []),
  ];
}
