// Decides, by comparing before and after, which of the files that a command left have to be removed.
import { dirname, join, resolve } from "node:path";
import * as limits from "../limits.ts";
import { isInside } from "../paths/inside.ts";
import { entryAt, type FolderEntry, namesIn, smallText, treeMark, within } from "../workspace/looked-at.ts";
import { asidePrefix, type GitFolder, type ScannedTree } from "../workspace/scan.ts";
import type { Baseline } from "./baseline.ts";
import { isModule } from "./git-parts.ts";
import { settingsNames, settingsOf } from "./git-settings.ts";
import { leftFifos } from "./left-fifos.ts";
import { todosOf } from "./protected-mounts.ts";
import { alternates, isUnwantedInGit } from "./protected-names.ts";
import { sameAsThere } from "./protected-same.ts";
import { resolveInside } from "./resolve-inside.ts";
import type { TakenOut } from "./taken-out.ts";

/** The actions of a sweep. All paths are relative to the workspace. */
export interface Sweep {
  out: TakenOut[];
  /**
   * Configurations of new repositories, and existing ones that changed. `module`: it belongs to a submodule;
   * `before`: its earlier text.
   */
  configs: { path: string; module: boolean; before?: string }[];
  /** Lists of paused rebases, whose commands have to be removed. */
  todos: string[];
  /** Links to restore where a command replaced them. */
  links: { path: string; target: string }[];
}

/** `yours`, whether an entry is the person's, is decided at the end. */
type Decided = Omit<TakenOut, "yours">;
type Deciding = Omit<Sweep, "out"> & { out: Decided[] };

export interface SweepOptions {
  /** Real path of the workspace on this machine. */
  root: string;
  /** Path at which the command saw it. */
  mount: string;
  /** Folders of the workspace's own repository that are outside of it: real paths. */
  repositories: readonly string[];
  /** The person let the command write to editors' folders. */
  editors: boolean;
}

export function sweepOf(found: ScannedTree, baseline: Baseline, options: SweepOptions): Sweep {
  const { root } = options;
  const sweep: Deciding = { out: [], configs: [], todos: [], links: [] };
  const objects = new Set(
    [...found.gitFolders.map(({ path }) => resolve(root, path)), ...options.repositories].map((folder) =>
      join(folder, "objects"),
    ),
  );
  for (const folder of found.gitFolders) {
    const shared = entryAt(root, within(folder.path, alternates));
    if (shared && !baseline.there.has(shared.stamp) && !isShared(shared.path, objects, options))
      sweep.out.push({ path: shared.path, why: why.gitFile });
    const names = baseline.git.get(folder.id);
    if (names) {
      sweep.out.push(...addedTo(folder, names));
      sweep.configs.push(...changedIn(folder, baseline, { root, module: isModule(folder.path, found) }));
    } else sweepNew(folder, { ...options, baseline, module: isModule(folder.path, found) }, sweep);
  }
  for (const { path, stamp } of todosOf(root, found)) if (!baseline.there.has(stamp)) sweep.todos.push(path);
  const isNew = (entry: FolderEntry) =>
    !baseline.held.has(entry.id) &&
    !baseline.there.has(entry.stamp) &&
    // For a folder that could not be held, this mark covers everything in it.
    !(baseline.paths.has(entry.path) && baseline.there.has(treeMark(root, entry)));
  const held = new Set([...baseline.links.values()].map(({ stamp }) => stamp));
  for (const entry of found.gitLinks)
    if (isNew(entry) && !held.has(entry.stamp)) sweep.out.push({ path: entry.path, why: why.link });
  for (const entry of found.specials)
    if (isNew(entry) && inGit(entry.path, found)) sweep.out.push({ path: entry.path, why: why.special });
  const isLeft = (entry: FolderEntry) => isNew(entry) && !inGit(entry.path, found);
  for (const { path } of leftFifos(root, found.specials.filter(isLeft)))
    sweep.out.push({ path, why: why.fifo });
  for (const entry of found.gitFiles)
    if (isNew(entry) && !staysInside(entry.path, options))
      sweep.out.push({ path: entry.path, why: why.gitFile });
  for (const entry of found.deep)
    if (isNew(entry)) sweep.out.push({ path: entry.path, why: why.deep, destroyed: true });
  for (const { path } of found.aside) sweep.out.push({ path, why: why.aside, named: namedBefore(path) });
  if (!options.editors) {
    sweep.out.push(...sweepNamed(baseline, root));
    const isStrange = (entry: FolderEntry) =>
      isNew(entry) && !held.has(entry.stamp) && !sameAsThere(root, entry.path, found.editors, baseline);
    const editors = found.editors.filter(isStrange);
    for (const { link, editors: reached } of found.reached) {
      const strange = reached.filter(isStrange);
      // The link was there before, so only the settings are new.
      if (baseline.there.has(link.stamp)) editors.push(...strange);
      else if (strange.length > 0) sweep.out.push({ path: link.path, why: why.reached });
    }
    sweep.out.push(...editors.map(({ path }) => ({ path, why: why.editor })));
  }
  for (const [path, { stamp, target }] of baseline.links) {
    if (entryAt(root, path)?.stamp === stamp) continue;
    sweep.out.push({ path, why: why.link });
    sweep.links.push({ path, target });
  }
  const out = sweep.out.map((one) => ({ ...one, yours: baseline.paths.has(one.named ?? one.path) }));
  return { ...sweep, out: outermost(out) };
}

const why = {
  link: "git writes through links in its own folder",
  special: "a program that reads git's folder would hang or talk to it",
  fifo: "a FIFO is kept from later commands: make it in the command that uses it",
  gitFile: "it names a git folder outside of the workspace",
  editor: "editors and shells run what such files say",
  reached: "it leads to settings that editors and shells run",
  aside: "put aside while the command ran",
  deep: "it holds folders deeper than can be looked at",
  hook: "git runs hooks",
  named: "settings that were there name it, and git or an editor runs it",
  unwanted: "git would take settings from it, or wait for it",
};

/**
 * Held settings whose text has changed. A mount no longer holds a settings file when another file replaces
 * it, as git does when the person changes a setting.
 */
function changedIn(
  folder: GitFolder,
  { configs }: Baseline,
  { root, module }: { root: string; module: boolean },
): Sweep["configs"] {
  return settingsNames(folder).flatMap((name) => {
    const path = within(folder.path, name);
    const before = configs.get(settingsOf(folder, name));
    const now = smallText(root, path, limits.gitConfigBytes);
    return before === undefined || before === now ? [] : [{ path, module, before }];
  });
}

/** Unwanted files that are new in an existing git folder. */
function addedTo({ path, names }: GitFolder, before: ReadonlySet<string>): Decided[] {
  const added = [...names].filter(
    ([plain]) =>
      !before.has(plain) &&
      (isUnwantedInGit(plain) || /^(config|config(\.worktree)?\.lock|hooks)$/.test(plain)),
  );
  return added.flatMap(([, spelled]) =>
    spelled.map((name) => ({ path: within(path, name), why: why.unwanted })),
  );
}

interface NewOptions extends SweepOptions {
  baseline: Baseline;
  /** The folder is where submodules' folders are. */
  module: boolean;
}

/**
 * For a folder that a command made or that could not be held. Entries that existed before and have not
 * changed stay.
 */
function sweepNew(folder: GitFolder, options: NewOptions, sweep: Deciding): void {
  const { path, names } = folder;
  const { root, baseline, module } = options;
  const wasThere = baseline.left.has(folder.id);
  const each = (plain: string, use: (path: string) => void) => {
    for (const name of names.get(plain) ?? []) use(within(path, name));
  };
  const out = (at: string, why: string) => {
    if (!baseline.there.has(entryAt(root, at)?.stamp ?? "")) sweep.out.push({ path: at, why });
  };
  for (const name of settingsNames(folder)) {
    const before = wasThere ? baseline.configs.get(settingsOf(folder, name)) : undefined;
    sweep.configs.push({ path: within(path, name), module, ...(before === undefined ? {} : { before }) });
  }
  for (const name of ["remotes", "config.lock", "config.worktree.lock"])
    each(name, (file) => out(file, why.unwanted));
  each("branches", (folder) => {
    for (const name of namesIn(root, folder)) out(within(folder, name), why.unwanted);
  });
  each("hooks", (hooks) => {
    for (const name of namesIn(root, hooks))
      if (!name.endsWith(".sample")) out(within(hooks, name), why.hook);
  });
  const inWorktrees = /(^|\/)worktrees\/[^/]+$/.test(path);
  each("commondir", (file) => {
    if (!inWorktrees || text(root, file) !== "../..") out(file, why.unwanted);
  });
  each("gitdir", (file) => {
    const target = text(root, file);
    if (!target.endsWith("/.git") || !namesInside(target, path, options)) out(file, why.gitFile);
  });
}

/**
 * Targets of git's settings that are now a different file. Moving a parent folder away takes a target out of
 * its mount.
 */
function sweepNamed(baseline: Baseline, root: string): Decided[] {
  return [...baseline.named].flatMap(([path, id]) => {
    const now = resolveInside(root, path);
    if (now.path === undefined || now.id === "" || now.id === id) return [];
    return [{ path: now.path, why: why.named }];
  });
}

/**
 * Whether a `.git` file leads to a folder of the workspace, or to a worktree's folder in the workspace's own
 * repository.
 */
function staysInside(path: string, options: SweepOptions): boolean {
  const line = text(options.root, path);
  return (
    line.startsWith("gitdir:") && namesInside(line.slice("gitdir:".length).trim(), dirname(path), options)
  );
}

/**
 * Whether each line names the objects folder of a repository that is guarded too. Git ends a line only at a
 * newline: a carriage return belongs to the name. False for a file over 4,096 bytes.
 * https://git-scm.com/docs/gitrepository-layout
 */
function isShared(path: string, objects: ReadonlySet<string>, options: SweepOptions): boolean {
  const lines = smallText(options.root, path, 4_096)?.split("\n");
  const from = dirname(dirname(path));
  return lines?.every((line) => /^(#|$)/.test(line) || objects.has(onHost(line, from, options))) === true;
}

function namesInside(target: string, from: string, options: SweepOptions): boolean {
  const place = onHost(target, from, options);
  return [options.root, ...options.repositories].some((folder) => isInside(folder, place));
}

/** `from`: the folder that a relative path starts from, relative to the workspace. */
function onHost(target: string, from: string, { root, mount }: SweepOptions): string {
  const seen = resolve(mount, from, target);
  return isInside(mount, seen) ? resolve(root, seen.slice(mount.length + 1)) : seen;
}

function text(root: string, path: string): string {
  return (smallText(root, path, 4_096) ?? "").replace(/\r?\n$/, "");
}

/** The name that the entry had before a watch renamed it; see protected-watch.ts. */
function namedBefore(path: string): string {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return folder + path.slice(folder.length + asidePrefix.length).replace(/^[0-9a-f]+-/, "");
}

function inGit(path: string, { gitFolders }: ScannedTree): boolean {
  return gitFolders.some((folder) => folder.path !== "" && path.startsWith(`${folder.path}/`));
}

function outermost(out: readonly TakenOut[]): TakenOut[] {
  const paths = new Set(out.map(({ path }) => path));
  const seen = new Set<string>();
  return out.filter(({ path }) => {
    if (seen.has(path)) return false;
    seen.add(path);
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
      if (paths.has(path.slice(0, at))) return false;
    return true;
  });
}
