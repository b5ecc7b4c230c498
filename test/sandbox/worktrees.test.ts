// A session in its own git worktree: its work stays apart from the folder's and comes back by merge or by
// picking files.
import { existsSync } from "node:fs";
import { readFile, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import { GitValue } from "../../shared/git.ts";
import { ChangeValue, ExecValue, ReadValue, SandboxInfo } from "../../shared/sandbox.ts";
import { RestoreValue, SnapshotValue } from "../../shared/snapshot.ts";
import { BroughtBack, WorktreeState } from "../../shared/worktree.ts";
import { RunningServer } from "./running-server.ts";
import { servedRepositories } from "./served-repositories.ts";

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}\n`).join("");
const repository = servedRepositories({ "a.txt": lines(1, 20), "b.txt": "b\n", ".gitignore": "*.log\n" });
const { git, put } = repository;

let server: RunningServer;
let workspace: string;
let path: string;
const text = (name: string) => readFile(join(workspace, name), "utf8").catch(() => null);
const run = (id: string, command: string) => server.client.value(ExecValue, id, "exec", { command });
const told = async (id: string, command: string) => {
  const { exitCode, stdout, stderr } = await run(id, command);
  return exitCode === 0 ? stdout.trim() : `${exitCode}: ${stderr}`;
};
const replace = async (id: string, name: string, from: string, to: string) => {
  const { version, rows } = await server.client.value(ReadValue, id, "read", { path: name });
  expect(rows).toContain(from);
  const content = (await told(id, `cat ${name}`)).replace(from, to);
  return server.client.value(ChangeValue, id, "change", {
    files: [{ path: name, base: version, content: `${content}\n` }],
  });
};
const create = (worktree?: object) =>
  server.client.create({ source: { path }, ...(worktree && { worktree }) });
const back = async (id: string, body: object = { how: "merge" }) => {
  const answer = await server.client.post(`/sandboxes/${id}/bring-back`, body);
  expect(answer).toMatchObject({ status: 200 });
  return z.parse(BroughtBack, answer.body);
};
const give = async (id: string, body: object = {}) => {
  const answer = await server.client.post(`/sandboxes/${id}/worktree`, body);
  expect(answer).toMatchObject({ status: 201 });
  return z.parse(SandboxInfo, answer.body);
};
const changed = async (id: string, whose: "own" | "others" = "own") => {
  const args = { verb: "diff", since: "start", whose };
  const { stdout } = await server.client.value(GitValue, id, "git", args, "readonly");
  return [...stdout.matchAll(/^[+-](?!\+\+|--).*$/gm)].map(([line]) => line);
};
const always = { when: "always", name: "Rotate the keys!" };

beforeEach(() => {
  ({ server, workspace, path } = repository);
});

test("a worktree has its own branch, and nothing done in it is visible in the folder", async () => {
  const { id, worktree, branch, workspace: name } = await create(always);
  expect([worktree, branch, name]).toEqual([
    { branch: "handrail/rotate-the-keys", folder: path, from: "main" },
    "handrail/rotate-the-keys",
    path,
  ]);
  expect(await told(id, "pwd; git status --short --branch; git log --format=%s; cat b.txt")).toBe(
    "/workspace\n## handrail/rotate-the-keys\nfirst\nb",
  );
  await run(id, "echo c > c.txt; rm b.txt; git add -A; git commit -qm second; echo more >> a.txt");
  expect([git("status", "--short"), git("log", "--format=%s"), await text("b.txt")]).toEqual([
    "",
    "first",
    "b\n",
  ]);
  expect((await changed(id)).sort()).toEqual(["+c", "+more", "-b"]);
  // A second sandbox with the same name gets another branch.
  expect((await create(always)).branch).toBe("handrail/rotate-the-keys-2");
});

test("the second sandbox of a clean folder gets a worktree, and one of a folder with changes shares it", async () => {
  expect((await create({ when: "shared" })).worktree).toBeUndefined();
  expect((await create({ when: "shared" })).worktree).toMatchObject({ branch: "handrail/session" });
  await put("b.txt", "changed\n");
  expect((await create({ when: "shared" })).worktree).toBeUndefined();
});

test("commands in a worktree reach neither the folder's files nor the repository's hooks and settings", async () => {
  const { id } = await create(always);
  expect(await told(id, `ls ${workspace}/a.txt`)).toContain("No such file");
  expect(await told(id, `echo x > ${workspace}/.git/hooks/post-commit`)).toContain("Read-only");
  expect(await told(id, `git config core.fsmonitor /bin/false`)).toContain("lock");
  expect(await told(id, `echo x >> ${workspace}/.git/config`)).toContain("Read-only");
  expect(await told(id, `git worktree prune; git rev-parse --abbrev-ref HEAD`)).toBe(
    "handrail/rotate-the-keys",
  );
});

test("it is brought back by a merge: its commits, and its uncommitted changes as one more", async () => {
  const { id } = await create(always);
  await run(id, "echo c > c.txt; git add -A; git commit -qm second");
  await replace(id, "a.txt", "line 2\n", "two\n");
  await put("b.txt", "the person's\n");
  git("commit", "-qam", "theirs");
  const state = z.parse(WorktreeState, (await server.client.get(`/sandboxes/${id}/worktree`)).body);
  expect(state).toEqual({
    ...{ branch: "handrail/rotate-the-keys", folder: path, into: "main" },
    files: [
      { path: "a.txt", added: 1, removed: 1 },
      { path: "c.txt", added: 1, removed: 0 },
    ],
    ...{ total: 2, commits: 1, behind: 1, uncommitted: true, conflicts: [], apart: [] },
    seen: expect.stringMatching(/ main$/),
  });
  const done = await back(id, { how: "merge", message: "third" });
  expect(done).toMatchObject({ done: true, files: ["a.txt", "c.txt"], conflicts: [], blocked: [] });
  expect(git("log", "--first-parent", "--format=%s")).toBe(
    "Merge branch 'handrail/rotate-the-keys'\ntheirs\nfirst",
  );
  expect(git("log", "--format=%s", "HEAD^2")).toBe("third\nsecond\nfirst");
  expect([git("status", "--short"), await text("c.txt"), await text("b.txt")]).toEqual([
    "",
    "c\n",
    "the person's\n",
  ]);
  expect(await text("a.txt")).toBe(lines(1, 20).replace("line 2\n", "two\n"));
  // The session continues there and has the work of others, which does not count as its own.
  expect(await told(id, "git status --short; cat b.txt")).toBe("the person's");
  expect((await changed(id)).sort()).toEqual(["+c", "+two", "-line 2"]);
  expect(await back(id)).toMatchObject({ done: true, files: [] });
});

test("conflicts are shown by file and change nothing until somebody resolves them", async () => {
  const { id } = await create(always);
  await run(id, "sed -i 's/^line 2$/two/' a.txt; rm b.txt; echo c > c.txt");
  await put("a.txt", lines(1, 20).replace("line 2\n", "zwei\n"));
  await put("b.txt", "kept\n");
  git("commit", "-qam", "theirs");
  const { done, conflicts, files } = await back(id);
  expect({ done, files, paths: conflicts.map((each) => each.path) }).toEqual({
    ...{ done: false, files: [], paths: ["a.txt", "b.txt"] },
  });
  expect(conflicts[0]?.text).toMatch(/<<<<<<< HEAD\ntwo\n=======\nzwei\n>>>>>>> /);
  expect([git("log", "-1", "--format=%s"), await text("a.txt")]).toEqual([
    "theirs",
    lines(1, 20).replace("line 2\n", "zwei\n"),
  ]);
  expect(await told(id, "git status --short; sed -n 2p a.txt")).toBe("two");
  const decided = await back(id, { how: "merge", choices: { "a.txt": "session", "b.txt": "folder" } });
  expect(decided).toMatchObject({ done: true, files: ["a.txt", "c.txt"] });
  expect([await text("a.txt"), await text("b.txt"), await text("c.txt"), git("status", "--short")]).toEqual([
    lines(1, 20).replace("line 2\n", "two\n"),
    "kept\n",
    "c\n",
    "",
  ]);
});

test("conflicts left to a session are brought back only after it resolved them", {
  tags: "long",
}, async () => {
  const { id } = await create(always);
  await run(id, "sed -i 's/^line 2$/two/' a.txt");
  await put("a.txt", lines(1, 20).replace("line 2\n", "zwei\n"));
  git("commit", "-qam", "theirs");
  expect((await back(id, { how: "merge", leave: true })).conflicts).toHaveLength(1);
  expect(await told(id, "sed -n 2,6p a.txt")).toMatch(/^<<<<<<< HEAD\ntwo\n=======\nzwei\n>>>>>>> /);
  const refused = await server.client.post(`/sandboxes/${id}/bring-back`, { how: "merge" });
  expect(JSON.stringify(refused.body)).toContain("a.txt still has conflict marks");
  await run(id, "sed -i '2d;3s/.*/two and zwei/;4,6d' a.txt");
  expect(await back(id)).toMatchObject({ done: true, files: ["a.txt"] });
  expect(await text("a.txt")).toBe(lines(1, 20).replace("line 2\n", "two and zwei\n"));
});

test("a pick brings back the chosen files, uncommitted", { tags: "long" }, async () => {
  const { id } = await create(always);
  await run(id, "echo c > c.txt; echo d > d.txt; rm b.txt");
  expect(await back(id, { how: "pick", paths: ["c.txt", "b.txt"] })).toMatchObject({
    ...{ done: true, files: ["b.txt", "c.txt"] },
  });
  expect([git("status", "--short"), git("log", "--format=%s"), await text("d.txt")]).toEqual([
    "D b.txt\n?? c.txt",
    "first",
    null,
  ]);
});

test("uncommitted or ignored files of the folder are never overwritten", { tags: "long" }, async () => {
  const { id } = await create(always);
  await run(id, "echo theirs > b.txt; echo forced > x.log; git add -f x.log; echo c > c.txt");
  await put("b.txt", "mine\n");
  await put("x.log", "a log\n");
  expect(await back(id)).toMatchObject({ done: false, blocked: ["b.txt", "x.log"] });
  expect([await text("b.txt"), await text("x.log"), await text("c.txt")]).toEqual([
    "mine\n",
    "a log\n",
    null,
  ]);
});

test("a file that was saved with the same text does not count as uncommitted", { tags: "long" }, async () => {
  const session = await create(always);
  await replace(session.id, "a.txt", "line 5\n", "line five\n");
  const saved = new Date(Date.now() + 60_000);
  await utimes(join(workspace, "a.txt"), saved, saved);
  expect(await back(session.id)).toMatchObject({ done: true, files: ["a.txt"], blocked: [] });
  expect(await text("a.txt")).toContain("line five\n");
});

test("a session in a shared folder is given a worktree, and its changes move with it", {
  tags: "long",
}, async () => {
  const { id } = await create();
  await run(id, "sed -i 's/^line 2$/two/' a.txt; echo made > made.txt; echo c > c.txt");
  const { snapshot } = await server.client.value(SnapshotValue, id, "snapshot", {}, "readonly");
  await run(id, "git add c.txt; git commit -qm 'its commit'; sed -i 's/^line 18$/eighteen/' a.txt");
  await put("a.txt", ((await text("a.txt")) ?? "").replace("line 10\n", "ten\n"));
  await put("person.txt", "person\n");
  const mine = await changed(id);
  const { worktree, branch } = await give(id, { name: "Mine" });
  expect([worktree?.folder, branch]).toEqual([path, "handrail/mine"]);
  expect([
    await text("a.txt"),
    await text("made.txt"),
    await text("c.txt"),
    await text("person.txt"),
  ]).toEqual([...[lines(1, 20).replace("line 10\n", "ten\n"), null, "c\n", "person\n"]]);
  expect(git("status", "--short")).toBe("M a.txt\n?? person.txt");
  expect(await told(id, "cat a.txt")).toBe(
    lines(1, 20).replace("line 2\n", "two\n").replace("line 18\n", "eighteen\n").trim(),
  );
  expect(await told(id, "git status --short; cat c.txt")).toBe("M a.txt\n?? made.txt\nc");
  expect(await changed(id)).toEqual(mine);
  // An undo reaches back to before the move, and leaves the changes of others alone.
  await server.client.value(RestoreValue, id, "restore", { snapshot, own: true });
  expect(await told(id, "cat a.txt; ls")).toBe(
    `${lines(1, 20).replace("line 2\n", "two\n")}a.txt\nb.txt\nc.txt\nmade.txt`,
  );
  await server.client.value(RestoreValue, id, "restore", { snapshot: "start", own: true });
  expect(await told(id, "cat a.txt; ls")).toBe(`${lines(1, 20)}a.txt\nb.txt`);
});

test("a deleted sandbox leaves its unmerged work on its branch, and nothing else", async () => {
  const [kept, gone] = [await create({ ...always, name: "kept" }), await create({ ...always, name: "gone" })];
  await run(kept.id, "echo c > c.txt");
  for (const { id } of [kept, gone]) await server.client.fetch(`/sandboxes/${id}`, { method: "DELETE" });
  expect(git("branch", "--format=%(refname:short)")).toBe("handrail/kept\nmain");
  expect(git("show", "handrail/kept:c.txt")).toBe("c");
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
  expect(existsSync(join(server.state, "sandboxes", kept.id))).toBe(false);
});

test("a folder that is itself a linked worktree has worktrees too", { tags: "long" }, async () => {
  git("worktree", "add", "-q", "-b", "linked", join(repository.served, `${path}-linked`));
  const { id } = await server.client.create({ source: { path: `${path}-linked` }, worktree: always });
  await run(id, "echo c > c.txt");
  expect(await back(id)).toMatchObject({ done: true, files: ["c.txt"] });
  expect(await readFile(join(repository.served, `${path}-linked`, "c.txt"), "utf8")).toBe("c\n");
  expect([git("log", "-1", "--format=%s", "linked"), git("log", "-1", "--format=%s", "main")]).toEqual([
    ...["Work of a session on handrail/rotate-the-keys", "first"],
  ]);
});

test("where there is no repository or no commit, the error says what a worktree needs", async () => {
  await rm(join(workspace, ".git"), { recursive: true });
  const refused = await server.client.post("/sandboxes", { source: { path }, worktree: always });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    ...[501, expect.stringContaining("needs a folder with a git repository")],
  ]);
  git("init", "-q");
  const { id } = await create({ when: "shared" });
  expect((await create({ when: "shared" })).worktree).toBeUndefined();
  const given = await server.client.post(`/sandboxes/${id}/worktree`, {});
  expect(JSON.stringify(given.body)).toContain("needs a first commit");
});

test("a worktree is there after a restart, and can then be brought back", { tags: "long" }, async () => {
  const { id } = await create(always);
  await run(id, "echo c > c.txt");
  await server.stop();
  server = await RunningServer.start({ workspace: repository.served, state: server.state });
  repository.server = server;
  expect(await told(id, "git rev-parse --abbrev-ref HEAD; cat c.txt")).toBe("handrail/rotate-the-keys\nc");
  expect(await back(id)).toMatchObject({ done: true, files: ["c.txt"] });
});
