// The git store of a workspace's snapshots, outside of the workspace, and how git is run on it.
import { appendFile, copyFile, link, lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import { writeWhole } from "../files.ts";
import { removeTree } from "../paths/remove-tree.ts";
import { runGit } from "./git-process.ts";
import type { GitOptions, GitOutcome, GitRunner, GitStep } from "./git-runner.ts";
import { forgetPacked, packedReferences } from "./packed-references.ts";
import { removeLeftovers } from "./store-leftovers.ts";
import type { IndexEntry } from "./unsettled-files.ts";

/**
 * Overrides every .gitattributes of the workspace: no conversion, every difference is shown, and nothing is left
 * out of an archive. The store's configuration has no drivers, so that attributes can name no program.
 */
const attributes = "* -text -ident -working-tree-encoding !diff -export-ignore\n";

/**
 * Written to the store's configuration file directly, because a `git config` process for each would take
 * longer than the rest of the setup.
 */
const settings = {
  core: {
    bare: "false",
    autocrlf: "false",
    safecrlf: "false",
    compression: "1",
    // Larger files are stored as they are read and never held in memory whole.
    bigFileThreshold: "64m",
    logAllRefUpdates: "false",
    untrackedCache: "false",
  },
  gc: { auto: "0" },
};

/**
 * A split index: git writes changes to a second index beside a shared base. For 20,000 files, this saves
 * hashing and writing 2 MB twice for each snapshot. Git touches a shared index when it reads it, so one that
 * is an hour old is unused.
 */
const splitIndex = {
  GIT_CONFIG_COUNT: "2",
  ...{ GIT_CONFIG_KEY_0: "core.splitIndex", GIT_CONFIG_VALUE_0: "true" },
  ...{ GIT_CONFIG_KEY_1: "splitIndex.sharedIndexExpire", GIT_CONFIG_VALUE_1: "1.hour.ago" },
};

/** Git's id for "no object". */
export const noObject = "0".repeat(40);

const namespace = "refs/handrail";

/**
 * Precedes a git verb that takes names of files. Without it, git would read names such as `:(glob)x` and
 * `:/x` as patterns.
 */
export const literally = ["--literal-pathspecs"] as const;

/** A pathspec that names exactly one file, whatever characters are in its name. */
export function literal(path: string): string {
  return `:(literal)${path}`;
}

/** Size of a list of names: a quarter of a million long ones. */
export const listBytes = 64 * 1024 * 1024;

/** Options of a git command in the store, besides its arguments. */
export type StoreStep = Partial<Omit<GitStep, "args">>;

export class SnapshotStore {
  readonly dir: string;
  /** Runs git on the workspace with this store. */
  readonly runner: GitRunner;
  /** Real path of the workspace. */
  readonly root: string;
  #ready: Promise<void> | undefined;
  /** A tree without submodules. Only its differences from the next tree have to be searched for them. */
  plainTree: string | undefined;
  /** Files that the next snapshot must read again; see unsettled-files.ts. */
  unsettled: readonly IndexEntry[] = [];

  constructor(dir: string, runner: GitRunner, root: string) {
    this.dir = dir;
    this.runner = runner;
    this.root = root;
  }

  /** Environment for git to work on the workspace with this store. */
  get environment(): Record<string, string> {
    const { dir, root } = this;
    return { GIT_DIR: dir, GIT_WORK_TREE: root, GIT_INDEX_FILE: join(dir, "index"), ...splitIndex };
  }

  /** A git command in this store, for the runner. */
  step(args: readonly string[], step: StoreStep = {}): GitStep {
    return { args, env: this.environment, ...step };
  }

  git(args: readonly string[], step: StoreStep = {}, options: GitOptions = {}): Promise<GitOutcome> {
    return this.runner.one(this.step(args, step), options);
  }

  /** The NUL-separated names that git lists with `-z`. Throws `too_large` rather than lose a name. */
  async names(args: readonly string[], step: StoreStep = {}): Promise<string[]> {
    const { stdout, truncated } = await this.git(args, step, { maxOutputBytes: listBytes });
    if (truncated) throw new HandrailError("too_large", "The workspace has too many files for a snapshot.");
    return namesIn(stdout);
  }

  /**
   * Keeps `tree` for `owner`. A reference is a file that contains an id:
   * https://git-scm.com/docs/gitrepository-layout
   */
  async keep(owner: string, tree: string): Promise<void> {
    await mkdir(this.#kept(owner), { recursive: true });
    await writeWhole(join(this.#kept(owner), tree), `${tree}\n`, false);
  }

  /** Whether any owner keeps `tree`. */
  async isKept(tree: string): Promise<boolean> {
    const owners = await readdir(this.#kept("")).catch(() => []);
    const found = await Promise.all(owners.map((owner) => isFile(join(this.#kept(owner), tree))));
    return found.includes(true) || (await packedReferences(this.dir)).some(({ id }) => id === tree);
  }

  /** The trees that `owner` keeps. */
  async keptBy(owner: string): Promise<string[]> {
    const loose = await readdir(this.#kept(owner)).catch(() => []);
    const packed = (await packedReferences(this.dir)).filter(({ name }) =>
      name.startsWith(`${namespace}/${owner}/`),
    );
    return [...new Set([...loose, ...packed.map(({ id }) => id)])];
  }

  /**
   * Adds all objects of `other` to this store. Their names are hashes of their contents, so one file can
   * serve both stores.
   */
  async share(other: SnapshotStore): Promise<void> {
    const objects = join(other.dir, "objects");
    for (const folder of await readdir(objects).catch(() => [])) {
      if (!/^([0-9a-f]{2}|pack)$/.test(folder)) continue;
      await mkdir(join(this.dir, "objects", folder), { recursive: true });
      for (const name of await readdir(join(objects, folder))) {
        if (!/^([0-9a-f]{38,62}|pack-[0-9a-f]+\.[a-z]+)$/.test(name)) continue;
        const [from, to] = [other, this].map(({ dir }) => join(dir, "objects", folder, name));
        if (from === undefined || to === undefined || (await exists(to))) continue;
        await link(from, to).catch(() => copyFile(from, to));
      }
    }
  }

  async forget(owner: string): Promise<void> {
    await forgetPacked(this.dir, `${namespace}/${owner}/`);
    await rm(this.#kept(owner), { recursive: true, force: true });
  }

  /** Releases the trees of owners that are not in `owners`, because a deletion may have been cut short. */
  async forgetOthers(owners: ReadonlySet<string>): Promise<void> {
    const loose = await readdir(this.#kept("")).catch(() => []);
    const packed = (await packedReferences(this.dir)).map(({ name }) => name.split("/").at(-2) ?? "");
    for (const owner of new Set([...loose, ...packed])) if (!owners.has(owner)) await this.forget(owner);
  }

  #kept(owner: string): string {
    return join(this.dir, namespace, owner);
  }

  /** Creates the store unless it exists. */
  prepare(): Promise<void> {
    this.#ready ??= this.#initialise().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #initialise(): Promise<void> {
    await mkdir(this.dir, { recursive: true });
    await removeLeftovers(this.dir);
    await removeTree(join(this.dir, "copies"));
    const [config, last] = [join(this.dir, "config"), join(this.dir, "info", "exclude")];
    if (await isFile(last)) return;
    // An incomplete store is made again: the disk was full, or the server died.
    await rm(config, { force: true });
    // Run in the store's own folder, because these commands need nothing from the workspace.
    const run = { cwd: this.dir, env: { GIT_DIR: this.dir } };
    await runGit(["init", "--quiet", "--bare", "--template="], run);
    const lines = Object.entries(settings).flatMap(([section, values]) => [
      `[${section}]`,
      ...Object.entries(values).map(([key, value]) => `\t${key} = ${value}`),
    ]);
    await appendFile(config, `${lines.join("\n")}\n`);
    await mkdir(join(this.dir, "info"), { recursive: true });
    await writeFile(join(this.dir, "info", "attributes"), attributes);
    await writeWhole(last, ".handrail-tmp-*\n", false);
  }
}

/** The names in a list in which each ends with NUL. */
export function namesIn(list: string): string[] {
  return list.split("\0").filter(Boolean);
}

export function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

export async function isFile(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
