// A served folder that is part of a larger repository: attribution of changes, commits, undo, and features
// that it cannot have.
// @module-tag long
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Committed } from "../../shared/delivery.ts";
import { GitValue } from "../../shared/git.ts";
import { ChangeValue, ExecValue } from "../../shared/sandbox.ts";
import { RestoreValue } from "../../shared/snapshot.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let served: string;
let repository: string;
let home: string;
let count = 0;
let [one, other] = ["", ""];
const git = (...args: string[]) => hostGit(home, repository, ...args).trimEnd();
const put = (name: string, text: string) => writeFile(join(repository, name), text);
const text = (name: string) => readFile(join(repository, name), "utf8").catch(() => null);
const run = (id: string, command: string) => server.client.value(ExecValue, id, "exec", { command });
const diff = (id: string, args: object = {}) =>
  server.client.value(
    GitValue,
    id,
    "git",
    { verb: "diff", since: "start", whose: "own", ...args },
    "readonly",
  );
const changed = async (id: string, args: object = {}) =>
  [...(await diff(id, args)).stdout.matchAll(/^[+-](?!\+\+|--).*$/gm)].map(([line]) => line);

beforeAll(async () => {
  served = await freshFolder("workspace");
  home = newHome(await freshFolder("home"));
  server = await RunningServer.start({ workspace: served, env: { HOME: home } });
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});
beforeEach(async () => {
  count += 1;
  repository = join(served, `repository-${count}`);
  await mkdir(join(repository, "packages/app/src"), { recursive: true });
  await put("root.txt", "root\n");
  await put("packages/app/a.txt", "one\ntwo\nthree\n");
  await put("packages/app/src/b.txt", "b\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  const path = `${basename(repository)}/packages/app`;
  one = (await server.client.create({ source: { path } })).id;
  other = (await server.client.create({ source: { path } })).id;
});

test("two sessions and a person in it each have their own changes; nothing outside it belongs to anybody", async () => {
  await run(one, "sed -i 's/one/eins/' a.txt");
  await put("packages/app/a.txt", "eins\ntwo\ndrei\n");
  await put("root.txt", "by the person\n");
  await server.client.value(ChangeValue, other, "change", {
    files: [{ path: "src/new.txt", base: null, content: "new\n" }],
  });
  expect([await changed(one), await changed(other)]).toEqual([["-one", "+eins"], ["+new"]]);
  expect(await changed(one, { whose: "others" })).toEqual(["-three", "+drei", "+new"]);
});

test("after a commit, only changes in the folder count, also where the commit before did not have it", async () => {
  const counted = async (id: string) =>
    changed(id, { since: (await diff(id)).countedFrom?.snapshot ?? "start" });
  await run(one, "echo four >> a.txt; echo c >> src/b.txt; git commit -qm part a.txt; echo five >> a.txt");
  await put("root.txt", "by the person\n");
  expect((await diff(one)).countedFrom).toMatchObject({ commit: git("rev-parse", "HEAD"), made: true });
  expect(await counted(one)).toEqual(["+five", "+c"]);

  await mkdir(join(repository, "packages/new"));
  const { id } = await server.client.create({ source: { path: `${basename(repository)}/packages/new` } });
  await run(id, "echo x > x.txt; git add .; git commit -qm new .; echo y >> x.txt");
  const from = (await diff(id)).countedFrom;
  expect([from?.commit, from?.unread]).toEqual([git("rev-parse", "HEAD"), false]);
  expect(await counted(id)).toEqual(["+y"]);
});

test("committed files are named as the changes name them, whoever made the commit", async () => {
  await run(one, "sed -i 's/one/eins/' a.txt; echo x > src/x.txt; echo y > y.txt");
  const made = await server.client.value(Committed, one, "commit", {
    key: "k1",
    message: "Part of it",
    paths: ["src/x.txt"],
  });
  expect([made.branch, git("show", "--stat=80", "--format=", "HEAD").split("\n")[0]?.trim()]).toEqual([
    "main",
    "packages/app/src/x.txt | 1 +",
  ]);
  const by = (await diff(one)).commits?.map(({ commit, files }) => [commit.replace(/^\w+ /, ""), files]);
  expect(by).toEqual([["Part of it", ["src/x.txt"]]]);
  await run(one, "git add a.txt && git commit -qm 'By a command'");
  const all = (await diff(one)).commits?.map(({ commit, files }) => [commit.replace(/^\w+ /, ""), files]);
  expect(all?.toSorted()).toEqual([
    ["By a command", ["a.txt"]],
    ["Part of it", ["src/x.txt"]],
  ]);
  expect(git("status", "--short")).toBe("?? packages/app/y.txt");
});

test("an undo reverts the session's own, leaves the rest of the repository, and can itself be undone", async () => {
  await run(one, "sed -i 's/one/eins/' a.txt; rm src/b.txt; echo made > made.txt");
  await put("root.txt", "by the person\n");
  git("add", "root.txt");
  await run(other, "echo theirs > theirs.txt");
  const undone = { snapshot: "start", own: true };
  const { snapshot } = await server.client.value(RestoreValue, one, "restore", undone);
  expect(await Promise.all(["a.txt", "src/b.txt"].map((name) => text(`packages/app/${name}`)))).toEqual([
    "one\ntwo\nthree\n",
    "b\n",
  ]);
  expect(git("status", "--short").split("\n")).toEqual(["M  root.txt", "?? packages/app/theirs.txt"]);
  await server.client.value(RestoreValue, one, "restore", { snapshot, own: true });
  expect(git("status", "--short").split("\n")).toEqual([
    " M packages/app/a.txt",
    " D packages/app/src/b.txt",
    "M  root.txt",
    "?? packages/app/made.txt",
    "?? packages/app/theirs.txt",
  ]);
});

test("a server says whether its folder can currently have worktrees", async () => {
  const whole = await RunningServer.start({ workspace: repository, env: { HOME: home } });
  const part = await RunningServer.start({
    workspace: join(repository, "packages/app"),
    env: { HOME: home },
  });
  const bare = await RunningServer.start({ workspace: await freshFolder("bare"), env: { HOME: home } });
  const told = async ({ client }: RunningServer) => (await client.get("/capabilities")).body;
  try {
    expect(await told(whole)).toMatchObject({ worktrees: true });
    expect(await told(part)).toMatchObject({ worktrees: false });
    expect(await told(bare)).toMatchObject({ worktrees: false });
    hostGit(home, join(repository, "packages/app"), "init", "-q");
    expect(await told(part)).toMatchObject({ worktrees: true });
  } finally {
    await Promise.all([whole, part, bare].map((each) => each.stop()));
  }
});

test("a worktree of it is refused with a message, and a second session shares the folder", async () => {
  const path = `${basename(repository)}/packages/app`;
  const refused = await server.client.post(`/sandboxes/${one}/worktree`, {});
  expect(refused).toMatchObject({
    status: 501,
    body: {
      error: { code: "unsupported", message: expect.stringContaining("a part of a larger repository") },
    },
  });
  const second = await server.client.create({ source: { path }, worktree: { when: "shared", name: "x" } });
  expect(second).not.toHaveProperty("worktree");
  await run(second.id, "echo shared > shared.txt");
  expect(await text("packages/app/shared.txt")).toBe("shared\n");
});

test("what a push would send is counted in lines even where `.gitattributes` calls text binary", async () => {
  await run(
    one,
    "echo '*.txt -diff' > .gitattributes; echo four >> a.txt; printf 'x\\ny\\n' > \"\u00fc.txt\"",
  );
  git("-C", repository, "add", "-A");
  await put("root.txt", "more\n");
  git("commit", "-qam", "second");
  const count = async (rev: string) => {
    const args = { verb: "diff", stat: true, rev };
    return (await server.client.value(GitValue, one, "git", args, "readonly")).stdout.trim().split("\n");
  };
  const lines = ["1\t0\t.gitattributes", "1\t0\ta.txt", "2\t0\t\u00fc.txt"];
  expect(await count("HEAD~..HEAD")).toEqual(lines);
  expect(await count("HEAD~...HEAD")).toEqual(lines);
});
