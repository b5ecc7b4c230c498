import { mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { Committed, GitInSandbox } from "../../shared/delivery.ts";
import { GitValue } from "../../shared/git.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit } from "./host-git.ts";
import type { RunningServer } from "./running-server.ts";
import { servedRepositories } from "./served-repositories.ts";

let server: RunningServer;
let workspace: string;
let id: string;
let keys = 0;

const lines = (changed: Record<number, string> = {}) =>
  Array.from({ length: 40 }, (_, at) => `${changed[at] ?? `line ${at}`}\n`).join("");
const repository = servedRepositories(
  { "a.txt": lines(), "b.txt": "b\n", ".gitignore": "*.log\n" },
  { own: true },
);
const { git, put } = repository;
const run = (command: string) => server.client.value(ExecValue, id, "exec", { command });
const fresh = () => `key-${++keys}`;
const commit = (args: object) =>
  server.client.value(Committed, id, "commit", { key: fresh(), message: "Change it", ...args });
const refusal = (args: object) =>
  server.client.failure(id, "commit", { key: fresh(), message: "Change it", ...args });
const diff = async () =>
  (await server.client.value(GitValue, id, "git", { verb: "diff", since: "HEAD", whose: "own" }, "readonly"))
    .stdout;
const seenOf = (text: string, path: string) =>
  new RegExp(`^diff --git a/${path} .*\\n(?:.+\\n)*?index (\\S+)`, "m").exec(text)?.[1] ?? "";
const stateOf = async () => {
  const answer = await server.client.get(`/sandboxes/${id}/git`);
  expect(answer.status).toBe(200);
  return z.parse(GitInSandbox, answer.body);
};
const headFile = (path: string) => hostGit(repository.home, workspace, "show", `HEAD:${path}`);

beforeEach(async () => {
  ({ server, workspace } = repository);
  id = (await server.client.create({ source: { path: repository.path } })).id;
});

test("the state has branch, head, upstream, ahead, behind and the remote without its credentials", async () => {
  const head = git("rev-parse", "HEAD");
  expect(await stateOf()).toEqual({
    ...{ branch: "main", head, upstream: null, ahead: 1, behind: 0 },
    ...{ defaultBranch: null, clean: true, remote: null },
  });
  git("remote", "add", "origin", "https://user:sesame-1@git.example:8443/group/team/app.git");
  git("update-ref", "refs/remotes/origin/trunk", "HEAD");
  git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
  git("commit", "--allow-empty", "-qm", "theirs");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  git("reset", "-q", "--hard", "HEAD~");
  await run("echo x >> a.txt; echo y >> b.txt");
  await commit({ paths: ["a.txt"] });
  const { head: _, ...state } = await stateOf();
  expect(state).toEqual({
    ...{ branch: "main", upstream: "origin/main", ahead: 1, behind: 1, defaultBranch: "trunk", clean: false },
    remote: "https://git.example:8443/group/team/app.git",
  });
  git("remote", "set-url", "origin", "git@git.example:me/app.git");
  expect((await stateOf()).remote).toBe("git@git.example:me/app.git");
  git("remote", "set-url", "origin", "ext::sh -c true");
  expect((await stateOf()).remote).toBeNull();
});

describe("outside a folder with a repository of its own", () => {
  test("a folder without a repository is reported as such", async () => {
    await rm(join(workspace, ".git"), { recursive: true });
    expect((await refusal({})).code).toBe("unsupported");
    expect((await server.client.get(`/sandboxes/${id}/git`)).status).toBe(501);
  });

  test("a repository with SHA-256 ids says that commits are not supported there, before its first commit too", {
    tags: "long",
  }, async () => {
    await rm(join(workspace, ".git"), { recursive: true });
    git("init", "-q", "-b", "main", "--object-format=sha256");
    const why = { code: "unsupported", message: expect.stringContaining("SHA-256") };
    expect(await refusal({ paths: ["a.txt"] })).toMatchObject(why);
    git("commit", "-q", "--allow-empty", "-m", "first");
    expect(await refusal({ paths: ["a.txt"] })).toMatchObject(why);
  });

  test("a folder inside a larger repository is committed, and the rest of it is unchanged", async () => {
    await mkdir(join(workspace, "part"));
    await put("part/x.txt", lines());
    git("add", "-A");
    git("commit", "-qm", "part");
    await put("b.txt", "by an editor\n");
    id = (await server.client.create({ source: { path: `${basename(workspace)}/part` } })).id;
    await put("part/x.txt", lines({ 1: "one", 30: "thirty" }));
    await run("echo new > y.txt");
    const seen = seenOf(await diff(), "x.txt");
    const text = await server.client.value(GitValue, id, "git", { verb: "diff", since: "HEAD" }, "readonly");
    const hunk = { path: "x.txt", seen: seenOf(text.stdout, "x.txt") || seen, hunk: 1 };
    expect((await commit({ paths: ["y.txt"], hunks: [hunk] })).files).toEqual(["part/x.txt", "part/y.txt"]);
    expect(headFile("part/x.txt")).toBe(lines({ 1: "one" }));
    expect(git("status", "--short").split("\n")).toEqual(["M b.txt", " M part/x.txt"]);
  });

  test("a worktree is committed on its own branch", { tags: "long" }, async () => {
    const made = await server.client.create({
      source: { path: basename(workspace) },
      worktree: { when: "always", name: "Apart" },
    });
    id = made.id;
    await run("echo x >> a.txt");
    expect((await commit({})).branch).toBe("handrail/apart");
    expect([git("log", "-1", "--format=%s", "handrail/apart"), git("log", "-1", "--format=%s")]).toEqual([
      "Change it",
      "first",
    ]);
  });
});

test("a commit that a command replaced is not shown as the original, and hides none before it", async () => {
  await run("git commit -q --allow-empty -m hidden; git commit -q --allow-empty -m 'as it is'");
  await run(
    "git update-ref refs/replace/$(git rev-parse HEAD) $(git commit-tree -m forged HEAD^{tree} -p HEAD~2)",
  );
  expect(git("log", "--format=%s")).toBe("forged\nfirst");
  expect((await stateOf()).ahead).toBe(3);
  const log = await server.client.value(GitValue, id, "git", { verb: "log" }, "readonly");
  expect(log.stdout.match(/as it is|hidden|forged|first/g)).toEqual(["as it is", "hidden", "first"]);
});

test("a branch whose name holds a secret is shown by its mark, under which work is committed there", async () => {
  const secret = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
  await run(`git switch -qc fix-${secret}; echo x >> a.txt`);
  const { branch } = await stateOf();
  expect(branch).toBe("fix-[redacted: GitHub token]");
  expect((await commit({ branch })).branch).toBe(branch);
  expect(git("log", "-1", "--format=%s", `fix-${secret}`)).toBe("Change it");
  expect(JSON.stringify(await refusal({ branch: "another [redacted: GitHub token]" }))).toContain(
    "no such name",
  );
});
