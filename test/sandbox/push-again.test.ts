// Pushes that are interrupted, outdated or refused: only one push for each key even if the server dies, never
// more than the person saw, and a fetch for a rebase. Also the branch of a session in a clone.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import { Committed, GitInSandbox } from "../../shared/delivery.ts";
import { ErrorBody } from "../../shared/errors.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { type GitHost, hostPassword, hostUser } from "./git-host.ts";
import { hostGit } from "./host-git.ts";
import { RunningServer } from "./running-server.ts";
import { servedClones } from "./served-repositories.ts";

const clone = servedClones();

let host: GitHost;
let server: RunningServer;
let served: string;
let home: string;
let id: string;
let branch: string;
let keys = 0;

const { git } = clone;
const atHost = (...args: string[]) => hostGit(home, host.root, ...args).trim();
const run = (command: string) => server.client.value(ExecValue, id, "exec", { command });
const send = async (body: object) => {
  const init = { method: "POST", body: JSON.stringify({ key: `key-${++keys}`, branch, ...body }) };
  const headers = { "x-git-token": `${hostUser}:${hostPassword}` };
  const answer = await server.client.fetch(`/sandboxes/${id}/push`, { ...init, headers });
  return { status: answer.status, body: (await answer.json()) as unknown };
};
const refusal = async (body: object) => z.parse(ErrorBody, (await send(body)).body).error;
const commitOn = async (name: string, file = "a.txt") => {
  await run(`echo ${++keys} >> ${file}`);
  const args = { key: `made-${++keys}`, message: `Change ${keys}`, branch: name };
  return (await server.client.value(Committed, id, "commit", args)).commit;
};
const state = async () => z.parse(GitInSandbox, (await server.client.get(`/sandboxes/${id}/git`)).body);
const restarted = async () => {
  const { state } = server;
  server = await RunningServer.start({ workspace: served, state, env: { HOME: home } });
  clone.server = server;
};
/** Adds a commit to a branch of the host, as from a person's own machine. */
const theyPush = (name: string) => {
  const tree = atHost("rev-parse", `${name}^{tree}`);
  const theirs = atHost("commit-tree", tree, "-p", name, "-m", "Theirs");
  atHost("update-ref", `refs/heads/${name}`, theirs);
  return theirs;
};

beforeEach(async () => {
  ({ host, server, home, served } = clone);
  id = (await server.client.create({ source: { path: clone.path } })).id;
  branch = `handrail/again-${++keys}`;
});

test("a key that was pushed pushes nothing more, also after a restart and with newer commits on the branch", {
  tags: "long",
}, async () => {
  const first = await commitOn(branch);
  const key = `once-${keys}`;
  await send({ key });
  await commitOn(branch);
  await server.kill();
  await restarted();
  expect(await send({ key })).toEqual({ status: 200, body: { branch, commit: first } });
  expect(atHost("rev-parse", branch)).toBe(first);
});

test("a server killed in mid-push leaves nothing; the same request sent again completes it, once", {
  tags: "long",
}, async () => {
  const commit = await commitOn(branch);
  const key = `killed-${keys}`;
  const updates = () => atHost("reflog", "--format=%H", branch, "--").split("\n").filter(Boolean).length;
  atHost("config", "core.logAllRefUpdates", "always");
  // The remote has accepted the push, and the server dies before it learns of that.
  for (const after of [1, 2, 3]) {
    let requests = 0;
    host.before = () => {
      requests += 1;
      if (requests === after) void server.kill();
    };
    await send({ key, commit }).catch(() => undefined);
    host.before = undefined;
    await server.kill();
    await restarted();
  }
  expect(await send({ key, commit })).toEqual({ status: 200, body: { branch, commit } });
  expect([atHost("rev-parse", branch), updates()]).toEqual([commit, 1]);
  const left = await readdir(join(server.state, "sandboxes", id));
  expect(left.filter((name) => name.startsWith("push"))).toEqual([]);
});

test("a branch that moved since the person looked is not pushed", { tags: "long" }, async () => {
  const seen = await commitOn(branch);
  await commitOn(branch);
  expect((await refusal({ commit: seen })).code).toBe("stale_file");
  expect(atHost("branch", "--list", branch)).toBe("");
});

test("two phones that push the same at once push it once, and both are told so", {
  tags: "long",
}, async () => {
  const commit = await commitOn(branch);
  const both = await Promise.all([send({ commit }), send({ commit })]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect(atHost("rev-parse", branch)).toBe(commit);
});

test("a rejected push is fetched, rebased and pushed; fetching moves no branch and no file", {
  tags: "long",
}, async () => {
  await commitOn(branch);
  await send({});
  const theirs = theyPush(branch);
  const mine = await commitOn(branch);
  expect((await refusal({})).details?.said).toContain("[rejected]");
  expect(await send({ fetch: true })).toEqual({ status: 200, body: { branch, commit: theirs } });
  expect([git("rev-parse", "HEAD"), git("status", "--short")]).toEqual([mine, ""]);
  expect(await state()).toMatchObject({ ahead: 1, behind: 1, upstream: `origin/${branch}` });
  // The rebase needs neither the network nor the token.
  await run(`git rebase -q origin/${branch}`);
  const { status } = await send({});
  expect([status, atHost("rev-parse", `${branch}^`)]).toEqual([200, theirs]);
});

test("a session in a clone has one branch of its own from its first write on, and the clone's branch does not move", async () => {
  const url = new URL(host.url);
  url.username = hostUser;
  url.password = encodeURIComponent(hostPassword);
  atHost("branch", "-f", "held", "trunk");
  id = (await server.client.create({ source: { git: url.href } })).id;
  const cloned = (await state()).head;
  const turn = (turnId: string, text: string, command: string, access: "readonly" | "write") =>
    server.client.results(id, {
      access,
      calls: [{ key: `${turnId}/0/${++keys}`, op: "exec", args: { command } }],
      turn: {
        ...{ id: turnId, epoch: 1, round: 0 },
        record: text ? [{ id: 1, event: "message", data: { message: { role: "user", content: text } } }] : [],
      },
    });
  await server.client.post(`/sandboxes/${id}/turns/t1/claim`, { epoch: 1, request: {} });
  await turn("t1", "Répare the -- limits, please!", "cat a.txt", "readonly");
  expect((await state()).branch).toBe("trunk");
  await turn("t1", "", "echo x >> a.txt", "write");
  expect(await state()).toMatchObject({ branch: "handrail/repare-the-limits-please", head: cloned });
  await turn("t2", "Another matter", "git switch -q trunk && echo y >> a.txt", "write");
  await turn("t3", "A third", "git branch --format='%(refname:short)' > branches", "write");
  const { stdout } = await run("cat branches; git branch --show-current");
  expect(stdout.trim().split("\n")).toEqual(["handrail/repare-the-limits-please", "trunk", "trunk"]);
});
