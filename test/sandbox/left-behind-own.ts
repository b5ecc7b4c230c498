// Attacks through the settings of the workspace's own repository: see left-behind-attack.ts.
import { type Attack, attack, bare, program } from "./left-behind-attack.ts";

export const ownAttacks: Attack[] = [
  attack("core.fsmonitor", `git config core.fsmonitor ${program}`),
  attack(
    "core.fsmonitor, written by hand",
    `printf '[core]\\n\\tfsmonitor = %s\\n' ${program} >> .git/config`,
  ),
  attack(
    "core.fsmonitor in the file that takes the place of the old one",
    "cp .git/config c; printf '[core]\\nfsmonitor = %s\\n' $PWD/evil >> c; mv -f c .git/config",
  ),
  attack("core.hooksPath", "mkdir h; cp evil h/pre-commit; git config core.hooksPath $PWD/h"),
  attack("core.pager and pager.log", "git config core.pager $PWD/evil; git config pager.log $PWD/evil"),
  attack("core.editor", "git config core.editor $PWD/evil; git config sequence.editor $PWD/evil"),
  attack("an alias that hides a verb", "git config alias.st '!./evil'; git config alias.c '!./evil'"),
  attack(
    "an include",
    "printf '[core]\\nfsmonitor = %s\\n' $PWD/evil > inc; git config include.path ../inc; git config includeIf.gitdir:/.path $PWD/inc",
  ),
  attack(
    "a clean filter",
    "git config filter.x.clean $PWD/evil; git config filter.x.smudge $PWD/evil; echo '* filter=x' > .gitattributes",
  ),
  attack(
    "a process filter",
    "git config filter.x.process $PWD/evil; echo '*.txt filter=x' > .gitattributes; touch a.txt",
  ),
  attack(
    "a diff driver",
    "git config diff.x.command $PWD/evil; git config diff.x.textconv $PWD/evil; echo '* diff=x' > .gitattributes; echo more >> a.txt",
  ),
  attack("an external diff", "git config diff.external $PWD/evil; echo more >> a.txt"),
  attack("a signing program", "git config gpg.program $PWD/evil; git config commit.gpgSign true"),
  attack("a credential helper", "git config credential.helper '!./evil'"),
  attack("the trailers of a commit", "git config trailer.x.command $PWD/evil; git config trailer.x.key X"),
  attack(
    "a hook",
    "cp evil .git/hooks/pre-commit; cp evil .git/hooks/post-index-change; cp evil .git/hooks/prepare-commit-msg",
  ),
  attack(
    "a hook in a folder that takes the place of the old one",
    "rm -rf .git/hooks; mkdir -p .git/hooks; cp evil .git/hooks/pre-commit",
  ),
  attack("a hook behind a link", "mkdir h; cp evil h/pre-commit; rm -rf .git/hooks; ln -s ../h .git/hooks"),
  attack(
    "a hook by moving the folder of hooks",
    "mkdir h; cp evil h/pre-commit; mv .git/hooks .git/old; mv h .git/hooks",
  ),
  attack(
    "a sample that becomes a hook",
    "cd .git/hooks; cat ../../evil > pre-commit.sample; mv pre-commit.sample pre-commit",
  ),
  attack(
    "settings of the worktree",
    "git config extensions.worktreeConfig true; printf '[core]\\nfsmonitor = %s\\n' $PWD/evil > .git/config.worktree",
  ),
  attack(
    "a commondir in the main .git",
    "mkdir -p c/objects c/refs; printf '[core]\\nrepositoryformatversion=0\\nfsmonitor = %s\\n' $PWD/evil > c/config; cp -r .git/refs .git/objects c/; echo $PWD/c > .git/commondir",
  ),
  attack(
    "another .git while the old one is put aside",
    "mv .git old; git init -q . && git config core.fsmonitor $PWD/evil",
  ),
  attack(
    "another .git after the old one was taken apart",
    "rm -rf .git; git init -q . 2>/dev/null; git config core.fsmonitor $PWD/evil",
  ),
  attack(
    "a .git file in place of the folder",
    `${bare("g", "fsmonitor=%s")}; sed -i "s|%s|$PWD/evil|" g/config; rm -rf .git; mv .git old; echo "gitdir: $PWD/g" > .git`,
  ),
  attack(
    "a link in place of .git",
    "git init -q g; git -C g config core.fsmonitor $PWD/evil; mv .git old; ln -s g/.git .git",
  ),
  attack(
    "settings through the lock file",
    "printf '[core]\\nfsmonitor = %s\\n' $PWD/evil > .git/config.lock; mv .git/config.lock .git/config",
  ),
  attack(
    "attributes that git keeps for itself",
    "mkdir -p .git/info; echo '* diff=x filter=x' > .git/info/attributes; git config diff.x.textconv $PWD/evil; echo more >> a.txt",
  ),
  attack("git's old place for remotes", "mkdir .git/remotes; echo URL: ssh://x/y > .git/remotes/planted"),
  attack(
    "a rebase that goes on with a program",
    "git commit -qm two --allow-empty; echo x > c.txt; git add c.txt; git commit -qm c; GIT_SEQUENCE_EDITOR=\"sed -i -e '1i break' -e '$ a exec $PWD/evil'\" git rebase -i HEAD~1",
  ),
  attack(
    "a rebase that was never begun",
    "mkdir .git/rebase-merge; cd .git/rebase-merge; git rev-parse HEAD > onto; git rev-parse HEAD > orig-head; echo refs/heads/main > head-name; echo x $OLDPWD/evil > git-rebase-todo; touch interactive done; echo 1 > end; echo 0 > msgnum",
  ),
  attack(
    "a message file that is a link to the person's own",
    "rm -f .git/COMMIT_EDITMSG .git/MERGE_MSG; ln -s $OUTSIDE .git/COMMIT_EDITMSG; echo x > .git/MERGE_MSG",
  ),
  attack(
    "a log that is a link to the person's own file",
    "rm -f .git/logs/HEAD; ln -s $OUTSIDE .git/logs/HEAD",
  ),
  attack(
    "a log of a branch that is a link",
    "rm -rf .git/logs/refs; mkdir -p .git/logs/refs/heads; ln -s $OUTSIDE .git/logs/refs/heads/main",
  ),
  {
    ...attack(
      "objects of another repository, and a lock on the settings",
      "mkdir -p .git/objects/info; dirname $OUTSIDE > .git/objects/info/alternates; touch .git/config.lock",
    ),
    gone: [".git/objects/info/alternates", ".git/config.lock"],
  },
  attack("a ref that is a link", "ln -s $OUTSIDE .git/ORIG_HEAD; ln -s $OUTSIDE .git/index.lock"),
];
