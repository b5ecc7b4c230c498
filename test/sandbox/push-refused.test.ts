// Reasons for which a push is refused, and what is reported about them.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import { Committed } from "../../shared/delivery.ts";
import { ErrorBody } from "../../shared/errors.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { type GitHost, hostPassword, hostUser } from "./git-host.ts";
import { hostGit } from "./host-git.ts";
import type { RunningServer } from "./running-server.ts";
import { servedClones } from "./served-repositories.ts";

const clone = servedClones();

let host: GitHost;
let server: RunningServer;
let id: string;
let keys = 0;

const token = `${hostUser}:${hostPassword}`;
const { git } = clone;
const atHost = (...args: string[]) => hostGit(clone.home, host.root, ...args).trim();
const run = (command: string) => server.client.value(ExecValue, id, "exec", { command });
const refused = async (body: object, secret = token) => {
  const init = { method: "POST", body: JSON.stringify({ key: `key-${++keys}`, ...body }) };
  const answer = await server.client.fetch(`/sandboxes/${id}/push`, {
    ...{ ...init, headers: { "x-git-token": secret } },
  });
  expect(answer.status).not.toBe(200);
  return z.parse(ErrorBody, await answer.json()).error;
};
const commitOn = async (branch: string) => {
  await run(`echo ${branch} >> a.txt`);
  const args = { key: `made-${++keys}`, message: `On ${branch}`, branch };
  await server.client.value(Committed, id, "commit", args);
};

beforeEach(async () => {
  ({ host, server } = clone);
  id = (await server.client.create({ source: { path: clone.path } })).id;
});

test("refusals by the remote's rules, a wrong token, no token and a missing repository are distinguished", {
  tags: "long",
}, async () => {
  await run("echo x >> a.txt");
  await server.client.value(Committed, id, "commit", { key: `made-${++keys}`, message: "On trunk" });
  const said = async (secret: string | undefined = token) =>
    String((await refused({ branch: "trunk" }, secret)).details?.said);
  expect(await said()).toContain("[remote rejected]");
  expect(await said(`${hostUser}:wrong-1`)).toContain("Authentication failed");
  const none = await server.client.post(`/sandboxes/${id}/push`, { key: "none", branch: "trunk" });
  expect(JSON.stringify(none.body)).toContain("could not read");
  git("remote", "set-url", "origin", `${new URL(host.url).origin}/missing`);
  expect(await said()).toContain("Cannot access URL");
});

test("secrets in a remote's refusal are not shown", { tags: "long" }, async () => {
  const branch = `handrail/told-${keys}`;
  const key = `ghp_${"Ab3dEf6hIj".repeat(4).slice(0, 36)}`;
  const hook = join(host.root, ".git/hooks/pre-receive");
  await mkdir(dirname(hook), { recursive: true });
  await writeFile(hook, `#!/bin/sh\necho "no room for ${hostPassword}, nor for ${key}" >&2\nexit 1\n`, {
    mode: 0o755,
  });
  await commitOn(branch);
  const { message, details } = await refused({ branch });
  await rm(hook);
  expect(message).toContain("no room for …, nor for [redacted");
  for (const secret of [hostPassword, key])
    expect(`${message}${JSON.stringify(details)}`).not.toContain(secret);
});

test("a missing branch, one named like an option and another remote than was seen are refused", {
  tags: "long",
}, async () => {
  const codes = [
    (await refused({ branch: "missing" })).code,
    (await refused({ branch: "--mirror" })).code,
    (await refused({ branch: "trunk", url: "https://git.example/x" })).code,
  ];
  expect(codes).toEqual(["invalid_request", "invalid_request", "invalid_request"]);
});

test("a branch that only the remote has is not pushed as nothing, which would delete it", async () => {
  atHost("branch", "only-there");
  expect((await refused({ branch: "only-there" })).code).toBe("invalid_request");
  expect(atHost("rev-parse", "only-there")).toBe(atHost("rev-parse", "trunk"));
});

test.each(["trunk:refs/heads/other", "trunk refs/heads/other", "tr*nk", "trunk\0other"])(
  "a branch named %j is not fetched",
  { tags: "long" },
  async (branch) => {
    expect((await refused({ branch, fetch: true })).code).toBe("invalid_request");
  },
);
