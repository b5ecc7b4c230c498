// The remains after a session moves into a worktree or is deleted: of a server that died meanwhile, of the
// person's own worktrees, and of others' changes in the folder.
// @module-tag long
import { readFileSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit } from "./host-git.ts";
import { freshFolder, RunningServer } from "./running-server.ts";
import { servedRepositories } from "./served-repositories.ts";

const repository = servedRepositories({ "b.txt": "b\n" });
const { git } = repository;

let server: RunningServer;
let path: string;
let workspace: string;
/** The person's own worktree of the same repository. */
let mine: string;
const give = (id: string, name: string) => server.client.post(`/sandboxes/${id}/worktree`, { name });
const placeOf = (id: string) => join(server.state, "sandboxes", id, "worktree");

beforeEach(async () => {
  ({ server, workspace, path } = repository);
  mine = join(await freshFolder("hotfix"), "mine");
  git("worktree", "add", "-q", "-b", "hotfix", mine);
});

test("a worktree that a killed server had started is removed, and created again", async () => {
  const { id } = await server.client.create({ source: { path } });
  git("worktree", "add", "-q", "--lock", "-b", "handrail/keys", placeOf(id));

  expect(await give(id, "Keys")).toMatchObject({ status: 201, body: { branch: "handrail/keys" } });
  const command = { command: "cat b.txt; git status --short" };
  const { stdout } = await server.client.value(ExecValue, id, "exec", command);
  expect(stdout).toBe("b\n");
  expect(git("branch", "--format=%(refname:short)").split("\n")).toEqual(["handrail/keys", "hotfix", "main"]);
  expect(hostGit(repository.home, mine, "status", "--short")).toBe("");
});

test("a branch with commits that no other has stays, even if its worktree's files are gone", async () => {
  const { id } = await server.client.create({ source: { path } });
  const gone = placeOf(id);
  git("worktree", "add", "-q", "--lock", "-b", "handrail/keys", gone);
  hostGit(repository.home, gone, "commit", "-q", "--allow-empty", "-m", "in nobody's sight");
  await rm(gone, { recursive: true });

  expect(await give(id, "Keys")).toMatchObject({ status: 201, body: { branch: "handrail/keys-2" } });
  expect(git("log", "-1", "--format=%s", "handrail/keys")).toBe("in nobody's sight");
});

test("a branch that is not a session's stays, though its worktree is removed and others contain all of it", async () => {
  const { id } = await server.client.create({ source: { path } });
  git("worktree", "add", "-q", "--lock", "-b", "release", placeOf(id));

  expect(await give(id, "Keys")).toMatchObject({ status: 201, body: { branch: "handrail/keys" } });
  expect(git("branch", "--format=%(refname:short)").split("\n")).toContain("release");
});

test("a worktree that cannot be created loses none of the person's changes", async () => {
  const { id } = await server.client.create({ source: { path } });
  // Git cannot make branches below "handrail/" if there is a branch called "handrail".
  git("branch", "handrail");

  expect(await give(id, "Keys")).toMatchObject({
    status: 400,
    body: { error: { code: "invalid_request" } },
  });
  expect(hostGit(repository.home, mine, "status", "--short")).toBe("");
});

const keepsHead = "handrail/keys";
test.each([
  ["on another branch", "git add -A; git commit -qm kept; git checkout -qb other HEAD~1", keepsHead],
  ["on no branch", "git checkout -q --detach; git add -A; git commit -qm kept", keepsHead],
  [
    "uncommitted, with a lock that a killed git left",
    'touch "$(git rev-parse --git-dir)"/index.lock',
    keepsHead,
  ],
  ["uncommitted, with an invalid HEAD", 'echo none > "$(git rev-parse --git-dir)/HEAD"', keepsHead],
  [
    "on a branch that is locked",
    'touch "$(git rev-parse --git-common-dir)/refs/heads/handrail/keys.lock"',
    "handrail/keys-2",
  ],
])("work of a deleted session stays on a branch: %s", async (_, command, branch) => {
  const { id } = await server.client.create({ source: { path }, worktree: { when: "always", name: "Keys" } });
  await server.client.value(ExecValue, id, "exec", { command: `echo kept > kept.txt; ${command}` });

  expect(await server.client.fetch(`/sandboxes/${id}`, { method: "DELETE" })).toMatchObject({ status: 204 });
  expect(git("show", `${branch}:kept.txt`)).toBe("kept");
  expect(git("worktree", "list").split("\n")).toHaveLength(2);
});

test("a deleted session's files that git cannot store are not deleted", async () => {
  const { id } = await server.client.create({ source: { path }, worktree: { when: "always", name: "Keys" } });
  await server.client.value(ExecValue, id, "exec", { command: "echo kept > kept.txt" });
  await rm(join(workspace, ".git", "objects"), { recursive: true });
  await writeFile(join(workspace, ".git", "objects"), "");

  expect(await server.client.fetch(`/sandboxes/${id}`, { method: "DELETE" })).toMatchObject({ status: 204 });
  const [left = ""] = await readdir(join(server.state, "sandboxes")).then((names) =>
    names.filter((name) => name.startsWith(".unsaved-")),
  );
  expect(await readFile(join(server.state, "sandboxes", left, "worktree", "kept.txt"), "utf8")).toBe(
    "kept\n",
  );
});

test("a server killed while the work moves leaves it in one place, and what others saved meanwhile stays", async () => {
  const state = await freshFolder("state");
  const killed = await RunningServer.start({ workspace: repository.served, state });
  const { id } = await killed.client.create({ source: { path } });
  const command = "echo mine > mine.txt; echo also > also.txt; echo changed >> b.txt";
  await killed.client.value(ExecValue, id, "exec", { command });
  const moving = killed.client.post(`/sandboxes/${id}/worktree`, { name: "Keys" }).catch(() => undefined);
  const record = join(state, "sandboxes", id, "sandbox.json");
  while (!readFileSync(record, "utf8").includes('"worktree":{')) await new Promise(setImmediate);
  await killed.kill();
  await moving;
  await writeFile(join(workspace, "also.txt"), "saved by the person\n");
  await writeFile(join(workspace, "new.txt"), "new\n");

  const next = await RunningServer.start({ workspace: repository.served, state });
  expect(git("status", "--short")).toBe("?? also.txt\n?? new.txt");
  expect(await readFile(join(workspace, "also.txt"), "utf8")).toBe("saved by the person\n");
  const look = { command: "cat mine.txt also.txt b.txt; git status --short" };
  const { stdout } = await next.client.value(ExecValue, id, "exec", look);
  expect(stdout).toBe("mine\nalso\nb\nchanged\n M b.txt\n?? also.txt\n?? mine.txt\n");
  const brought = await next.client.post(`/sandboxes/${id}/bring-back`, { how: "merge", message: "keys" });
  expect(brought).toMatchObject({ status: 200, body: { done: false, blocked: ["also.txt"] } });
  await rm(join(workspace, "also.txt"));
  const again = await next.client.post(`/sandboxes/${id}/bring-back`, { how: "merge", message: "keys" });
  expect(again).toMatchObject({ status: 200, body: { done: true } });
  await next.stop();
});

test("files in which others changed the session's lines move along unchanged, and stay in the folder", async () => {
  const { id } = await server.client.create({ source: { path } });
  const run = (command: string) => server.client.value(ExecValue, id, "exec", { command });
  await run("echo new > made.txt; echo new > longer.txt; echo mine > b.txt; echo mine > alone.txt");
  const others = { "made.txt": "another\n", "longer.txt": "new\nmore\n", "b.txt": "another\n" };
  for (const [name, content] of Object.entries(others)) await writeFile(join(workspace, name), content);
  expect(await give(id, "Mine")).toMatchObject({ status: 201 });
  for (const [name, content] of Object.entries(others)) {
    expect(readFileSync(join(workspace, name), "utf8")).toBe(content);
    expect((await run(`cat ${name}`)).stdout).toBe(content);
  }
  expect(await readdir(workspace)).not.toContain("alone.txt");
  expect((await run("cat alone.txt")).stdout).toBe("mine\n");
});
