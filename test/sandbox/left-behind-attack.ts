// Commands that leave something which git, an editor or a shell on the host would later run. Each is one line
// of shell in a repository with a nested one, a submodule, a linked worktree and a bare one. `./evil` is a
// program that leaves a mark.

export interface Attack {
  name: string;
  /** They run in order, each as a separate command. */
  commands: string[];
  /** Entries that must not exist afterwards. */
  gone?: string[];
}

export const attack = (name: string, ...commands: string[]): Attack => ({ name, commands });

/** Makes a repository at `$1` whose configuration names the program in the setting `$2`. */
export const planted = (place: string, setting: string) =>
  `git init -q ${place} && (cd ${place}; echo a > a.txt; git add a.txt; git commit -qm a; git config ${setting}); true`;
export const program = '"$PWD/evil"';
export const bare = (place: string, config: string) =>
  `mkdir -p ${place}/objects ${place}/refs/heads && echo 'ref: refs/heads/main' > ${place}/HEAD && printf '[core]\\nrepositoryformatversion=0\\nbare=false\\nworktree=%s\\n${config}\\n' "$PWD" > ${place}/config`;
