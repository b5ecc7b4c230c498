// Follows a path of a workspace and records every link on the way.
import { lstatSync, readlinkSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { isInside } from "../paths/inside.ts";
import { osPath } from "../paths/os-path.ts";
import { entryAt } from "../workspace/looked-at.ts";

export interface Resolved {
  /** Relative to the workspace; undefined if the path leads out of it or in circles. */
  path: string | undefined;
  /** Device and inode of the target; "" if nothing is there. */
  id: string;
  /** Links that were followed: their real places, relative to the workspace. */
  links: string[];
}

/** Linux follows at most this many. */
const mostLinks = 40;

/** `path`: relative to the real path `root`. */
export function resolveInside(root: string, path: string): Resolved {
  const links: string[] = [];
  const left = path.split("/");
  let at = root;
  while (left.length > 0) {
    const name = left.shift() ?? "";
    const next = join(at, name);
    if (!isInside(root, next)) return { path: undefined, id: "", links };
    const target = linkAt(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    links.push(relative(root, next));
    if (links.length > mostLinks) return { path: undefined, id: "", links };
    if (isAbsolute(target)) {
      at = root;
      left.unshift(...relative(root, target).split("/"));
    } else left.unshift(...target.split("/"));
  }
  const inside = relative(root, at);
  return { path: inside, id: entryAt(root, inside)?.id ?? "", links };
}

function linkAt(path: string): string | undefined {
  try {
    return lstatSync(osPath(path)).isSymbolicLink() ? readlinkSync(osPath(path)) : undefined;
  } catch {
    return undefined;
  }
}
