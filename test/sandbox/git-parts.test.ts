// Which parts of git folders are held by mounts, which belong to worktrees and submodules, and where a path of
// a workspace leads.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { holdable, isModule, worktreesElsewhere } from "../../sandbox/jail/git-parts.ts";
import { resolveInside } from "../../sandbox/jail/resolve-inside.ts";
import { decodeName } from "../../sandbox/paths/os-path.ts";
import type { GitFolder } from "../../sandbox/workspace/scan.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

let root: string;
beforeEach(async () => {
  root = await freshFolder("workspace");
});
afterAll(removeFolders);

const put = (path: string, text = "") => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const folders = (...paths: string[]) => ({
  gitFolders: paths.map(
    (path): GitFolder => ({ path, id: path, stamp: path, names: new Map(), linked: false }),
  ),
});

describe("held is", () => {
  test.each([
    [".git", true],
    [".git/config", true],
    [".git/modules/lib", true],
    [".git/modules/lib/hooks/x", true],
    [".git/worktrees/w/gitdir", true],
    [".git/objects/x", false],
    [".git/refs/x/config", false],
    [".git/sl/config", true],
    [".git/sl/store", false],
    ["sub/.vscode", true],
  ])("%s: %s", (path, held) => {
    expect(holdable("/w", folders(".git"))(path)).toBe(held);
  });

  test("nothing whose name is not UTF-8", () => {
    const odd = decodeName(Buffer.from([0x65, 0xff]));
    expect([odd, `a/${odd}/b`].map(holdable("/w", folders()))).toEqual([false, false]);
  });

  test("what commands of a worktree elsewhere do not write", () => {
    const found = folders("store", "store/worktrees/w");
    const held = holdable("/w", found, found.gitFolders.slice(1));
    const parts = ["config", "hooks", "objects", "refs", "logs", "objects/x", "refs/heads/x", "logs/HEAD"];
    const own = ["worktrees/w/HEAD", "worktrees/w/config", "worktrees/x/HEAD"];
    const kept = [...parts, ...own].filter((name) => held(`store/${name}`));
    expect(kept).toEqual(["config", "hooks", "worktrees/x/HEAD"]);
  });
});

test("a worktree is elsewhere if it names a whole path outside of the workspace", () => {
  const places = {
    away: "/x/w/.git",
    here: `${root}/w/.git`,
    seen: "/workspace/w/.git",
    near: "../../w/.git",
  };
  for (const [name, place] of Object.entries(places)) put(`.git/worktrees/${name}/gitdir`, `${place}\n`);
  put("plain/gitdir", "/x/w/.git\n");
  const found = folders(...Object.keys(places).map((name) => `.git/worktrees/${name}`), "plain");
  expect(worktreesElsewhere(root, "/workspace", found).map(({ path }) => path)).toEqual([
    ".git/worktrees/away",
  ]);
});

test("a submodule's folder is in the modules of another, also of one that is the workspace itself", () => {
  expect(isModule(".git/modules/lib", folders(".git"))).toBe(true);
  expect(isModule("modules/lib", folders(""))).toBe(true);
  expect(isModule("modules/lib", folders(".git"))).toBe(false);
  expect(isModule(".git/modules2/lib", folders(".git"))).toBe(false);
});

describe("a path leads", () => {
  const leads = (path: string) => resolveInside(root, path).path;

  test("where its links lead, which are told", () => {
    put("a/b/file");
    symlinkSync("a", join(root, "relative"));
    symlinkSync(join(root, "relative", "b"), join(root, "absolute"));
    expect(resolveInside(root, "absolute/file")).toMatchObject({
      ...{ path: "a/b/file", links: ["absolute", "relative"] },
      id: expect.stringMatching(/^\d+:\d+$/),
    });
    expect(resolveInside(root, "a/none")).toEqual({ path: "a/none", id: "", links: [] });
  });

  test("nowhere if it or a link leaves the workspace, even to come back", () => {
    const [base, name] = [dirname(root), root.slice(dirname(root).length + 1)];
    symlinkSync("..", join(root, "up"));
    symlinkSync(base, join(root, "out"));
    symlinkSync(`../${name}/a`, join(root, "back"));
    put("a");
    for (const path of ["../x", `../${name}/a`, "up/x", "out/x", `out/${name}/a`, "back"])
      expect([path, leads(path)]).toEqual([path, undefined]);
  });

  test("nowhere in a circle, nor through more links than the system follows", () => {
    symlinkSync("two", join(root, "one"));
    symlinkSync("one", join(root, "two"));
    put("l0");
    for (let n = 1; n <= 41; n += 1) symlinkSync(`l${n - 1}`, join(root, `l${n}`));
    expect([leads("one"), leads("l40"), leads("l41")]).toEqual([undefined, "l0", undefined]);
  });
});
