// Keeps the op `change` from writing certain files: settings that editors and shells run, and files that
// would make a folder a repository.
import { dirname } from "node:path";
import { folded, namesEditorSettings } from "../../../shared/editor-names.ts";
import { HandrailError } from "../../../shared/errors.ts";
import { isHeldName } from "../../jail/held-names.ts";
import { looksLikeGit } from "../../jail/protected-names.ts";
import { shown } from "../../paths/relative-path.ts";
import { namesIn } from "../../workspace/looked-at.ts";

export interface PlainOptions {
  /** Real path of the workspace. */
  root: string;
  /** The person allows changes to settings of editors and to files that git's settings name. */
  editors: boolean;
  /** Places that git's settings or links name; see held-names.ts. */
  held: readonly string[];
  /** Folders of packages that a link leads to. Editors read settings there too. */
  reached: readonly string[];
}

/** `paths`: the real places of the files, relative to the workspace. Throws `forbidden`. */
export function mustBePlain(paths: readonly string[], { root, editors, held, reached }: PlainOptions): void {
  for (const path of paths) {
    if (!editors && isHeldName(path, held))
      throw new HandrailError(
        "forbidden",
        `${shown(path)} is what git's settings or a link of an editor's name: git or an editor on this machine runs it. It is changed only where the person allows this call: \`editors\` says that they did.`,
      );
    const within = reached.filter((folder) => path.startsWith(`${folder}/`));
    const seen = [path, ...within.map((folder) => path.slice(folder.length + 1))];
    if (!editors && seen.some(namesEditorSettings))
      throw new HandrailError(
        "forbidden",
        `${shown(path)} is a setting that editors or shells on this machine run. It is changed only where the person allows this call: \`editors\` says that they did.`,
      );
    const git = foldersAbove(path).find((folder) => isGit(root, folder, paths));
    if (git !== undefined)
      throw new HandrailError(
        "forbidden",
        `${shown(path)} is part of a git repository's own folder, or would make one. Use git instead.`,
      );
  }
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [""] : [...foldersAbove(folder), folder];
}

/** Whether git would treat the folder as a repository once all of `paths` exist. */
function isGit(root: string, folder: string, paths: readonly string[]): boolean {
  const before = folder === "" ? "" : `${folder}/`;
  const coming = paths.filter((path) => path.startsWith(before)).map((path) => path.slice(before.length));
  const names = [...namesIn(root, folder), ...coming.map((path) => path.split("/")[0] ?? "")];
  return looksLikeGit(new Set(names.map(folded)));
}
