// A push sends exactly the commits that were listed, whatever a command claims about the remote.
import { beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import { PushLook } from "../../shared/delivery.ts";
import { ErrorBody } from "../../shared/errors.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { type GitHost, hostPassword, hostUser } from "./git-host.ts";
import { hostGit } from "./host-git.ts";
import type { RunningServer } from "./running-server.ts";
import { servedClones } from "./served-repositories.ts";

const clone = servedClones();

let host: GitHost;
let server: RunningServer;
let home: string;
let id: string;
let keys = 0;
let branch: string;

const { git } = clone;
const atHost = (...args: string[]) => hostGit(home, host.root, ...args).trim();
const run = (command: string) => server.client.value(ExecValue, id, "exec", { command });
const post = async (body: object, token = `${hostUser}:${hostPassword}`) => {
  const init = { method: "POST", body: JSON.stringify({ key: `key-${++keys}`, branch, ...body }) };
  const answer = await server.client.fetch(`/sandboxes/${id}/push`, {
    ...{ ...init, headers: { "x-git-token": token } },
  });
  return { status: answer.status, body: (await answer.json()) as unknown };
};
const look = async () => {
  const { status, body } = await post({ look: true });
  expect([status, body]).toEqual([200, expect.anything()]);
  return z.parse(PushLook, body);
};
const refusal = async (body: object) => {
  const { status, body: answer } = await post(body);
  return [status, z.parse(ErrorBody, answer).error.message];
};
const heads = () => git("rev-list", "HEAD").split("\n");
const lacking = "The remote lacks commits that were not listed";

beforeEach(async () => {
  ({ host, server, home } = clone);
  host.old = false;
  id = (await server.client.create({ source: { path: clone.path } })).id;
  branch = `handrail/listed-${++keys}`;
  await run(`git switch -qc ${branch}; git commit -q --allow-empty -m hidden`);
  await run("git commit -q --allow-empty -m seen");
});

for (const old of [false, true])
  test(`a commit that a command hides behind the remote's branches is listed, and not pushed unseen (old git protocol: ${old})`, {
    tags: old ? "long" : [],
  }, async () => {
    host.old = old;
    await run(
      "git update-ref refs/remotes/origin/trunk HEAD~; git update-ref refs/remotes/origin/other HEAD~",
    );
    const [seen = "", hidden = "", first = ""] = heads();
    expect(await look()).toEqual({ branch, commit: seen, ahead: 2, has: [first], ids: [seen, hidden] });
    for (const body of [
      { shown: [seen], more: 0 },
      { shown: [first, seen] },
      { shown: [], more: 1 },
      { shown: [seen.slice(0, 7), hidden.slice(0, 7)] },
    ])
      expect(await refusal({ commit: seen, ...body })).toEqual([412, expect.stringContaining(lacking)]);
    expect(atHost("branch", "--list", branch)).toBe("");
    expect(await post({ commit: seen, shown: [seen], more: 1 })).toMatchObject({ status: 200 });
    expect(await look()).toMatchObject({ ahead: 0 });
  });

test("what the remote has on a branch that moved on is not listed again", { tags: "long" }, async () => {
  const [seen = "", hidden = "", first = ""] = heads();
  // A new branch for each run, because other tests start from the remote's current state.
  atHost("branch", `theirs-${keys}`, first);
  for (const name of [`theirs-${keys}`, "trunk"])
    atHost(
      "update-ref",
      `refs/heads/${name}`,
      atHost("commit-tree", "-p", name, "-m", "more", `${name}^{tree}`),
    );
  expect(await look()).toEqual({
    ...{ branch, commit: seen, ahead: 2 },
    ...{ has: expect.arrayContaining([first]), ids: [seen, hidden] },
  });
  expect(await post({ commit: seen, shown: [seen, hidden] })).toMatchObject({ status: 200 });
});

test("a commit whose object file names a false parent hides nothing from the push", {
  tags: "long",
}, async () => {
  const [middle = "", , first = ""] = heads();
  await run("git commit -q --allow-empty -m last");
  const [seen = ""] = heads();
  const object = `.git/objects/${middle.slice(0, 2)}/${middle.slice(2)}`;
  // The command stores, under the same id, a commit whose parent is the remote's commit.
  await run(
    `cp ${object} kept; forged=$(git cat-file commit ${middle} | sed 's/^parent .*/parent ${first}/' | git hash-object -t commit -w --stdin); cp -f .git/objects/$(echo $forged | cut -c1-2)/$(echo $forged | cut -c3-) ${object}`,
  );
  expect(await look()).toMatchObject({ commit: seen, ahead: 2 });
  expect((await post({ commit: seen, shown: [seen, middle] })).status).toBe(502);
  await run(`cp -f kept ${object}`);
  expect(await refusal({ commit: seen, shown: [seen, middle] })).toEqual([
    412,
    expect.stringContaining(lacking),
  ]);
  expect(atHost("branch", "--list", branch)).toBe("");
});

test("looking pushes nothing, and an unreachable remote is reported", async () => {
  await look();
  expect(atHost("branch", "--list", branch)).toBe("");
  expect(await post({ look: true }, `${hostUser}:wrong`)).toMatchObject({
    status: 502,
    body: {
      error: { code: "push_refused", details: { said: expect.stringContaining("Authentication failed") } },
    },
  });
});
