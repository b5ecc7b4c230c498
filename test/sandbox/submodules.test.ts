// Ordinary work with submodules keeps working in the jail: the person's own, those that commands add, and
// those of a linked worktree. Their settings lead git nowhere else.
// @module-tag long
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let base: string;
let home: string;
const git = (cwd: string, ...args: string[]) => hostGit(home, cwd, ...args);
const run = (id: string, command: string) => server.client.value(ExecValue, id, "exec", { command });
const add = "git -c protocol.file.allow=always submodule --quiet add";

beforeAll(async () => {
  base = await freshFolder("served");
  home = newHome(dirname(base));
  for (const place of [join(base, "main"), join(base, "model")]) {
    mkdirSync(place);
    git(place, "init", "-q");
    writeFileSync(join(place, "a.txt"), "one\n");
    git(place, "add", "-A");
    git(place, "commit", "-qm", "first");
  }
  git(join(base, "main"), "submodule", "--quiet", "add", join(base, "model"), "lib");
  git(join(base, "main"), "commit", "-qm", "module");
  git(join(base, "main"), "worktree", "add", "-q", join(base, "linked"));
  git(join(base, "linked"), "submodule", "--quiet", "update", "--init");
  server = await RunningServer.start({ workspace: base });
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

describe.each(["main", "linked"])("in %s", (path) => {
  test("a person's submodule takes commits, branches and a rebase, and none of its settings changes", async () => {
    const { id } = await server.client.create({ source: { path } });
    const work =
      "cd lib && echo b > b && git add b && git commit -qm b && git checkout -q -b t && git commit -q --allow-empty -m t && git rebase -q HEAD~1";
    expect(await run(id, work)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(git(join(base, path, "lib"), "log", "-1", "--format=%s")).toBe("t\n");
    for (const command of [
      "git -C lib config core.fsmonitor x",
      "G=$(git -C lib rev-parse --absolute-git-dir); cp /bin/true $G/hooks/pre-commit",
    ])
      expect((await run(id, command)).exitCode).not.toBe(0);
  });
});

test("submodules that commands add take commits of later ones", async () => {
  const { id } = await server.client.create({ source: { path: "main" } });
  await run(id, "git init -q made && cd made && git commit -q --allow-empty -m m");
  for (const name of ["one", "two"]) {
    await run(id, `${add} ./made ${name}`);
    const { exitCode, stdout } = await run(
      id,
      `cd ${name} && echo x > x && git add x && git commit -qm ${name} && git log -1 --format=%s`,
    );
    expect([exitCode, stdout]).toEqual([0, `${name}\n`]);
  }
  expect(await run(id, "git commit -qm modules && git -C one commit -q --allow-empty -m more")).toMatchObject(
    { exitCode: 0 },
  );
});

describe("git writes settings to update submodules:", () => {
  const local = "git -c protocol.file.allow=always";
  const hint = "git submodule foreach 'git checkout $sha1'";
  beforeAll(() => {
    git(base, "init", "-q", "parent");
    git(join(base, "parent"), "submodule", "--quiet", "add", join(base, "model"), "lib");
    git(join(base, "parent"), "commit", "-qm", "module");
  });
  const statusIn = (path: string) => git(join(base, path), "submodule", "status").slice(0, 1);

  test("where it cannot, the result says how to check out what is recorded, and that works", async () => {
    const { id } = await server.client.create({ source: { path: "parent" } });
    await run(
      id,
      "cd lib && git commit -q --allow-empty -m more && git -C .. commit -qam bump && git -C .. checkout -q HEAD~1",
    );
    expect(statusIn("parent")).toBe("+");
    for (const command of ["git submodule update", "git submodule sync"]) {
      const { exitCode, stderr } = await run(id, command);
      expect([command, exitCode]).not.toEqual([command, 0]);
      expect(stderr).toContain(hint);
    }
    expect(await run(id, hint)).toMatchObject({ exitCode: 0 });
    expect(statusIn("parent")).toBe(" ");
  });

  test("one that is missing in a clone is fetched as the result says, and takes commits", async () => {
    git(base, "-c", "protocol.file.allow=always", "clone", "-q", "parent", "fresh");
    const { id } = await server.client.create();
    const refused = await run(id, `cd fresh && ${local} submodule update --init`);
    expect(refused.stderr).toContain(
      "git -c submodule.NAME.url=URL -c submodule.NAME.active=true submodule update NAME",
    );
    const url = join(base, "model");
    const fetched = `cd fresh && ${local} -c submodule.lib.url=${url} -c submodule.lib.active=true submodule update lib`;
    expect(await run(id, fetched)).toMatchObject({ exitCode: 0 });
    const work = "cd fresh/lib && echo n > n && git add n && git commit -qm n && git -C .. commit -qam n";
    expect(await run(id, work)).toMatchObject({ exitCode: 0, stderr: "" });
    git(join(base, "fresh"), "submodule", "init");
    expect(statusIn("fresh")).toBe(" ");
  });

  test("a linked worktree and a clone that a command makes get theirs as usual", async () => {
    const { id } = await server.client.create();
    const worktree = `git -C parent worktree add -q ../other && cd other && ${local} submodule --quiet update --init`;
    expect(await run(id, worktree)).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(base, "other", "lib", "a.txt"))).toBe(true);
    const clone = await run(id, `${local} clone -q --recurse-submodules parent copy`);
    expect([clone.exitCode, clone.stderr]).toEqual([0, ""]);
    expect(statusIn("copy")).toBe(" ");
  });
});

describe("a folder called modules is not git's, and settings lead git nowhere else:", () => {
  const plant = (place: string) =>
    `git init -q ${place}; cd ${place}; echo planted > .profile; git add .profile; git commit -qm x; rm .profile`;
  test.each([
    [
      "plain, to a folder of the workspace",
      "p1",
      `mkdir -p p1/modules d; ${plant("p1/modules/x")}; git config core.worktree $W/d`,
    ],
    [
      "plain, through a link",
      "p2",
      `mkdir -p p2/modules; ln -s $OUT lnk2; ${plant("p2/modules/x")}; git config core.worktree $W/lnk2`,
    ],
    [
      "git's, through a link",
      "p3",
      `git init -q p3; ln -s $OUT lnk3; mkdir p3/.git/modules; git init -q --bare p3/.git/modules/x; git -C p3/.git/modules/x config core.bare false; git -C p3/.git/modules/x config core.worktree ../../../../lnk3`,
    ],
    [
      "git's, by way of a link's parent",
      "p4",
      `git init -q p4; ln -s $OUT/in lnk4; mkdir p4/.git/modules; git init -q --bare p4/.git/modules/x; git -C p4/.git/modules/x config core.bare false; git -C p4/.git/modules/x config core.worktree ../../../../lnk4/../`,
    ],
  ])("%s", async (_, place, command) => {
    const root = join(base, "main");
    const outside = await freshFolder("outside");
    mkdirSync(join(outside, "in"));
    const { id } = await server.client.create({ source: { path: "main" } });
    const { stderr } = await run(id, `W=$PWD; OUT=${outside}; ${command}`);
    expect(stderr).toContain("core.worktree");
    const [settings = ""] = [
      join(root, place, "modules/x/.git/config"),
      join(root, place, ".git/modules/x/config"),
    ].filter(existsSync);
    expect(readFileSync(settings, "utf8")).not.toContain("worktree");
    expect(readdirSync(outside)).toEqual(["in"]);
  });
});
