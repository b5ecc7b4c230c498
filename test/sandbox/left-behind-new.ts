// Attacks through repositories that a command makes, with settings that start programs: see
// left-behind-attack.ts.
import { type Attack, attack, bare, planted } from "./left-behind-attack.ts";

export const newAttacks: Attack[] = [
  // New repositories.
  attack(
    "a folder called .git with settings, of which the person's git init makes a repository",
    "mkdir -p new/.git/hooks; cp evil new/.git/hooks/pre-commit; printf '[core]\\nfsmonitor = %s/evil\\n' $PWD > new/.git/config",
  ),
  attack(
    "an empty folder called .git, then its settings in another command",
    "mkdir -p new/.git",
    "mkdir new/.git/hooks; cp evil new/.git/hooks/pre-commit; printf '[core]\\nfsmonitor = %s/evil\\n' $PWD > new/.git/config",
  ),
  attack(
    "a repository without HEAD, then its hooks in another command",
    "mkdir -p new/.git/objects new/.git/refs",
    "mkdir -p new/.git/hooks; cp evil new/.git/hooks/post-commit; cp evil new/.git/hooks/pre-commit",
  ),
  attack(
    "settings of a repository that a command before took apart",
    "rm nested/.git/HEAD .git/HEAD",
    "for g in nested/.git .git; do cp evil $g/hooks/pre-commit; printf '[core]\\nfsmonitor = %s/evil\\n' $PWD >> $g/config; done",
  ),
  attack("a new repository's fsmonitor", planted("new", "core.fsmonitor $OLDPWD/evil")),
  attack(
    "a new repository's hooks path",
    "mkdir h; cp evil h/pre-commit; git init -q new; git -C new config core.hooksPath $PWD/h",
  ),
  attack(
    "a new repository's hooks",
    "git init -q new; cp evil new/.git/hooks/pre-commit; cp evil new/.git/hooks/post-commit",
  ),
  attack(
    "a new repository's alias, pager and editor",
    planted("new", "alias.log '!./evil'"),
    "git -C new config core.pager $PWD/evil; git -C new config core.editor $PWD/evil",
  ),
  attack(
    "a new repository's include",
    "printf '[core]\\nfsmonitor = %s\\n' $PWD/evil > inc; git init -q new; git -C new config include.path $PWD/inc",
  ),
  attack(
    "a new repository's filter",
    planted("new", "filter.x.clean $OLDPWD/evil"),
    "echo '* filter=x' > new/.gitattributes; echo b > new/b.txt",
  ),
  attack("a new repository's files elsewhere", "git init -q new; git -C new config core.worktree /etc"),
  attack(
    "settings behind a byte order mark, on one line, continued",
    `git init -q new; printf '\\357\\273\\277[core] fsmonitor = "%s/evil"\\\\\n\n' $PWD >> new/.git/config; printf '\\n[core]\\nfs\\\\\\nmonitor=x\\n[cOrE]FSMonitor=%s/evil' $PWD > new/.git/config`,
  ),
  attack(
    "settings in the old way of naming a section",
    "git init -q new; printf '[filter.x]\\nclean = %s\\n[core]\\nfsmonitor = %s\\n' $PWD/evil $PWD/evil >> new/.git/config; echo '* filter=x' > new/.gitattributes; echo b > new/b",
  ),
  attack(
    "a bare repository of plain names",
    `${bare("plain", "fsmonitor=EVIL")}; sed -i "s|EVIL|$PWD/evil|" plain/config`,
  ),
  attack(
    "a bare repository far below",
    `${bare("a/b/c/d/e/f", "fsmonitor=EVIL")}; sed -i "s|EVIL|$PWD/evil|" a/b/c/d/e/f/config`,
  ),
  attack(
    "a bare repository within packages",
    `${bare("node_modules/x/y", "fsmonitor=EVIL")}; sed -i "s|EVIL|$PWD/evil|" node_modules/x/y/config`,
  ),
  attack(
    "a folder that leads to another by commondir",
    "mkdir -p d c/objects c/refs; cp .git/HEAD d/; printf '[core]\\nrepositoryformatversion=0\\nbare=false\\nworktree=%s\\nfsmonitor=%s/evil\\n' $PWD $PWD > c/config; echo ../c > d/commondir",
  ),
  attack(
    "a repository whose objects and refs are links",
    "mkdir l; cp .git/HEAD l/; ln -s ../.git/objects l/objects; ln -s ../.git/refs l/refs; printf '[core]\\nbare=false\\nworktree=%s\\nfsmonitor=%s/evil\\n' $PWD $PWD > l/config",
  ),
  attack(
    "a .git that is a link to a new repository",
    "git init -q g; git -C g config core.fsmonitor $PWD/evil; mkdir n; ln -s ../g/.git n/.git",
  ),
  attack(
    "a .git file that leads to a new repository",
    "git init -q g; git -C g config core.fsmonitor $PWD/evil; mkdir n; echo gitdir: ../g/.git > n/.git",
  ),
  attack(
    "a folder that the server may not read",
    "git init -q new; git -C new config core.fsmonitor $PWD/evil; chmod 000 new/.git/config; chmod 555 new/.git new",
  ),
  attack(
    "what is made in the background after the end",
    `(for i in $(seq 400); do ${planted("late", "core.fsmonitor $OLDPWD/evil")}; done) >/dev/null 2>&1 & sleep 0.3`,
  ),
  attack(
    "a new repository, then its settings in another command",
    "git init -q new",
    "git -C new config core.fsmonitor $PWD/evil; cp evil new/.git/hooks/pre-commit",
  ),
  attack(
    "a new worktree, then its commondir in another command",
    "git worktree add -q w -b w",
    "git init -q g; git -C g config core.fsmonitor $PWD/evil; echo $PWD/g/.git > .git/worktrees/w/commondir; echo $PWD/g/.git > $(git rev-parse --git-path worktrees/w/commondir)",
  ),
  attack(
    "a new module in a repository without modules",
    "git init -q new; git init -q new/.git/modules/m; git -C new/.git/modules/m config core.fsmonitor $PWD/evil; mkdir new/m; echo gitdir: ../.git/modules/m/.git > new/m/.git",
  ),
  attack(
    "a module whose files are elsewhere",
    "mkdir -p new; git init -q new; git init -q --bare new/.git/modules/m; git -C new/.git/modules/m config core.worktree /etc; git -C new/.git/modules/m config core.bare false; git -C new/.git/modules/m config core.fsmonitor $PWD/evil",
  ),
];
