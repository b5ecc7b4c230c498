// Runs plain git on the host in every folder of a workspace, as a person, an editor or a shell prompt would.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A home that contains only a name. */
export function newHome(base: string): string {
  const home = join(base, "home");
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, ".gitconfig"),
    '[user]\n\tname = Person\n\temail = person@example.org\n[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n',
  );
  return home;
}

function environmentOf(home: string): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" };
}

export function hostGit(home: string, cwd: string, ...args: string[]): string {
  const how = { cwd, env: environmentOf(home), encoding: "utf8", timeout: 20_000 } as const;
  return execFileSync("git", args, { ...how, stdio: ["ignore", "pipe", "pipe"] });
}

/**
 * Usual git commands of people and editors, in every folder. Git may refuse some of them, which does not
 * matter: a program that git started leaves a mark.
 */
const everywhere = `find . -type d -not -path '*/objects/??' -not -path '*/logs/*' -print0 | while IFS= read -r -d '' folder; do
  cd "$root/$folder" || continue
  test ! -d .git -o -e .git/HEAD || git init -q
  git status
  test -e .git -o -e HEAD -o -e commondir || continue
  git log -1; git diff --ext-diff; git st; git commit -qam host --allow-empty
  git commit -q --amend --trailer X:y; git fetch origin; git commit -q --allow-empty
  printf "protocol=https\\nhost=x.invalid\\n\\n" | git credential fill
  test ! -d .git/rebase-merge || git rebase --continue
done`;

export function gitEverywhere(home: string, root: string): void {
  const env = { ...environmentOf(home), root };
  execFileSync("bash", ["-c", everywhere], { cwd: root, env, stdio: "ignore", timeout: 60_000 });
}
