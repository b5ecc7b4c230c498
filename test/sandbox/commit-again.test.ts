// The newest commit can be amended and undone as long as no remote has it, and a branch can be made without a
// commit.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { Committed } from "../../shared/delivery.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import type { RunningServer } from "./running-server.ts";
import { servedRepositories } from "./served-repositories.ts";

const repository = servedRepositories({ "a.txt": "a\n" }, { own: true });
const { git } = repository;

let server: RunningServer;
let workspace: string;
let id: string;
let keys = 0;

const run = (command: string) => server.client.value(ExecValue, id, "exec", { command });
const asked = (args: object) => ({ key: `key-${++keys}`, ...args });
const commit = (args: object) => server.client.value(Committed, id, "commit", asked(args));
const refusal = (args: object) => server.client.failure(id, "commit", asked(args));
const head = () => git("rev-parse", "HEAD");

beforeEach(async () => {
  ({ server, workspace } = repository);
  id = (await server.client.create({ source: { path: repository.path } })).id;
  await run("echo b > b.txt; echo c > c.txt");
});

test("a commit is undone: its files are uncommitted again and unchanged", async () => {
  const first = head();
  const made = await commit({ message: "Second", paths: ["b.txt"] });
  expect(await commit({ undo: made.commit })).toEqual({ commit: first, branch: "main", files: [] });
  expect([head(), await readFile(join(workspace, "b.txt"), "utf8")]).toEqual([first, "b\n"]);
  const again = await commit({ message: "Second again", paths: ["b.txt", "c.txt"] });
  expect([again.files, git("status", "--short")]).toEqual([["b.txt", "c.txt"], ""]);
});

test("the very first commit of a repository is undone", { tags: "long" }, async () => {
  expect(await commit({ undo: head() })).toEqual({ commit: "", branch: "main", files: [] });
  expect(git("status", "--short").split("\n")).toEqual(["A  a.txt", "?? b.txt", "?? c.txt"]);
});

test("an amended commit holds more, keeps its author and parent, and its message unless a new one is given", {
  tags: "long",
}, async () => {
  const theirs = ["--author=Ann <ann@example.org>", "--date=2001-02-03T04:05:06+0100"];
  git("commit", "-q", "--allow-empty", "-m", "Theirs\n\nBody.", ...theirs);
  const old = head();
  const made = await commit({ amend: old, paths: ["b.txt"] });
  expect([made.files, git("log", "--format=%s|%an|%b")]).toEqual([
    ["b.txt"],
    "Theirs|Ann|Body.\n\nfirst|Person|",
  ]);
  await commit({ amend: made.commit, paths: ["b.txt"], message: "Other words" });
  expect(git("log", "--format=%s|%ae")).toBe("Other words|ann@example.org\nfirst|person@example.org");
  expect(git("show", "--format=", "--name-only", "HEAD")).toBe("b.txt");
  expect(git("show", "--no-patch", "--format=%aI")).toBe("2001-02-03T04:05:06+01:00");
});

test("a commit that is not the newest, or that a remote has, is neither amended nor undone", {
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

test("undoing or amending twice under one key happens once", { tags: "long" }, async () => {
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

test("the author is the one in the request; what git would read differently is refused", async () => {
  await commit({ message: "x", paths: ["b.txt"], author: { name: "Zoë Q", email: "zoe@example.org" } });
  expect(git("log", "-1", "--format=%an <%ae>|%cn")).toBe("Zoë Q <zoe@example.org>|Person");
  for (const name of ["a\nb", "a <b>", ""])
    expect((await refusal({ message: "x", author: { name, email: "a@b" } })).code).toBe("invalid_request");
});

test("a branch alone is created and checked out; nothing is committed, and no file changes", async () => {
  const first = head();
  const made = await commit({ branch: "handrail/limits", paths: [] });
  expect(made).toEqual({ commit: first, branch: "handrail/limits", files: [] });
  expect([git("branch", "--show-current"), git("status", "--short")]).toEqual([
    "handrail/limits",
    "?? b.txt\n?? c.txt",
  ]);
});

test("a session's branch is renamed: one branch is left, and a person's own branch stays", {
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

test("nothing is committed during an unfinished merge, and a merge is not undone", async () => {
  git("switch", "-q", "-c", "side");
  git("commit", "-q", "--allow-empty", "-m", "theirs");
  git("switch", "-q", "main");
  git("commit", "-q", "--allow-empty", "-m", "ours");
  const ours = head();
  git("merge", "-q", "--no-ff", "--no-commit", "side");
  expect((await refusal({ message: "x", paths: ["b.txt"] })).message).toContain("A merge is under way");
  expect(head()).toBe(ours);
  git("commit", "-q", "-m", "merged");
  const merged = head();
  expect((await refusal({ undo: merged })).message).toContain("merge");
  expect(head()).toBe(merged);
});

test("with a detached HEAD, a commit needs a branch name", async () => {
  const old = head();
  git("switch", "-q", "--detach");
  expect((await refusal({ message: "x", paths: ["b.txt"] })).message).toContain("HEAD is on none");
  expect(head()).toBe(old);
  expect((await commit({ message: "x", paths: ["b.txt"], branch: "work" })).branch).toBe("work");
  expect(git("log", "--format=%s", "main..work")).toBe("x");
});
