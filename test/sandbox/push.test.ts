// Pushes over git's own smart HTTP, with a token that is found nowhere except where it is needed.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import { Committed, GitInSandbox } from "../../shared/delivery.ts";
import { ErrorBody } from "../../shared/errors.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { type GitHost, hostPassword, hostUser } from "./git-host.ts";
import { hostGit } from "./host-git.ts";
import { freshFolder, type RunningServer } from "./running-server.ts";
import { servedClones } from "./served-repositories.ts";

const clone = servedClones();

let host: GitHost;
let server: RunningServer;
let workspace: string;
let home: string;
let id: string;
let keys = 0;

const token = `${hostUser}:${hostPassword}`;
const { git } = clone;
const atHost = (...args: string[]) => hostGit(home, host.root, ...args).trim();
const run = (command: string) => server.client.value(ExecValue, id, "exec", { command });
const send = async (body: object, secret: string | undefined = token) => {
  const init = { method: "POST", body: JSON.stringify({ key: `key-${++keys}`, ...body }) };
  const headers: Record<string, string> = secret === undefined ? {} : { "x-git-token": secret };
  const answer = await server.client.fetch(`/sandboxes/${id}/push`, { ...init, headers });
  return { status: answer.status, body: (await answer.json()) as unknown };
};
const pushed = async (body: object) => {
  const { status, body: answer } = await send(body);
  expect([status, answer]).toEqual([200, expect.anything()]);
  return answer;
};
const refused = async (body: object, secret?: string) => {
  const { status, body: answer } = await send(body, secret);
  expect(status).not.toBe(200);
  return z.parse(ErrorBody, answer).error;
};
const commitOn = async (branch: string) => {
  await run(`echo ${branch} >> a.txt`);
  const args = { key: `made-${++keys}`, message: `On ${branch}`, branch };
  return (await server.client.value(Committed, id, "commit", args)).commit ?? "";
};
const filesWith = (folder: string, text: string) => {
  try {
    return execFileSync("grep", ["-rlaF", text, folder], { encoding: "utf8" });
  } catch {
    return "";
  }
};
const read = (path: string) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};
const portOf = async (server: Server) => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

beforeEach(async () => {
  ({ host, server, workspace, home } = clone);
  id = (await server.client.create({ source: { path: clone.path } })).id;
});

test("a branch is pushed, and pushed again after new commits; the state says that the remote has it", async () => {
  const branch = `handrail/one-${keys}`;
  const first = await commitOn(branch);
  const done = await pushed({ branch, url: host.url });
  expect(done).toEqual({ branch, commit: first });
  const second = await commitOn(branch);
  await pushed({ branch });
  expect(atHost("rev-parse", branch)).toBe(second);
  const state = z.parse(GitInSandbox, (await server.client.get(`/sandboxes/${id}/git`)).body);
  expect(state).toMatchObject({ upstream: `origin/${branch}`, ahead: 0, behind: 0 });
});

test("a branch whose name holds a secret is pushed by the mark under which the phone knows it", async () => {
  const secret = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
  await run(`git switch -qc fix-${secret}; git commit -q --allow-empty -m x`);
  const branch = "fix-[redacted: GitHub token]";
  expect(await pushed({ branch })).toMatchObject({ branch });
  expect(atHost("rev-parse", `fix-${secret}`)).toBe(git("rev-parse", "HEAD").trim());
});

test("two requests with one key, at once and later, are one push", async () => {
  const branch = `handrail/twice-${keys}`;
  await commitOn(branch);
  const before = host.seen.length;
  const [one, two] = await Promise.all([send({ key: "twice", branch }), send({ key: "twice", branch })]);
  const requests = host.seen.length - before;
  expect([one.status, two.status, one.body]).toEqual([200, 200, two.body]);
  expect(await send({ key: "twice", branch })).toEqual(one);
  expect(host.seen.length - before).toBe(requests);
});

test("a diverged remote branch is not overwritten, and the error says why", { tags: "long" }, async () => {
  const branch = `handrail/behind-${keys}`;
  const theirs = atHost("commit-tree", "-p", "HEAD", "-m", "theirs", "HEAD^{tree}");
  atHost("branch", branch, theirs);
  await commitOn(branch);
  expect(await refused({ branch })).toMatchObject({
    code: "push_refused",
    details: { said: expect.stringContaining("[rejected]") },
  });
  expect(atHost("rev-parse", branch)).toBe(theirs);
});

test("the token is in no file, log, process argument or environment during the push, and in none after", async () => {
  const branch = `handrail/secret-${keys}`;
  await commitOn(branch);
  const seen: string[] = [];
  host.before = () => {
    // Every visible process of this machine, except the test's own.
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
    for (const pid of pids)
      for (const name of ["cmdline", "environ"])
        if (read(`/proc/${pid}/${name}`).includes(hostPassword)) seen.push(pid);
  };
  await pushed({ branch });
  host.before = undefined;
  expect(seen).toEqual([]);
  const encoded = Buffer.from(token).toString("base64");
  for (const secret of [hostPassword, encoded]) {
    expect([filesWith(server.state, secret), filesWith(workspace, secret), filesWith(home, secret)]).toEqual([
      "",
      "",
      "",
    ]);
    expect(server.log).not.toContain(secret);
  }
  expect(
    (await readdir(join(server.state, "sandboxes", id))).filter((name) => name.startsWith("push")),
  ).toEqual([]);
});

test("a host that redirects elsewhere leads neither a push nor its token there, with a token and without", async () => {
  let heard = 0;
  const elsewhere = createServer((_request, response) => {
    heard += 1;
    response.writeHead(401, { "www-authenticate": "Basic" }).end();
  });
  const to = `http://localhost:${await portOf(elsewhere)}`;
  const redirecting = createServer((request, response) =>
    response.writeHead(302, { location: `${to}${request.url}` }).end(),
  );
  git("remote", "set-url", "origin", `http://127.0.0.1:${await portOf(redirecting)}/origin`);
  const branch = `handrail/redirect-${keys}`;
  await commitOn(branch);
  expect((await refused({ branch })).code).toBe("push_refused");
  const body = JSON.stringify({ key: "without-token", branch });
  expect((await server.client.fetch(`/sandboxes/${id}/push`, { method: "POST", body })).status).not.toBe(200);
  expect(heard).toBe(0);
  elsewhere.close();
  redirecting.close();
});

test.each(["ext::sh -c touch% /tmp/never", "file:///etc", "/etc", "--upload-pack=x"])(
  "a remote such as %j gets nothing",
  async (url) => {
    const branch = `handrail/odd-${keys}`;
    await commitOn(branch);
    git("config", "remote.origin.url", url);
    expect((await refused({ branch })).code).toBe("invalid_request");
  },
);

test("settings of the repository redirect no push and start nothing", { tags: "long" }, async () => {
  const mark = join(clone.served, "mark");
  const program = join(clone.served, "left-a-mark");
  await writeFile(program, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  await writeFile(join(workspace, ".git/hooks/pre-push"), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  for (const name of ["core.sshCommand", "core.askPass", "core.gitProxy", "remote.origin.receivepack"])
    git("config", name, program);
  git("config", "credential.helper", `!${program}`);
  git("config", "http.proxy", "http://127.0.0.1:1");
  git("config", "url.http://127.0.0.1:1/.insteadOf", `${new URL(host.url).origin}/`);
  const branch = `handrail/settings-${keys}`;
  const commit = await commitOn(branch);
  await pushed({ branch });
  expect([atHost("rev-parse", branch), await readdir(clone.served)]).toEqual([
    commit,
    expect.not.arrayContaining(["mark"]),
  ]);
});

test("a clone is shallow, and commits made in it are pushed", { tags: "long" }, async () => {
  const url = new URL(host.url);
  url.username = hostUser;
  url.password = encodeURIComponent(hostPassword);
  atHost("commit", "--allow-empty", "-qm", "two");
  const made = await server.client.create({ source: { git: url.href } });
  id = made.id;
  const branch = `handrail/clone-${keys}`;
  const commit = await commitOn(branch);
  const state = z.parse(GitInSandbox, (await server.client.get(`/sandboxes/${id}/git`)).body);
  expect(state).toMatchObject({ branch, ahead: 1, defaultBranch: "trunk", remote: host.url });
  await pushed({ branch });
  expect(atHost("rev-parse", branch)).toBe(commit);
});

test("objects of another repository on the machine are not pushed, whatever a command claims", {
  tags: "long",
}, async () => {
  const hidden = await freshFolder("another-repository");
  const there = (...args: string[]) => hostGit(home, hidden, ...args).trim();
  there("init", "-q");
  await writeFile(join(hidden, "kept.txt"), "nobody else's\n");
  there("add", ".");
  there("commit", "-qm", "kept");
  const theirs = there("rev-parse", "HEAD");
  const file = there("rev-parse", "HEAD:kept.txt");
  const objects = join(hidden, ".git/objects");
  const commit = `tree %s\\nparent ${theirs}\\nauthor a <a@b> 1 +0000\\ncommitter a <a@b> 1 +0000\\n\\nx\\n`;
  const made = `c=$(printf '${commit}' $(git rev-parse HEAD^{tree}) | git hash-object -t commit -w --stdin --literally)`;
  const folder = `.git/objects/${file.slice(0, 2)}`;
  const lies = {
    "a branch that the remote does not have": "git update-ref refs/remotes/origin/x $c",
    "a replacement": "git update-ref -d refs/remotes/origin/x; git update-ref refs/replace/$c HEAD",
    "an end of history": "rm .git/refs/replace/*; echo $c > .git/shallow",
    "a link for a folder of objects": `rm -rf ${folder}; ln -s ${objects}/${file.slice(0, 2)} ${folder}; git update-ref refs/remotes/origin/x $c`,
  };
  for (const [name, lie] of Object.entries(lies)) {
    const branch = `handrail/lie-${++keys}`;
    const alternate = `echo ${objects} > .git/objects/info/alternates`;
    await run(
      `rm -f .git/objects/info/alternates; ${made}; ${lie}; git update-ref refs/heads/${branch} $c; ${alternate}`,
    );
    expect([name, git("--no-replace-objects", "cat-file", "-p", branch)]).toEqual([
      name,
      expect.stringContaining(theirs),
    ]);
    await send({ branch });
    expect([name, atHost("cat-file", "--batch-check", "--batch-all-objects").includes(theirs)]).toEqual([
      name,
      false,
    ]);
  }
});

test("large files and packs are pushed", { tags: "long" }, async () => {
  await run("head -c 3000000 /dev/urandom > large.bin; git gc -q");
  const branch = `handrail/large-${keys}`;
  const commit = await commitOn(branch);
  await pushed({ branch });
  expect(atHost("rev-parse", branch)).toBe(commit);
});

test("a token is not sent over http to a machine outside the local network", async () => {
  const branch = `handrail/open-${keys}`;
  await commitOn(branch);
  // The address counts as public. Nothing is sent there.
  git("remote", "set-url", "origin", "http://198.41.0.4/origin");
  expect(await refused({ branch })).toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining("http"),
  });
});
