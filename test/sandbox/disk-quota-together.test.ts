// Everything that one sandbox writes at the same time shares one quota: throwaway copies, a clone from its
// first byte, and several commands that each begin above the quota.
// @module-tag long
import { execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { ErrorBody } from "../../shared/errors.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { hostPassword, hostUser, startGitHost } from "./git-host.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

const over = "more disk than 100 MiB";
const wait = "sleep 31702";

let server: RunningServer;
beforeAll(async () => {
  server = await RunningServer.start({ env: { HANDRAIL_DISK_QUOTA: "100" } });
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const sample = async () => (await server.client.create({ source: { sample: true } })).id;
const run = (id: string, command: string) =>
  server.client.value(ExecValue, id, "exec", { command, timeoutMs: 60_000 }, "write");
const inCopy = (id: string, command: string, tree = "start") =>
  server.client.value(ExecValue, id, "exec", { command, tree, timeoutMs: 60_000 });
const copiesIn = (of: RunningServer) =>
  execFileSync("find", [of.state, "-path", "*/copies/*", "-prune", "-print"], { encoding: "utf8" });

test.each([
  ["files", "for i in 1 2; do head -c 35M /dev/zero > f$i; done"],
  ["files that are deleted and held open", "exec 8> a; rm a; head -c 70M /dev/zero >&8"],
])("two copies that each fit are too large together: %s", async (_, command) => {
  const id = await sample();
  await run(id, "mkdir deps; echo deps >> .gitignore");
  // A copy contains ignored files in their current state.
  const each = `${command}; until [ -e deps/go ]; do sleep 0.1; done; echo fine`;
  const both = [inCopy(id, each), inCopy(id, each)];
  expect((await Promise.race(both)).stderr).toContain(over);
  await run(id, "touch deps/go");
  await Promise.all(both);
  // The copies no longer count.
  expect((await inCopy(id, "head -c 80M /dev/zero > f && sleep 0.5 && echo fine")).stdout).toBe("fine\n");
  expect((await run(id, "head -c 80M /dev/zero > f && sleep 0.5 && echo fine")).stdout).toBe("fine\n");
});

test("a copy for which there is no room is not made", async () => {
  const id = await sample();
  // Random data, because git writes holes for zeros.
  await run(id, "for i in 1 2 3; do head -c 20M /dev/urandom > f$i; done");
  const { snapshot } = await server.client.value(SnapshotValue, id, "snapshot", {}, "write");
  const call = { key: "copy", op: "exec" as const, args: { command: "echo made", tree: snapshot } };
  const [result] = await server.client.results(id, { calls: [call] });
  expect(result).toMatchObject({ ok: false, error: { code: "too_large" } });
  expect(copiesIn(server)).toBe("");
  expect((await inCopy(id, "echo small")).stdout).toBe("small\n");
  // A copy that is gone does not keep the rest from being measured.
  expect((await run(id, `head -c 50M /dev/zero > g; ${wait}`)).stderr).toContain(over);
});

test("one huge file in a copy is stopped at the quota by the kernel's own limit", async () => {
  const { stdout } = await inCopy(
    await sample(),
    "head -c 10G /dev/zero > huge; echo ended $?; wc -c < huge",
  );
  expect(stdout).toMatch(/^ended 1\d\d\n\d+\n$/);
  expect(Number(stdout.split("\n")[1])).toBeLessThanOrEqual(100 * 2 ** 20);
});

test("commands that start above the quota may not each grow a little more", async () => {
  const id = await sample();
  await run(id, `for i in 1 2 3 4; do head -c 30M /dev/zero > f$i; done; ${wait}`);
  await run(id, "head -c 50M /dev/zero > g1");
  expect((await run(id, `head -c 50M /dev/zero > g2; ${wait}`)).stderr).toContain(over);
  expect((await run(id, "rm f* g*; head -c 60M /dev/zero > h; sleep 0.5; echo fine")).stdout).toBe("fine\n");
});

test("a clone above the quota is stopped, says so, and leaves nothing", async () => {
  const small = await RunningServer.start({ env: { HANDRAIL_DISK_QUOTA: "20" } });
  // The pack and the files count together.
  const host = await startGitHost(12 << 20);
  const url = new URL(host.url);
  url.username = hostUser;
  url.password = encodeURIComponent(hostPassword);
  const { status, body } = await small.client.post("/sandboxes", { id: "large", source: { git: url.href } });
  expect(status).toBe(400);
  expect(z.parse(ErrorBody, body).error.message).toMatch(/20 MiB.*--disk-quota/);
  expect(await readdir(join(small.state, "sandboxes"))).toEqual([]);
  await host.close();
  await small.stop();
});

test("a fetch from a branch's remote is stopped above the quota, and says so", async () => {
  const host = await startGitHost(12 << 20);
  const workspace = await freshFolder("workspace");
  const home = newHome(await freshFolder("home"));
  for (const args of [
    ["init", "-q", "-b", "trunk"],
    ["commit", "-q", "--allow-empty", "-m", "mine"],
    ["remote", "add", "origin", host.url],
  ])
    hostGit(home, workspace, ...args);
  const small = await RunningServer.start({ workspace, env: { HANDRAIL_DISK_QUOTA: "5" } });
  const { id } = await small.client.create();
  const answer = await small.client.fetch(`/sandboxes/${id}/push`, {
    ...{ method: "POST", body: JSON.stringify({ key: "fetch", branch: "trunk", fetch: true }) },
    headers: { "x-git-token": `${hostUser}:${hostPassword}` },
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    413,
    { error: { code: "too_large", message: expect.stringMatching(/5 MiB.*--disk-quota/) } },
  ]);
  await host.close();
  await small.stop();
});
