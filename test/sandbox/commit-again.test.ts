// What can be done about the newest commit while no remote has it: amended, taken back; and the branch alone.
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Committed } from "../../shared/delivery.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let served: string;
let workspace: string;
let home: string;
let id: string;
let keys = 0;

const git = (...args: string[]) => hostGit(home, workspace, ...args).trim();
const run = (command: string) => server.client.value(ExecValue, id, "exec", { command });
const asked = (args: object) => ({ key: `key-${++keys}`, ...args });
const commit = (args: object) => server.client.value(Committed, id, "commit", asked(args));
const refusal = (args: object) => server.client.failure(id, "commit", asked(args));
const head = () => git("rev-parse", "HEAD");

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
  workspace = await mkdtemp(join(served, "workspace-"));
  await writeFile(join(workspace, "a.txt"), "a\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  id = (await server.client.create({ source: { path: basename(workspace) } })).id;
  await run("echo b > b.txt; echo c > c.txt");
});

test("a commit is taken back: its files are uncommitted again and as they were", async () => {
  const first = head();
  const made = await commit({ message: "Second", paths: ["b.txt"] });
  expect(await commit({ undo: made.commit })).toEqual({ commit: first, branch: "main", files: [] });
  expect([head(), await readFile(join(workspace, "b.txt"), "utf8")]).toEqual([first, "b\n"]);
  const again = await commit({ message: "Second again", paths: ["b.txt", "c.txt"] });
  expect([again.files, git("status", "--short")]).toEqual([["b.txt", "c.txt"], ""]);
});

test("the very first commit of a repository is taken back", { tags: "long" }, async () => {
  expect(await commit({ undo: head() })).toEqual({ commit: "", branch: "main", files: [] });
  expect(git("status", "--short").split("\n")).toEqual(["A  a.txt", "?? b.txt", "?? c.txt"]);
});

test("an amended commit holds more, keeps its author and parent, and its message unless there is another", {
  tags: "long",
}, async () => {
  git("commit", "-q", "--allow-empty", "-m", "Theirs\n\nBody.", "--author=Ann <ann@example.org>");
  const old = head();
  const made = await commit({ amend: old, paths: ["b.txt"] });
  expect([made.files, git("log", "--format=%s|%an|%b")]).toEqual([
    ["b.txt"],
    "Theirs|Ann|Body.\n\nfirst|Person|",
  ]);
  await commit({ amend: made.commit, paths: ["b.txt"], message: "Other words" });
  expect(git("log", "--format=%s|%ae")).toBe("Other words|ann@example.org\nfirst|person@example.org");
  expect(git("show", "--format=", "--name-only", "HEAD")).toBe("b.txt");
});

test("a commit that is not the newest, or that a remote has, is neither amended nor taken back", {
  tags: "long",
}, async () => {
  const first = head();
  await commit({ message: "Second", paths: ["b.txt"] });
  expect([(await refusal({ undo: first })).code, (await refusal({ amend: first })).code]).toEqual([
    "stale_file",
    "stale_file",
  ]);
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  for (const what of [{ undo: head() }, { amend: head(), message: "x" }])
    expect((await refusal(what)).message).toContain("was pushed already");
  expect(git("log", "--format=%s")).toBe("Second\nfirst");
});

test("taking back twice under one key takes back once, and so does amending", { tags: "long" }, async () => {
  const one = await commit({ message: "One", paths: ["b.txt"] });
  const two = await commit({ message: "Two", paths: ["c.txt"] });
  const undo = { key: "undo-1", undo: two.commit };
  const [a, b] = await Promise.all(
    ["x", "y"].map((call) =>
      server.client.results(id, { access: "write", calls: [{ key: call, op: "commit", args: undo }] }),
    ),
  );
  expect([a?.[0]?.value, b?.[0]?.value]).toEqual([
    expect.objectContaining({ commit: one.commit }),
    expect.objectContaining({ commit: one.commit }),
  ]);
  expect(git("log", "--format=%s")).toBe("One\nfirst");
});

test("the author is whom the request names; what git would read as something else is refused", async () => {
  await commit({ message: "x", paths: ["b.txt"], author: { name: "Zoë Q", email: "zoe@example.org" } });
  expect(git("log", "-1", "--format=%an <%ae>|%cn")).toBe("Zoë Q <zoe@example.org>|Person");
  for (const name of ["a\nb", "a <b>", ""])
    expect((await refusal({ message: "x", author: { name, email: "a@b" } })).code).toBe("invalid_request");
});

test("the branch alone is made and gone to; nothing is committed, and nothing of the files is another", async () => {
  const first = head();
  const made = await commit({ branch: "handrail/limits", paths: [] });
  expect(made).toEqual({ commit: first, branch: "handrail/limits", files: [] });
  expect([git("branch", "--show-current"), git("status", "--short")]).toEqual([
    "handrail/limits",
    "?? b.txt\n?? c.txt",
  ]);
});

test("a session's branch gets another name: one branch is left, and a person's own branch stays", {
  tags: "long",
}, async () => {
  await commit({ branch: "handrail/one", paths: [] });
  await commit({ message: "On it", paths: ["b.txt"] });
  const { commit: at } = await commit({ branch: "handrail/two", paths: [] });
  expect([at, git("branch", "--format=%(refname:short)").split("\n")]).toEqual([
    head(),
    ["handrail/two", "main"],
  ]);
});
