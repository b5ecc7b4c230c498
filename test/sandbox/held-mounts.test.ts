// Which mounts keep a workspace's git folders, settings and sockets as they are while a command runs.
// @module-tag long
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { hold, masks } from "../../sandbox/jail/protected-mounts.ts";
import { heldRepositories } from "../../sandbox/limits.ts";
import { osPath } from "../../sandbox/paths/os-path.ts";
import { type ScannedTree, WorkspaceScanner } from "../../sandbox/workspace/scan.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

const mount = "/workspace";
let root: string;
beforeEach(async () => {
  root = await freshFolder("workspace");
});
afterAll(removeFolders);

const at = (path: string) => osPath(join(root, path));
const put = (path: string, text = "x\n") => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const repository = (path: string) => {
  for (const folder of ["objects", "refs"]) mkdirSync(join(root, path, folder), { recursive: true });
  put(`${path}/HEAD`, "ref: refs/heads/main\n");
  put(`${path}/config`, "[core]\n");
};
const fifo = (path: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  execFileSync("mkfifo", [join(root, path)]);
};
/** A folder whose name is not UTF-8. */
const odd = "od\\377";
const inOdd = (command: string) =>
  execFileSync("bash", ["-c", `mkdir -p $'${odd}' && cd $'${odd}' && ${command}`], { cwd: root });

/** The mounts, one line each, by their paths in the workspace; `between`: what happens before they are made. */
async function mounts(
  { ours = [], named = [] }: { ours?: string[]; named?: { path: string; maybe: boolean }[] } = {},
  between: (found: ScannedTree) => void = () => undefined,
) {
  const found = await new WorkspaceScanner(root).scan();
  between(found);
  const options = {
    root,
    mount,
    editors: false,
    named,
    ours: ({ path }: { path: string }) => ours.includes(path),
  };
  const { args, baseline } = hold(found, options);
  const lines: string[] = [];
  for (let n = 0; n < args.length; n += 3)
    lines.push(
      `${args[n]?.slice(2)} ${args[n + 1]?.replace(`${root}/`, "")} ${args[n + 2]?.slice(mount.length + 1)}`,
    );
  return { lines, baseline };
}
const same = (how: string, path: string) => `${how} ${path} ${path}`;

test("of a repository, what starts programs is read-only, and the rest stays in its place", async () => {
  repository(".git");
  const parts = ["branches/x", "commondir", "config.worktree", "gitdir", "hooks/x", "info/x", "remotes/x"];
  for (const part of parts) put(`.git/${part}`);
  put(".git/modules/lib/HEAD");
  const { lines } = await mounts();
  expect(lines[0]).toBe(same("bind", ".git"));
  expect(lines.slice(1).sort()).toEqual(
    [
      same("bind", ".git/modules"),
      ...["config", ...parts].map((part) => same("ro-bind", `.git/${part.replace("/x", "")}`)),
    ].sort(),
  );
});

test("empty hooks and info are made where there are none, but not in what is no repository", async () => {
  repository(".git");
  put(".git/worktrees/w/HEAD");
  put(".git/worktrees/w/gitdir", "x\n");
  await mounts();
  expect(readdirSync(at(".git")).sort()).toEqual(
    ["HEAD", "config", "hooks", "info", "objects", "refs", "worktrees"].sort(),
  );
  expect(readdirSync(at(".git/worktrees/w")).sort()).toEqual(["HEAD", "gitdir"]);
});

test("a repository within another is mounted after it", async () => {
  for (const path of ["b/.git", "b/a/.git", ".git", ".git/modules/m"]) repository(path);
  const { lines } = await mounts();
  const places = ["bind .git .git", "bind .git/modules/m .git/modules/m"].map((line) => lines.indexOf(line));
  expect(places[0]).toBeGreaterThanOrEqual(0);
  expect(places[1]).toBeGreaterThan(places[0] ?? 0);
});

test("beyond many repositories, and where a worktree elsewhere has its own, all is read-only", async () => {
  for (let n = 0; n <= heldRepositories; n += 1) repository(`r${String(n).padStart(3, "0")}/.git`);
  const { lines } = await mounts();
  const whole = (n: number) => lines.find((line) => line.includes(` r${String(n).padStart(3, "0")}/.git r`));
  expect(whole(heldRepositories - 1)).toMatch(/^bind/);
  expect(whole(heldRepositories)).toMatch(/^ro-bind/);
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
  repository(".git");
  put(".git/worktrees/w/gitdir", "/elsewhere/w/.git\n");
  for (const name of ["HEAD", "commondir"]) put(`.git/worktrees/w/${name}`);
  expect((await mounts()).lines).toContain(same("ro-bind", ".git/worktrees/w"));
});

test("sockets and FIFOs are covered, unless a command made them or they have changed", async () => {
  for (const name of ["a/deep/f", "mine", "swapped", ".git/objects/f"]) fifo(name);
  repository(".git");
  inOdd("mkfifo f");
  const { lines } = await mounts({ ours: ["mine"] }, () => {
    fifo("other");
    renameSync(at("other"), at("swapped"));
  });
  const covered = lines
    .filter((line) => line.startsWith("ro-bind /dev/null"))
    .map((line) => line.split(" ")[2]);
  expect(covered).toEqual(["a/deep/f"]);
  for (const folder of ["a", "a/deep"]) expect(lines).toContain(same("bind", folder));
  expect(lines.indexOf(same("bind", "a"))).toBeLessThan(lines.indexOf("ro-bind /dev/null a/deep/f"));
});

test("a folder that cannot be an argument is not mounted, whatever is in it", async () => {
  inOdd("mkdir .vscode && mkdir -p n/.git/objects n/.git/refs && touch n/.git/HEAD");
  put("plain/.vscode/tasks.json");
  put("plain/.git", "gitdir: ../x\n");
  inOdd("mkfifo f");
  const { lines } = await mounts({}, (found) => {
    const special = found.specials.at(0);
    if (special) found.closed.push({ ...special, path: dirname(special.path) });
    expect([special, masks(found.specials, { root, mount })]).toEqual([expect.anything(), []]);
  });
  expect(lines).toEqual([same("ro-bind", "plain/.git"), same("ro-bind", "plain/.vscode")]);
});

test("a part that is a link is held where it leads, and so is what settings name", async () => {
  repository(".git");
  for (const path of ["hooks/pre-commit", "tools/run", "words"]) put(path);
  symlinkSync("../hooks", at(".git/hooks"));
  symlinkSync("tools", at("link"));
  const named = [
    { path: "link/run", maybe: false },
    { path: "words", maybe: true },
    { path: "tools", maybe: true },
    { path: "none", maybe: false },
    { path: "", maybe: false },
  ];
  const { lines, baseline } = await mounts({ named });
  const held = lines.filter((line) => line.startsWith("ro-bind") && !line.includes(".git"));
  expect(held).toEqual(["hooks", "tools/run", "words"].map((path) => same("ro-bind", path)));
  expect([...baseline.links.keys()].sort()).toEqual([".git/hooks", "link"]);
  expect([...baseline.named.keys()].sort()).toEqual(["hooks", "none", "tools/run", "words"]);
  expect(lstatSync(at("none"), { throwIfNoEntry: false })).toBeUndefined();
});
