// Snapshots of a workspace folder: trees in a git store of our own. The person's index, refs, stash, hooks and
// configuration are never touched; byte for byte, untracked files included, git-ignored ones not.
import { lstat, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { HandrailError } from "../../shared/errors.ts";
import { limits } from "../limits.ts";
import { type GitRun, gitProgram, runGit, streamGit } from "./git-process.ts";
import { Mutex } from "./mutex.ts";

/** Beats every .gitattributes of the workspace: no end-of-line conversion, no filter, nothing left out of an archive. */
const attributes = "* -text -eol -filter -ident -working-tree-encoding !diff -export-ignore -export-subst\n";
const objectId = /^[0-9a-f]{40,64}$/;

export class Snapshots {
  readonly #dir: string;
  readonly #root: string;
  readonly #mutex = new Mutex();
  #ready: Promise<void> | undefined;

  constructor(dir: string, root: string) {
    this.#dir = dir;
    this.#root = root;
  }

  static get available(): boolean {
    return gitProgram() !== undefined;
  }

  get dir(): string {
    return this.#dir;
  }

  /** The workspace as it stands, kept for `owner` until it is forgotten. The same content is the same snapshot. */
  take(owner: string): Promise<string> {
    return this.#mutex.run(async () => {
      const tree = await this.#tree();
      await this.#git(["update-ref", `refs/handrail/${owner}/${tree}`, tree]);
      return tree;
    });
  }

  /** Makes the workspace what it was; ignored files stay. Returns the snapshot taken just before. */
  restore(snapshot: string, owner: string): Promise<string> {
    return this.#mutex.run(async () => {
      await this.#check(snapshot);
      const before = await this.#tree();
      await this.#git(["update-ref", `refs/handrail/${owner}/${before}`, before]);
      // The index now says what is on the disk, so exactly the files that differ are written or removed.
      await this.#git(["read-tree", "--reset", "-u", snapshot]);
      return before;
    });
  }

  /** Unified difference between `snapshot` and the workspace as it stands now. */
  diff(
    snapshot: string,
    paths: readonly string[] = [],
  ): Promise<{ stdout: string; stderr: string; exitCode: number; truncated: boolean }> {
    return this.#mutex.run(async () => {
      await this.#check(snapshot);
      const now = await this.#tree();
      const args = [
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "-M",
        "--src-prefix=a/",
        "--dst-prefix=b/",
      ];
      const spec = { maxOutputBytes: limits.diffBytes };
      const { stdout, stderr, truncated } = await this.#git(
        [...args, snapshot, now, "--", ...paths.map((path) => `:(literal)${path}`)],
        spec,
      );
      return { stdout, stderr, exitCode: 0, truncated };
    });
  }

  /** The workspace as it stands now, as a tar that is made while it is read. */
  async tar(): Promise<Readable> {
    const tree = await this.#mutex.run(() => this.#tree());
    return streamGit(["archive", "--format=tar", tree], { cwd: this.#root, env: this.environment });
  }

  /** Lets go of all snapshots of `owner`. */
  forget(owner: string): Promise<void> {
    return this.#mutex.run(async () => {
      await this.#prepare();
      const { stdout } = await this.#git(["for-each-ref", "--format=%(refname)", `refs/handrail/${owner}/`]);
      const input = stdout
        .split("\n")
        .filter(Boolean)
        .map((ref) => `delete ${ref}\n`)
        .join("");
      if (input !== "") await this.#git(["update-ref", "--stdin"], { input });
    });
  }

  /** How git is run to ask what it would ignore here: our own store, the person's own excludes. */
  async ignoreEnvironment(): Promise<{ args: string[]; env: Record<string, string> }> {
    await this.#prepare();
    const exclude = join(this.#root, ".git", "info", "exclude");
    return {
      args: (await isFile(exclude)) ? ["-c", `core.excludesFile=${exclude}`] : [],
      env: this.environment,
    };
  }

  /** Environment under which git works on the workspace with this store. */
  get environment(): Record<string, string> {
    return { GIT_DIR: this.#dir, GIT_WORK_TREE: this.#root, GIT_INDEX_FILE: join(this.#dir, "index") };
  }

  async #tree(): Promise<string> {
    const { args } = await this.ignoreEnvironment();
    // Files that may not be read are left out rather than making every snapshot fail.
    await this.#git([...args, "add", "--all", "--ignore-errors", "--", "."], adding);
    const tracked = await this.#trackedThoughIgnored();
    if (tracked !== "") {
      const spec = ["--pathspec-from-file=-", "--pathspec-file-nul"];
      await this.#git(["--literal-pathspecs", "add", "--all", "--force", "--ignore-errors", ...spec], {
        ...adding,
        input: tracked,
      });
    }
    const { stdout } = await this.#git(["write-tree"]);
    return stdout.trim();
  }

  /** Files that match .gitignore but are in the person's repository all the same: git does not ignore those. NUL-separated. */
  async #trackedThoughIgnored(): Promise<string> {
    if (!(await isFile(join(this.#root, ".git", "HEAD")))) return "";
    const env = { GIT_DIR: join(this.#root, ".git"), GIT_WORK_TREE: this.#root, GIT_ALLOW_PROTOCOL: "none" };
    const args = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"];
    // A repository that git cannot read has no such files for us.
    const run = { cwd: this.#root, env, maxOutputBytes: 64 * 1024 * 1024, accept: [0, 1, 128, 129] };
    const { exitCode, stdout } = await runGit(args, run);
    if (exitCode !== 0) return "";
    const present = await Promise.all(
      stdout
        .split("\0")
        .map(async (path) => (path !== "" && (await exists(join(this.#root, path))) ? path : "")),
    );
    return present.filter(Boolean).join("\0");
  }

  async #check(snapshot: string): Promise<void> {
    await this.#prepare();
    if (objectId.test(snapshot)) {
      const { stdout } = await this.#git([
        "for-each-ref",
        "--format=%(refname)",
        `refs/handrail/*/${snapshot}`,
      ]);
      if (stdout.trim() !== "") return;
    }
    throw new HandrailError("not_found", "This snapshot is not known here. Use one that this sandbox took.");
  }

  #prepare(): Promise<void> {
    this.#ready ??= this.#initialise().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #initialise(): Promise<void> {
    await mkdir(this.#dir, { recursive: true });
    // A server that was killed may have left the lock of its index.
    await rm(join(this.#dir, "index.lock"), { force: true });
    if (await isFile(join(this.#dir, "HEAD"))) return;
    await runGit(["init", "--quiet", "--template="], { cwd: this.#root, env: this.environment });
    for (const [key, value] of settings) await this.#git(["config", key, value]);
    await mkdir(join(this.#dir, "info"), { recursive: true });
    await writeFile(join(this.#dir, "info", "attributes"), attributes);
    await writeFile(join(this.#dir, "info", "exclude"), ".handrail-tmp-*\n");
  }

  #git(args: readonly string[], run: Partial<GitRun> = {}) {
    return runGit(args, { cwd: this.#root, env: this.environment, ...run });
  }
}

/** The first time every file is read; a large repository takes minutes. */
const adding = { accept: [0, 1], timeoutMs: 15 * 60_000, guard: true };

const settings = [
  ["core.autocrlf", "false"],
  ["core.safecrlf", "false"],
  ["core.compression", "1"],
  ["core.logAllRefUpdates", "false"],
  ["gc.auto", "0"],
  ["core.untrackedCache", "false"],
] as const;

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
