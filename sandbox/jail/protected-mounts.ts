// Protects existing files before a command begins. The arguments that it makes for bubblewrap follow the
// workspace's own mount. They keep git's and editors' settings from being written, replaced or moved away,
// and make the host's sockets unreachable.
import { lstatSync, mkdirSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { folded } from "../../shared/editor-names.ts";
import { HandrailError } from "../../shared/errors.ts";
import * as limits from "../limits.ts";
import { isPlainPath } from "../paths/os-path.ts";
import { entryAt, type FolderEntry, namesIn, treeMark, within } from "../workspace/looked-at.ts";
import { allEditors } from "../workspace/reached-settings.ts";
import type { GitFolder, GitNames, ScannedTree } from "../workspace/scan.ts";
import type { Baseline } from "./baseline.ts";
import type { HeldPlace } from "./checked-binds.ts";
import { holdable, worktreesElsewhere } from "./git-parts.ts";
import { settingsTexts } from "./git-settings.ts";
import type { NamedPath } from "./named-by-settings.ts";
import { alternates, heldInGit } from "./protected-names.ts";
import { resolveInside } from "./resolve-inside.ts";
import { type HeldEntries, type HeldEntry, isSteady } from "./running-holds.ts";

export interface Hold {
  baseline: Baseline;
  args: string[];
  /** The entries that the mounts must show; this is compared inside the jail. */
  places: HeldPlace[];
  /** Everything that is mounted or masked; see running-holds.ts. */
  entries: HeldEntries;
}

export interface HoldOptions {
  root: string;
  /** Path at which the command sees the workspace. */
  mount: string;
  /** The person lets this command write to editors' folders and to the files that git's settings name. */
  editors: boolean;
  /** The paths in the workspace that git's settings name. */
  named: readonly NamedPath[];
  /**
   * Whether an earlier command made the entry and nobody has changed it since, so that a command may remove
   * it.
   */
  ours(entry: FolderEntry): boolean;
  /**
   * true = other commands begin while this one runs, and must be able to mount the same entries. So the
   * folders above them are held in place.
   */
  background?: boolean | undefined;
}

/** Throws `too_large` if there are more entries than can be held. */
export function hold(found: ScannedTree, options: HoldOptions): Hold {
  const { root, mount, ours, editors, background } = options;
  const baseline: Baseline = {
    ...{ held: new Set(), git: new Map(), left: new Set(), there: new Set() },
    ...{ links: new Map(), named: new Map(), paths: new Set(), configs: settingsTexts(root, found) },
  };
  for (const { id } of found.deep) baseline.held.add(id);
  const args: string[] = [];
  const places: HeldPlace[] = [];
  const held = new Map<string, HeldEntry>();
  const bind = (how: "--bind" | "--ro-bind", { path, id }: FolderEntry) => {
    // A command that runs could put a link there meanwhile. What is not held is compared afterwards.
    if (!isSteady(join(root, path))) return;
    if (background) holdAbove(path);
    held.set(path, { id, readonly: how === "--ro-bind" });
    args.push(how, join(root, path), join(mount, path));
    places.push({ at: join(mount, path), id });
    baseline.held.add(id);
    baseline.paths.add(path);
  };
  const holdAbove = (path: string) => {
    for (const folder of foldersAbove(path)) {
      const entry = held.has(folder) ? undefined : entryAt(root, folder);
      if (entry) bind("--bind", entry);
    }
  };
  const keep = (path: string, how: "--bind" | "--ro-bind" = "--ro-bind") => {
    const entry = entryAt(root, path);
    if (!entry) return;
    const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
    if (stat?.isDirectory() || stat?.isFile()) bind(how, entry);
    else if (stat?.isSymbolicLink()) keepNamed({ path, maybe: true });
  };
  /** Holds the target of a path, and records every link on the way to it. */
  const keepNamed = ({ path, maybe }: NamedPath) => {
    const { path: real, id, links } = resolveInside(root, path);
    for (const link of links) {
      const entry = entryAt(root, link);
      if (!entry || !isPlainPath(link)) continue;
      baseline.links.set(link, { stamp: entry.stamp, target: readlinkSync(join(root, link)) });
      baseline.paths.add(link);
    }
    if (real === undefined || real === "" || !isPlainPath(real)) return;
    const stat = id === "" ? undefined : lstatSync(join(root, real), { throwIfNoEntry: false });
    if (maybe && links.length === 0 && !stat?.isFile()) return;
    baseline.named.set(real, id);
    baseline.paths.add(real);
    if (stat?.isDirectory() || stat?.isFile()) bind("--ro-bind", { path: real, id, stamp: "" });
  };

  const elsewhere = worktreesElsewhere(root, mount, found);
  const mayHold = holdable(root, found, elsewhere);
  const canHold = (path: string) => mayHold(path) && isSteady(join(root, path));
  const theirs = found.gitFolders.filter((folder) => !ours(folder));
  const repositories = theirs.filter(({ path }) => canHold(path)).sort(byPath);
  const others = editors ? found.gitFiles : [...found.gitFiles, ...allEditors(found)];
  const [entries, left] = parted(
    others.filter((entry) => !ours(entry)),
    ({ path }) => canHold(path),
  );
  const specials = found.specials.filter((entry) => !ours(entry) && canHold(entry.path));
  const closed = found.closed.filter(({ path }) => isPlainPath(path));
  const count = repositories.length + entries.length + specials.length + closed.length + options.named.length;
  if (count > limits.heldEntries) throw tooMuch();

  // The folders above a masked entry are held in place, because a read-only command may begin meanwhile and
  // mask the entry too.
  for (const { path } of specials) holdAbove(path);
  for (const [index, folder] of repositories.entries()) {
    baseline.git.set(folder.id, new Set([...folder.names.keys(), ...madeIn(folder.names, background)]));
    const whole = index >= limits.heldRepositories || elsewhere.includes(folder);
    bind(whole ? "--ro-bind" : "--bind", folder);
    // The folders in `modules` and `worktrees` are held or swept one by one, because some may be added.
    if (!whole)
      for (const path of heldPaths(root, folder, background))
        keep(path, isOpen(path, background) ? "--bind" : "--ro-bind");
  }
  for (const { path } of [...entries.sort(byPath), ...closed]) keep(path);
  if (!editors) for (const one of options.named) keepNamed(one);
  args.push(...masks(specials, options));
  for (const { path, id } of specials) held.set(path, { id, readonly: true });
  for (const { stamp } of [...found.gitLinks, ...found.specials, ...todosOf(root, found)])
    baseline.there.add(stamp);
  for (const { link } of found.reached) baseline.there.add(link.stamp);
  for (const entry of left) {
    baseline.there.add(treeMark(root, entry));
    baseline.paths.add(entry.path);
  }
  for (const folder of theirs) {
    const shared = entryAt(root, within(folder.path, alternates));
    if (shared) {
      baseline.paths.add(shared.path);
      baseline.there.add(shared.stamp);
    }
    if (!baseline.git.has(folder.id)) leave(root, folder, baseline);
  }
  return { baseline, args, places, entries: held };
}

/** Records the entries that cannot be held, to be compared after the command. */
function leave(root: string, { id, path, names }: GitFolder, baseline: Baseline): void {
  baseline.left.add(id);
  const parts = heldInGit.flatMap((plain) => names.get(plain) ?? []);
  const inside = ["hooks", "branches"]
    .flatMap((plain) => names.get(plain) ?? [])
    .flatMap((folder) => namesIn(root, within(path, folder)).map((name) => `${folder}/${name}`));
  for (const name of [...parts, ...inside]) {
    const entry = entryAt(root, within(path, name));
    if (!entry) continue;
    baseline.there.add(entry.stamp);
    baseline.paths.add(entry.path);
  }
}

/** Relative paths, parents first. The workspace itself is left out, because it cannot be moved. */
function foldersAbove(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

function parted<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

/** Covers special files with a device that the jail's mounts do not let a command open. */
export function masks(
  specials: readonly FolderEntry[],
  { root, mount }: Pick<HoldOptions, "root" | "mount">,
): string[] {
  return specials
    .filter(({ path, id }) => isPlainPath(path) && entryAt(root, path)?.id === id)
    .flatMap(({ path }) => ["--ro-bind", "/dev/null", join(mount, path)]);
}

/** A paused rebase can name programs to run when it continues. */
export function todosOf(root: string, found: ScannedTree): FolderEntry[] {
  return found.gitFolders.flatMap(({ path }) => {
    const entry = entryAt(root, within(path, "rebase-merge/git-rebase-todo"));
    return entry ? [entry] : [];
  });
}

/** Beside a command in the background, git writes only in worktrees whose folder that command cannot exchange. */
function madeIn(names: GitNames, background = false): string[] {
  if (!names.has("objects") || !names.has("refs") || !names.has("head")) return [];
  return background ? ["hooks", "info", "worktrees"] : ["hooks", "info"];
}

function heldPaths(root: string, { path, names }: GitFolder, background?: boolean): string[] {
  // If they are missing, a command could make them. Empty ones change nothing: `git init` makes them too. A
  // linked worktree's folder gets none.
  const made = madeIn(names, background).filter((name) => !names.has(name));
  for (const name of made) mkdirSync(join(root, path, name), { recursive: true });
  const there = [...heldInGit, "worktrees"].flatMap((name) => names.get(name) ?? []);
  return [...there, ...made].map((name) => within(path, name));
}

/** A command in the background makes no worktrees, so that it cannot replace those that are made beside it. */
function isOpen(path: string, background?: boolean): boolean {
  return (background ? /^modules$/ : /^(modules|worktrees)$/).test(folded(basename(path)));
}

function byPath(a: FolderEntry, b: FolderEntry): number {
  // Parents first, because later mounts cover earlier ones.
  return a.path < b.path ? -1 : 1;
}

export function tooMuch(): HandrailError {
  return new HandrailError(
    "too_large",
    `The workspace has more than ${limits.heldEntries} repositories, editors' folders and sockets, too many to keep safe. Serve a smaller folder with --workspace or HANDRAIL_WORKSPACE.`,
  );
}
