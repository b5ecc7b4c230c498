// Holds what is there before a command begins: arguments of bubblewrap, for after the workspace's own mount, that keep
// git's and editors' settings from being written, replaced or moved away, and the host's sockets from being reached.
import { lstatSync, mkdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import { limits } from "../limits.ts";
import { type Entry, entryAt, type Found, type GitFolder, smallText, within } from "../workspace/scan.ts";
import { heldInGit } from "./protected-names.ts";

/** What was there when a command began, so that it can be told from what the command made. */
export interface Baseline {
  /** Device and inode of what a mount holds: it stays that one thing, wherever its parents are moved. */
  held: Set<string>;
  /** Git folders that are held, by device and inode: the names that each had. */
  git: Map<string, Set<string>>;
  /** Stamps of what is not held but was there. */
  there: Set<string>;
  /** Links at places that would be held if they were none, with where they lead. */
  links: Map<string, { stamp: string; target: string }>;
  /** What the settings of git folders said, by `settingsOf`. */
  configs: Map<string, string>;
}

/** The name of a git folder's settings in a baseline, wherever the folder is moved. */
export function settingsOf({ id }: GitFolder, name: string): string {
  return `${id} ${name}`;
}

export interface Hold {
  baseline: Baseline;
  args: string[];
}

export interface HoldOptions {
  root: string;
  /** Path at which the command sees the workspace. */
  mount: string;
  /** The person lets this command write to editors' folders. */
  editors: boolean;
  /** Whether a command of ours made it, so that one may take it away again. */
  ours(entry: Entry): boolean;
}

/** As they are spelled there. */
export function settingsNames({ names }: GitFolder): string[] {
  return ["config", "config.worktree"].flatMap((plain) => names.get(plain) ?? []);
}

/** Texts of the settings of git folders that are there. */
function configsOf(root: string, { gitFolders }: Found): Baseline["configs"] {
  const texts = gitFolders.flatMap((folder) =>
    settingsNames(folder).map((name) => {
      const text = smallText(root, within(folder.path, name), limits.gitConfigBytes);
      return [settingsOf(folder, name), text] as const;
    }),
  );
  return new Map(texts.flatMap(([key, text]) => (text === undefined ? [] : [[key, text] as const])));
}

/** Throws `too_large` where there is more than can be held. */
export function hold(found: Found, options: HoldOptions): Hold {
  const { root, mount, ours } = options;
  const baseline: Baseline = {
    ...{ held: new Set(), git: new Map(), there: new Set(), links: new Map() },
    configs: configsOf(root, found),
  };
  for (const { id } of found.deep) baseline.held.add(id);
  const args: string[] = [];
  const bind = (how: "--bind" | "--ro-bind", { path, id }: Entry) => {
    args.push(how, join(root, path), join(mount, path));
    baseline.held.add(id);
  };
  const keep = (path: string) => {
    const entry = entryAt(root, path);
    if (!entry) return;
    const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
    if (stat?.isDirectory() || stat?.isFile()) bind("--ro-bind", entry);
    else if (stat?.isSymbolicLink())
      baseline.links.set(path, { stamp: entry.stamp, target: readlinkSync(join(root, path)) });
  };

  const repositories = found.gitFolders.filter((folder) => !ours(folder)).sort(byPath);
  const others = options.editors ? found.gitFiles : [...found.gitFiles, ...found.editors];
  const entries = others.filter((entry) => !ours(entry)).sort(byPath);
  const specials = found.specials.filter((entry) => !ours(entry));
  if (repositories.length + entries.length + specials.length > limits.heldEntries) throw tooMuch();

  for (const [index, folder] of repositories.entries()) {
    baseline.git.set(folder.id, new Set([...folder.names.keys(), ...madeByHold]));
    const whole = index >= limits.heldRepositories;
    bind(whole ? "--ro-bind" : "--bind", folder);
    if (!whole) for (const path of heldPaths(root, folder)) keep(path);
  }
  for (const { path } of entries) keep(path);
  args.push(...masks(specials, options));
  for (const { stamp } of [...found.gitLinks, ...found.specials, ...todosOf(root, found)])
    baseline.there.add(stamp);
  return { baseline, args };
}

/** Nothing for a command to open: a device that the jail's mounts do not let it open. */
export function masks(
  specials: readonly Entry[],
  { root, mount }: Pick<HoldOptions, "root" | "mount">,
): string[] {
  return specials
    .filter(({ path, id }) => entryAt(root, path)?.id === id)
    .flatMap(({ path }) => ["--ro-bind", "/dev/null", join(mount, path)]);
}

/** A rebase that waits can name programs to go on with. */
export function todosOf(root: string, found: Found): Entry[] {
  return found.gitFolders.flatMap(({ path }) => {
    const entry = entryAt(root, within(path, "rebase-merge/git-rebase-todo"));
    return entry ? [entry] : [];
  });
}

const madeByHold = ["hooks", "info"];

function heldPaths(root: string, { path, names }: GitFolder): string[] {
  // Missing, they could be made; empty ones are what `git init` makes. Not in a linked worktree's folder.
  const whole = names.has("objects") && names.has("refs") && names.has("head");
  const made = whole ? madeByHold.filter((name) => !names.has(name)) : [];
  for (const name of made) mkdirSync(join(root, path, name), { recursive: true });
  const there = heldInGit.flatMap((name) => names.get(name) ?? []);
  return [...there, ...made].map((name) => within(path, name));
}

function byPath(a: Entry, b: Entry): number {
  // Parents first: what is mounted later lies on top.
  return a.path < b.path ? -1 : 1;
}

function tooMuch(): HandrailError {
  return new HandrailError(
    "too_large",
    `The workspace has more than ${limits.heldEntries} repositories, editors' folders and sockets, too many to keep safe from a command that writes. Serve a smaller folder with --workspace or HANDRAIL_WORKSPACE.`,
  );
}
