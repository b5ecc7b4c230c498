// Commands see a repository outside of a workspace only if it names the workspace in turn and lies in a place
// that contains nothing but a repository.
import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { findRepository, worktreeAt } from "../../sandbox/workspace/find-repository.ts";
import { Folders } from "../../sandbox/workspace/folder.ts";
import { ownRepository } from "../../sandbox/workspace/repository.ts";
import { mayBeShown } from "../../sandbox/workspace/shown-repository.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

let base: string;
let main: string;
let linked: string;
const git = (cwd: string, ...args: string[]) => hostGit(home, cwd, ...args).trim();
let home: string;
const at = (...parts: string[]) => join(base, ...parts);

afterAll(removeFolders);
beforeEach(async () => {
  base = await freshFolder("base");
  for (const name of ["git-home", "main", "state", "home"]) mkdirSync(at(name));
  home = newHome(at("git-home"));
  [main, linked] = [at("main"), at("linked")];
  git(main, "init", "-q", "-b", "main");
  git(main, "commit", "-q", "--allow-empty", "-m", "one");
  git(main, "worktree", "add", "-q", "-b", "other", linked);
});

const state = () => at("state");
const found = (root: string) => findRepository(root, state());

describe("a linked worktree's repository", () => {
  test("is the one that links back to it, and the workspace's own repository is not one", async () => {
    const gitDir = at("main/.git/worktrees/linked");
    expect(await found(linked)).toEqual({ gitDir, commonDir: at("main/.git"), top: linked });
    expect(await found(main)).toBeUndefined();
    expect(await worktreeAt(linked, at("main/.git"))).toMatchObject({ gitDir });
    expect(await worktreeAt(linked, at("other/.git"))).toBeUndefined();
  });

  test.each<[string, () => void]>([
    [
      "whose gitdir names another folder",
      () => writeFileSync(at("main/.git/worktrees/linked/gitdir"), `${main}/.git\n`),
    ],
    [
      "that is a link to a file that names it",
      () => {
        renameSync(join(linked, ".git"), at("git-file"));
        symlinkSync(at("git-file"), join(linked, ".git"));
      },
    ],
    [
      "that is a FIFO",
      () => {
        rmSync(join(linked, ".git"));
        execFileSync("mkfifo", [join(linked, ".git")]);
      },
    ],
    [
      "that names it in another form",
      () => writeFileSync(join(linked, ".git"), `gitdir= ${main}/.git/worktrees/linked\n`),
    ],
    ["that names none", () => writeFileSync(join(linked, ".git"), "hello\n")],
    ["that holds a NUL", () => writeFileSync(join(linked, ".git"), `gitdir: ${main}/.git\0\n`)],
    [
      "in a folder that is not called worktrees",
      () => {
        renameSync(at("main/.git/worktrees"), at("main/.git/others"));
        writeFileSync(join(linked, ".git"), `gitdir: ${main}/.git/others/linked\n`);
      },
    ],
    ["whose common folder has no refs", () => rmSync(at("main/.git/refs"), { recursive: true })],
    ["whose common folder has no objects", () => rmSync(at("main/.git/objects"), { recursive: true })],
    ["whose common folder has no HEAD", () => rmSync(at("main/.git/HEAD"))],
    ["that has no HEAD of its own", () => rmSync(at("main/.git/worktrees/linked/HEAD"))],
  ])("is not accepted if it is one %s", async (_, change) => {
    change();
    expect(await found(linked)).toBeUndefined();
  });

  test("is the one that was found first, whatever the workspace names at a later start", async () => {
    const opened = async () => (await new Folders(state(), undefined).get(linked)).outside;
    const first = await opened();
    expect(first).toMatchObject({ commonDir: at("main/.git") });
    rmSync(join(linked, ".git"));
    expect(await opened()).toEqual(first);
  });

  test.each([
    ["by an earlier version, which recorded none", () => ({ root: linked })],
    ["of another folder", () => ({ root: main, repository: null })],
  ])("is looked for where the record is one %s", async (_, record) => {
    const opened = async () => (await new Folders(state(), undefined).get(linked)).outside;
    await opened();
    const [name = ""] = readdirSync(at("state/folders"));
    writeFileSync(at("state/folders", name, "folder.json"), JSON.stringify(record()));
    expect(await opened()).toMatchObject({ commonDir: at("main/.git") });
  });

  test("is not accepted by what its commondir says", async () => {
    writeFileSync(at("main/.git/worktrees/linked/commondir"), `${at("state")}\n`);
    expect(await found(linked)).toMatchObject({ commonDir: at("main/.git") });
  });
});

test("the workspace's own repository is a folder, not a file or a link", async () => {
  expect(await ownRepository(main)).toMatchObject({ gitDir: at("main/.git"), top: main });
  expect(await ownRepository(linked)).toBeUndefined();
  mkdirSync(at("with-link"));
  symlinkSync(at("main/.git"), at("with-link/.git"));
  expect(await ownRepository(at("with-link"))).toBeUndefined();
});

describe("a folder of a larger repository", () => {
  test("belongs to it, except where a .git in between is invalid or the server made the folder", async () => {
    mkdirSync(at("main/a/b"), { recursive: true });
    const whole = { gitDir: at("main/.git"), commonDir: at("main/.git"), top: main };
    expect(await found(at("main/a/b"))).toEqual(whole);
    writeFileSync(at("main/a/.git"), "gitdir: /nowhere\n");
    expect(await found(at("main/a/b"))).toBeUndefined();
    mkdirSync(at("main/c"));
    expect(await found(at("main/c"))).toEqual(whole);
    expect(await findRepository(at("main/c"), main)).toBeUndefined();
    // The state folder may be in the repository.
    mkdirSync(at("main/state/copy"), { recursive: true });
    expect(await findRepository(at("main/state/copy"), at("main/state"))).toBeUndefined();
  });
});

test("a submodule's repository is the one that names it, and not of a repository above the home folder", async () => {
  const sub = at("main/person/lib");
  git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", main, "person/lib");
  const gitDir = at("main/.git/modules/person/lib");
  expect(await found(sub)).toEqual({ gitDir, commonDir: gitDir, top: sub });
  vi.stubEnv("HOME", at("main/person"));
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await found(sub)).toBeUndefined();
  vi.unstubAllEnvs();
  git(sub, "config", "core.worktree", at("linked"));
  expect(await found(sub)).toBeUndefined();
  // A folder of the machine that is in no repository's modules.
  renameSync(gitDir, at("away"));
  writeFileSync(join(sub, ".git"), `gitdir: ${at("away")}\n`);
  writeFileSync(at("away/config"), `[core]\n\tworktree = ${sub}\n`);
  expect(await found(sub)).toBeUndefined();
});

describe("a repository is shown only if", () => {
  const repository = () => ({ gitDir: at("main/.git"), commonDir: at("main/.git"), top: main });
  const shown = (more: { root?: string; state?: string; home?: string } = {}) =>
    mayBeShown(repository(), { root: at("linked"), state: state(), home: at("home"), ...more });

  test("it is not the home folder, above it, or one of its dot folders", async () => {
    expect(await shown()).toBe(true);
    expect(await shown({ home: main })).toBe(false);
    expect(await shown({ home: at("main/home") })).toBe(false);
    expect(await shown({ home: base })).toBe(true);
    mkdirSync(at("home/.config"));
    renameSync(main, at("home/.config/main"));
    const moved = at("home/.config/main");
    const hidden = { gitDir: join(moved, ".git"), commonDir: join(moved, ".git"), top: moved };
    const around = { root: at("linked"), state: state(), home: at("home") };
    expect(await mayBeShown(hidden, around)).toBe(false);
    expect(await mayBeShown(hidden, { ...around, home: dirname(base) })).toBe(true);
  });

  test("it is not in the state folder, and does not contain it", async () => {
    expect(await shown({ state: base })).toBe(false);
    expect(await shown({ state: at("main/.git/state") })).toBe(false);
    const own = { gitDir: at("main/.git/worktrees/linked"), commonDir: at("main/.git"), top: linked };
    const around = { root: linked, state: at("main/.git/state"), home: at("home") };
    expect(await mayBeShown(own, around)).toBe(false);
    expect(await mayBeShown(own, { ...around, state: state() })).toBe(true);
    // A folder above may contain the state folder, which is hidden there.
    expect(await shown({ state: at("main/state") })).toBe(true);
  });

  test("no link is on its path", async () => {
    renameSync(main, at("real"));
    symlinkSync(at("real"), main);
    expect(await shown()).toBe(false);
    symlinkSync(base, at("above"));
    const [top, gitDir] = [at("above/real"), at("above/real/.git")];
    const around = { root: at("linked"), state: state(), home: at("home") };
    expect(await mayBeShown({ gitDir, commonDir: gitDir, top }, around)).toBe(false);
  });

  test.runIf(process.getuid?.() === 0)(
    "it belongs to the server's user, root, or the workspace's owner",
    async () => {
      chownSync(at("main/.git"), 12_345, 12_345);
      expect(await shown()).toBe(false);
      chownSync(linked, 12_345, 12_345);
      expect(await shown()).toBe(true);
    },
  );
});
