// Makes the tree that goes into an archive: the workspace without links that lead out of it.
import { readlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { leadsOut } from "../paths/link-target.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { writeTree } from "./snapshot-tree.ts";

/**
 * Removes links that lead out, because an archive with one could not be unpacked into a workspace again.
 * `tree` must be the tree of the store's index.
 */
export async function withoutLinksOut(store: SnapshotStore, tree: string): Promise<string> {
  const entries = await store.names(["ls-files", "--stage", "-z"]);
  const links = entries.filter((entry) => entry.startsWith("120000 "));
  const paths = links.map((entry) => entry.slice(entry.indexOf("\t") + 1));
  const targets = await Promise.all(paths.map((path) => readlink(join(store.root, path)).catch(() => "")));
  const out = paths.filter((path, at) => leadsOut(dirname(path), targets[at] ?? ""));
  if (out.length === 0) return tree;
  await store.git(["update-index", "-z", "--force-remove", "--stdin"], { input: out.join("\0") });
  return writeTree(store);
}
