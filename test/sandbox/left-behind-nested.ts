// Attacks through the settings of existing repositories below the workspace: see left-behind-attack.ts.
import { type Attack, attack, program } from "./left-behind-attack.ts";

export const nestedAttacks: Attack[] = [
  // Repositories inside the repository.
  attack("a nested repository's settings", `git -C nested config core.fsmonitor ${program}`),
  attack("a nested repository's hooks", "cp evil nested/.git/hooks/pre-commit"),
  attack(
    "a nested repository that was moved",
    "mv nested/.git nested/g; git init -q nested; git -C nested config core.fsmonitor $PWD/evil",
  ),
  attack(
    "a nested repository in a folder that was moved",
    "mv nested away; mkdir nested; cp -r away/.git nested/.git; git -C nested config core.fsmonitor $PWD/evil",
  ),
  attack(
    "a nested repository in the place of a moved one's copy",
    "cp -r nested copy; cp evil copy/.git/hooks/pre-commit; git -C copy config core.fsmonitor $PWD/evil",
  ),
  attack(
    "a submodule's settings",
    "git -C lib config core.fsmonitor $PWD/evil; printf '[core]\\nfsmonitor = %s\\n' $PWD/evil >> .git/modules/lib/config",
  ),
  attack("a submodule's hooks", "cp evil .git/modules/lib/hooks/pre-commit"),
  attack(
    "a submodule's modules folder anew",
    "mv .git/modules .git/m; cp -r .git/m .git/modules; printf '[core]\\nfsmonitor = %s\\n' $PWD/evil >> .git/modules/lib/config",
  ),
  attack(
    "a submodule's .git file",
    "git init -q g; git -C g config core.fsmonitor $PWD/evil; echo gitdir: ../g/.git > lib/.git",
  ),
  attack(
    "a linked worktree's commondir",
    "git init -q g; git -C g config core.fsmonitor $PWD/evil; echo $PWD/g/.git > .git/worktrees/linked/commondir",
  ),
  attack(
    "a linked worktree's settings",
    "printf '[core]\\nfsmonitor = %s\\n' $PWD/evil > .git/worktrees/linked/config.worktree; git config extensions.worktreeConfig true",
  ),
  attack(
    "a linked worktree's .git file",
    "git init -q g; git -C g config core.fsmonitor $PWD/evil; rm -f linked/.git; echo gitdir: $PWD/g/.git > linked/.git",
  ),
  attack(
    "a worktree that was never added",
    "git init -q g; git -C g config core.fsmonitor $PWD/evil; mkdir -p w .git/worktrees/w; cp .git/HEAD .git/worktrees/w/; echo $PWD/g/.git > .git/worktrees/w/commondir; echo $PWD/w/.git > .git/worktrees/w/gitdir; echo gitdir: $PWD/.git/worktrees/w > w/.git",
  ),
  attack(
    "the settings of a bare repository",
    "git -C store.git config core.fsmonitor $PWD/evil; git -C store.git config core.worktree $PWD; git -C store.git config core.bare false",
  ),
  attack(
    "the hooks of a bare repository",
    "cp evil store.git/hooks/pre-commit; cp evil store.git/hooks/update",
  ),
  attack(
    "a .git under another name",
    "git -C renamed --git-dir=g config core.fsmonitor $PWD/evil; printf '[core]\\nfsmonitor = %s\\nworktree = ..\\n' $PWD/evil >> renamed/g/config",
  ),
];
