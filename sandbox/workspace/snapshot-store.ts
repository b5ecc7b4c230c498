// The git store that a workspace's snapshots stand in, outside of the workspace, and how git is run on it.
import { lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import { type GitRun, runGit } from "./git-process.ts";

/** Beats every .gitattributes of the workspace: no end-of-line conversion, no filter, nothing left out of an archive. */
const attributes = "* -text -eol -filter -ident -working-tree-encoding !diff -export-ignore -export-subst\n";

const settings = [
  ["core.autocrlf", "false"],
  ["core.safecrlf", "false"],
  ["core.compression", "1"],
  // Larger files are stored as they are read, and never held in memory whole.
  ["core.bigFileThreshold", "64m"],
  ["core.logAllRefUpdates", "false"],
  ["gc.auto", "0"],
  ["core.untrackedCache", "false"],
] as const;

/** A list of names: a quarter of a million long ones. */
export const listBytes = 64 * 1024 * 1024;

export class SnapshotStore {
  readonly dir: string;
  /** Real path of the workspace. */
  readonly root: string;
  #ready: Promise<void> | undefined;

  constructor(dir: string, root: string) {
    this.dir = dir;
    this.root = root;
  }

  /** Environment under which git works on the workspace with this store. */
  get environment(): Record<string, string> {
    return { GIT_DIR: this.dir, GIT_WORK_TREE: this.root, GIT_INDEX_FILE: join(this.dir, "index") };
  }

  git(args: readonly string[], run: Partial<GitRun> = {}) {
    return runGit(args, { cwd: this.root, env: this.environment, ...run });
  }

  /** What git lists, NUL-separated with `-z`. Throws `too_large` rather than lose a name. */
  async names(args: readonly string[], run: Partial<GitRun> = {}): Promise<string[]> {
    const { stdout, truncated } = await this.git(args, { maxOutputBytes: listBytes, ...run });
    if (truncated) throw new HandrailError("too_large", "The workspace has too many files for a snapshot.");
    return stdout.split("\0").filter(Boolean);
  }

  /** Makes the store unless it is there. */
  prepare(): Promise<void> {
    this.#ready ??= this.#initialise().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #initialise(): Promise<void> {
    await mkdir(this.dir, { recursive: true });
    // A server that was killed may have left the lock of its index.
    await rm(join(this.dir, "index.lock"), { force: true });
    if (await isFile(join(this.dir, "HEAD"))) return;
    await runGit(["init", "--quiet", "--template="], { cwd: this.root, env: this.environment });
    for (const [key, value] of settings) await this.git(["config", key, value]);
    await mkdir(join(this.dir, "info"), { recursive: true });
    await writeFile(join(this.dir, "info", "attributes"), attributes);
    await writeFile(join(this.dir, "info", "exclude"), ".handrail-tmp-*\n");
  }
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
