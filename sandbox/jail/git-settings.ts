// Reads the texts of git folders' settings when a command begins.
import * as limits from "../limits.ts";
import { smallText, within } from "../workspace/looked-at.ts";
import type { GitFolder, ScannedTree } from "../workspace/scan.ts";

/** The key of a git folder's settings in a baseline. It stays the same if the folder is moved. */
export function settingsOf({ id }: Pick<GitFolder, "id">, name: string): string {
  return `${id} ${name}`;
}

/** The names of the settings files, spelled as in the folder. */
export function settingsNames({ names }: Pick<GitFolder, "names">): string[] {
  return ["config", "config.worktree"].flatMap((plain) => names.get(plain) ?? []);
}

/** The texts of all settings files, by their key (`settingsOf`). Binary and very long files are left out. */
export function settingsTexts(root: string, { gitFolders }: ScannedTree): Map<string, string> {
  const texts = gitFolders.flatMap((folder) =>
    settingsNames(folder).map((name) => {
      const text = smallText(root, within(folder.path, name), limits.gitConfigBytes);
      return [settingsOf(folder, name), text] as const;
    }),
  );
  return new Map(texts.flatMap(([key, text]) => (text === undefined ? [] : [[key, text] as const])));
}
