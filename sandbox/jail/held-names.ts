// Finds the places that git's settings name or that an editor's link leads to. The op `change` must not write
// there, just as a command's jail keeps them read-only.
import { isInside } from "../paths/inside.ts";
import { within } from "../workspace/looked-at.ts";
import type { ScannedTree } from "../workspace/scan.ts";
import type { NamedPath } from "./named-by-settings.ts";
import { heldInGit } from "./protected-names.ts";
import { resolveInside } from "./resolve-inside.ts";

/** Real places relative to the workspace. */
export function heldNames(
  root: string,
  found: Pick<ScannedTree, "gitFolders" | "editors">,
  named: readonly NamedPath[],
): string[] {
  const parts = found.gitFolders.flatMap(({ path, names }) =>
    heldInGit.flatMap((plain) => names.get(plain) ?? []).map((name) => within(path, name)),
  );
  const linked = [...parts, ...found.editors.map(({ path }) => path)]
    .map((path) => resolveInside(root, path))
    .filter(({ links }) => links.length > 0);
  const direct = named.filter(({ maybe }) => !maybe).map(({ path }) => resolveInside(root, path));
  return [...linked, ...direct].flatMap(({ path }) => (path ? [path] : []));
}

/** Whether a change of `path` would change one of the held places. */
export function isHeldName(path: string, held: readonly string[]): boolean {
  return held.some((place) => isInside(place, path) || isInside(path, place));
}
