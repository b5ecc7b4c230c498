// Sessions that get no worktree of their own, or not at the moment. Nothing is made for them.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { servedRepositories } from "./served-repositories.ts";

const repository = servedRepositories({ "a.txt": "a\n" });
const give = async (id: string) => {
  const { status, body } = await repository.server.client.post(`/sandboxes/${id}/worktree`, { name: "mine" });
  return [status, JSON.stringify(body)];
};
const create = async (body: object = { source: { path: repository.path } }) =>
  (await repository.server.client.create(body)).id;
const nothingMade = () =>
  expect(repository.git("for-each-ref", "--format=%(refname:short)", "refs/heads/handrail")).toBe("");

test("one that has a worktree already gets no second one", async () => {
  const id = await create();
  expect((await give(id))[0]).toBe(201);
  expect(await give(id)).toEqual([400, expect.stringContaining("files of its own already")]);
  expect(repository.git("worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(2);
});

test("one whose files are its own has none to share", async () => {
  const id = await create({ source: { sample: true } });
  expect(await give(id)).toEqual([400, expect.stringContaining("files of its own already")]);
});

test("one without a repository, without a commit or in a part of a repository is told what is missing", async () => {
  const { served, path } = repository;
  await mkdir(join(served, "plain"), { recursive: true });
  expect(await give(await create({ source: { path: "plain" } }))).toEqual([
    501,
    expect.stringContaining("needs a folder with a git repository"),
  ]);
  await mkdir(join(served, path, "part"));
  expect(await give(await create({ source: { path: `${path}/part` } }))).toEqual([
    501,
    expect.stringContaining("a part of a larger repository"),
  ]);
  repository.git("update-ref", "-d", "HEAD");
  expect(await give(await create())).toEqual([501, expect.stringContaining("needs a first commit")]);
  nothingMade();
});

test("one whose turn runs waits for its end; a turn that nobody runs keeps no one waiting", async () => {
  const id = await create();
  const away = new AbortController();
  const running = await repository.server.client.fetch(`/sandboxes/${id}/turns/t1/claim`, {
    ...{ method: "POST", signal: away.signal },
    body: JSON.stringify({ epoch: 1, attends: "stream" }),
  });
  expect(running.status).toBe(200);
  expect(await give(id)).toEqual([400, expect.stringContaining("A turn of this session runs")]);
  nothingMade();
  away.abort();
  await expect.poll(async () => (await give(id))[0]).toBe(201);
});
