// Finds settings of editors in folders that nobody opens as a project (packages, git's folder) if a link in
// an opened project leads to them.
import { folded } from "../../shared/editor-names.ts";
import { resolveInside } from "../jail/resolve-inside.ts";
import { entryAt, type FolderEntry, within } from "./looked-at.ts";

export interface ReachedSettings {
  link: FolderEntry;
  /** The folder that the link leads to. */
  target: string;
  editors: FolderEntry[];
}

/** The names in a folder, by kind. */
interface NamesOf {
  folders: readonly string[];
  links: readonly string[];
  editors: readonly string[];
}

/**
 * Whether a path is among packages or in git's folder, by the path alone. Settings there are normal: packages
 * bring some with them, and a branch or a submodule may have the name of one. Sapling reads settings in git's folder.
 */
export function isUnopened(path: string): boolean {
  return path.split("/").some(isUnopenedName) && !/(^|\/)\.git\/sl$/i.test(path);
}

/**
 * One result for each of `links` that leads to such a folder. `folders`: all folders of the workspace, by
 * path.
 */
export function reachedSettings(
  root: string,
  folders: ReadonlyMap<string, NamesOf>,
  links: readonly string[],
): ReachedSettings[] {
  return links.flatMap((path) => {
    const link = entryAt(root, path);
    const target = link && leadsTo(root, path);
    if (!link || target === undefined || !folders.has(target)) return [];
    // Entries added to a set during iteration are visited too.
    const seen = new Set([target]);
    const editors: FolderEntry[] = [];
    for (const at of seen) {
      const known = folders.get(at);
      for (const name of known?.editors ?? []) editors.push(...present(root, within(at, name)));
      for (const name of known?.folders ?? []) if (!isUnopenedName(name)) seen.add(within(at, name));
      for (const name of known?.links ?? []) {
        const next = leadsTo(root, within(at, name));
        if (next !== undefined) seen.add(next);
      }
    }
    return [{ link, target, editors }];
  });
}

/** All editors' settings, each once, including those that only links lead to. */
export function allEditors({
  editors,
  reached,
}: {
  editors: readonly FolderEntry[];
  reached: readonly ReachedSettings[];
}): FolderEntry[] {
  const every = [...editors, ...reached.flatMap((one) => one.editors)];
  return [...new Map(every.map((entry) => [entry.path, entry])).values()];
}

/** The unopened folder that a link leads to; undefined if it leads to none. */
function leadsTo(root: string, link: string): string | undefined {
  const name = link.slice(link.lastIndexOf("/") + 1);
  const { path } = isUnopenedName(name) ? {} : resolveInside(root, link);
  return path !== undefined && isUnopened(path) ? path : undefined;
}

function isUnopenedName(name: string): boolean {
  return name === "node_modules" || folded(name) === ".git";
}

function present(root: string, path: string): FolderEntry[] {
  const entry = entryAt(root, path);
  return entry ? [entry] : [];
}
