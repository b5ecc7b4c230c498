// Cloning over the network: progress, time limits, credentials that are stored nowhere, and deletion during a
// clone.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { GitValue } from "../../shared/git.ts";
import { ReadValue, SandboxInfo } from "../../shared/sandbox.ts";
import { type GitHost, hostPassword, hostUser, startGitHost } from "./git-host.ts";
import { RunningServer, removeFolders, until } from "./running-server.ts";
import { codeOf } from "./sandbox-client.ts";

let host: GitHost;
let server: RunningServer;
let withSecret: string;

beforeAll(async () => {
  host = await startGitHost(4 * 1024 * 1024);
  const url = new URL(host.url);
  url.username = hostUser;
  url.password = encodeURIComponent(hostPassword);
  withSecret = url.href;
  server = await RunningServer.start();
});
afterAll(async () => {
  await server.stop();
  await host.close();
  await removeFolders();
});

const infoOf = async (id: string) => z.parse(SandboxInfo, (await server.client.get(`/sandboxes/${id}`)).body);
/** One line of git's protocol. */
const packet = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text;
async function listening(host: Server): Promise<number> {
  host.listen(0);
  await once(host, "listening");
  const address = host.address();
  return typeof address === "object" && address ? address.port : 0;
}
/** Processes of this machine whose command line contains `text`. */
const processesWith = (text: string) =>
  execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(text) && !line.startsWith("ps "));
const textOf = (path: string) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};
/** Files below `folder` that contain `text`, whatever their format. */
const filesWith = (folder: string, text: string) => {
  try {
    return execFileSync("grep", ["-rlaF", text, folder], { encoding: "utf8" });
  } catch {
    return "";
  }
};

test("credentials are used for the clone and are nowhere else: in no process, and later in no file, answer or log", async () => {
  const encoded = Buffer.from(`${hostUser}:${hostPassword}`).toString("base64");
  const shown: string[] = [];
  host.before = () => {
    // Every visible process of this machine, except the test's own.
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
    for (const pid of pids)
      for (const name of ["cmdline", "environ"])
        if ([hostPassword, encoded].some((secret) => textOf(`/proc/${pid}/${name}`).includes(secret)))
          shown.push(`${pid} ${name}`);
  };
  const made = await server.client.create({ id: "secret", source: { git: withSecret } });
  host.before = undefined;
  expect(shown).toEqual([]);
  expect([made.state, made.workspace]).toEqual(["ready", "origin"]);
  expect((await server.client.value(ReadValue, "secret", "read", { path: "a.txt" })).total).toBe(1);
  expect((await server.client.value(GitValue, "secret", "git", { verb: "status" })).stdout).toContain(
    "trunk",
  );
  const secrets = [
    hostPassword,
    encodeURIComponent(hostPassword),
    host.seen.find(Boolean)?.split(" ")[1] ?? "?",
  ];
  for (const secret of secrets) {
    expect(filesWith(server.state, secret)).toBe("");
    expect(server.log).not.toContain(secret);
    expect(JSON.stringify(await infoOf("secret"))).not.toContain(secret);
  }
});

test("a repository whose submodules and branches would run something is cloned or refused, and runs nothing", {
  tags: "long",
}, async () => {
  const hostile = await startGitHost(0);
  const mark = join(server.state, "mark");
  const at = (...args: string[]) =>
    execFileSync("git", ["-C", hostile.root, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      encoding: "utf8",
    }).trim();
  const url = new URL(hostile.url);
  url.username = hostUser;
  url.password = encodeURIComponent(hostPassword);
  try {
    const head = at("rev-parse", "HEAD");
    const modules = [`ext::sh -c touch% ${mark}`, "file:///etc", `--upload-pack=touch ${mark}`].map(
      (address, index) =>
        `[submodule "m${index}"]\n\tpath = m${index}\n\turl = ${address}\n\tfetchRecurseSubmodules = true\n`,
    );
    await writeFile(join(hostile.root, ".gitmodules"), modules.join(""));
    at("add", ".gitmodules");
    for (const index of modules.keys())
      at("update-index", "--add", "--cacheinfo", `160000,${head},m${index}`);
    at("commit", "-qm", "submodules");
    const { id, state } = await server.client.create({ source: { git: url.href } });
    expect(state).toBe("ready");
    const status = await server.client.value(GitValue, id, "git", { verb: "status" });
    expect(status.exitCode).toBe(0);
    expect(await readdir(join(server.state, "sandboxes", id, "workspace", "m0"))).toEqual([]);
    // A default branch whose name looks like an option, and a request for such a name.
    at("update-ref", `refs/heads/--upload-pack=touch`, "HEAD");
    await writeFile(join(hostile.root, ".git/HEAD"), "ref: refs/heads/--upload-pack=touch\n");
    const odd = await server.client.post("/sandboxes", { source: { git: url.href } });
    expect([200, 201, 400]).toContain(odd.status);
    const named = await server.client.post("/sandboxes", {
      source: { git: url.href, ref: `--upload-pack=touch ${mark}` },
    });
    expect(JSON.stringify(named.body)).toContain("source.ref: give a branch");
    expect(textOf(mark) === "" && !readdirSync(server.state).includes("mark")).toBe(true);
  } finally {
    await hostile.close();
  }
});

test("wrong credentials are a clear error that does not repeat them, and no sandbox is left", async () => {
  const wrong = withSecret.replace(encodeURIComponent(hostPassword), "wrong-secret");
  const answer = await server.client.post("/sandboxes", { id: "wrong", source: { git: wrong } });
  expect([answer.status, codeOf(answer)]).toEqual([400, "invalid_request"]);
  expect(JSON.stringify(answer.body)).toContain("source.git");
  expect(JSON.stringify(answer.body) + server.log).not.toContain("wrong-secret");
  expect((await server.client.get("/sandboxes/wrong")).status).toBe(404);
  expect(filesWith(server.state, "wrong-secret")).toBe("");
});

test.each([
  ["for anybody", 200],
  ["for a login", 401],
])("a host that redirects elsewhere does not get the credentials there: %s", async (_, status) => {
  const seen: (string | undefined)[] = [];
  // Advertises the hash that git knows, so that git requests it here too.
  const elsewhere = createServer((request, response) => {
    seen.push(request.headers.authorization);
    if (status === 401 && seen.length === 1)
      return response.writeHead(401, { "www-authenticate": "Basic" }).end();
    response.setHeader("content-type", "application/x-git-upload-pack-advertisement");
    const head = `${"1".repeat(40)} HEAD\0multi_ack_detailed no-done side-band-64k shallow\n`;
    return response.end(`${packet("# service=git-upload-pack\n")}0000${packet(head)}0000`);
  });
  const elsewherePort = await listening(elsewhere);
  const redirecting = createServer((request, response) =>
    response.writeHead(302, { location: `http://localhost:${elsewherePort}${request.url}` }).end(),
  );
  const git = `http://robot:sesame-1@127.0.0.1:${await listening(redirecting)}/origin`;
  const answer = await server.client.post("/sandboxes", { id: "redirected", source: { git } });
  expect(seen.filter((header) => header !== undefined)).toEqual([]);
  expect([answer.status, codeOf(answer)]).toEqual([400, "invalid_request"]);
  expect(JSON.stringify(answer.body)).not.toContain("sesame-1");
  elsewhere.close();
  redirecting.close();
});

test.each([
  "https://host.invalid/repo?token=sesame-1",
  "ssh://user:sesame-1@host.invalid/repo",
  "ftp://user:sesame-1@host.invalid/repo",
  "sesame-1",
])("an address that would store a secret is refused without repeating it: %s", async (git) => {
  const answer = await server.client.post("/sandboxes", { source: { git } });
  expect([answer.status, codeOf(answer)]).toEqual([400, "invalid_request"]);
  expect(JSON.stringify(answer.body)).not.toContain("sesame-1");
});

describe("a slow clone", () => {
  beforeAll(() => {
    host.holding = true;
  });
  afterAll(() => {
    host.holding = false;
  });
  const begin = (id: string) => server.client.post("/sandboxes", { id, source: { git: withSecret } });
  const cloning = (id: string) =>
    until(async () => (await server.client.get(`/sandboxes/${id}`)).status === 200);

  test("shows its progress, and answers `preparing`; calls are told to try again", {
    tags: "long",
  }, async () => {
    const creating = begin("slow");
    await cloning("slow");
    const early = server.client.post("/sandboxes/slow/calls", {
      calls: [{ key: "early", op: "list", args: {} }],
    });
    // Git says "Receiving" or "Unpacking", depending on the number of objects.
    await until(async () => (await infoOf("slow")).progress?.stage.endsWith("ing objects") ?? false);
    expect(await infoOf("slow")).toMatchObject({
      state: "preparing",
      progress: { percent: expect.any(Number) },
    });
    const calls = await early;
    expect(calls).toMatchObject({ status: 503 });
    expect(calls.body).toMatchObject({
      error: {
        code: "sandbox_unreachable",
        retryable: true,
        message: expect.stringContaining("not ready yet ("),
        details: { state: "preparing" },
      },
    });
    const created = await creating;
    expect([created.status, z.parse(SandboxInfo, created.body).state]).toEqual([201, "preparing"]);
    expect((await begin("slow")).status).toBe(200);
  });

  test("ends when its sandbox is deleted, with git and all files, and its id can be used again", {
    tags: "long",
  }, async () => {
    const deleted = await server.client.fetch("/sandboxes/slow", { method: "DELETE" });
    expect(deleted.status).toBe(204);
    expect(processesWith(host.url)).toEqual([]);
    expect(await readdir(join(server.state, "sandboxes"))).not.toContain("slow");
    host.holding = false;
    expect((await begin("slow")).status).toBe(201);
    host.holding = true;
    expect((await infoOf("slow")).state).toBe("ready");
  });

  test("does not outlive its server; the sandbox says so and can be created again under its id", {
    tags: "long",
  }, async () => {
    void begin("killed").catch(() => undefined);
    await cloning("killed");
    await until(() => processesWith(host.url).length > 0);
    await server.kill();
    await until(() => processesWith(host.url).length === 0);
    server = await RunningServer.start({ state: server.state });
    expect(await infoOf("killed")).toMatchObject({
      state: "failed",
      problem: expect.stringContaining("stopped"),
    });
    const calls = await server.client.post("/sandboxes/killed/calls", { calls: [] });
    expect([calls.status, JSON.stringify(calls.body)]).toEqual([
      400,
      expect.stringContaining("Begin a new session"),
    ]);
    host.holding = false;
    expect((await begin("killed")).status).toBe(201);
    expect((await infoOf("killed")).state).toBe("ready");
  });
});

test("a sandbox that is being created is never reported as failed", { tags: "long" }, async () => {
  const states = new Set<unknown>();
  const look = async (id: string, creating: Promise<unknown>) => {
    let made = false;
    void creating.then(() => {
      made = true;
    });
    while (!made) {
      const { status, body } = await server.client.get(`/sandboxes/${id}`);
      if (status === 200) states.add(z.parse(SandboxInfo, body).state);
    }
  };
  for (let index = 0; index < 8; index++) {
    const id = `watched-${index}`;
    const creating = server.client.create({ id, source: { sample: true } });
    await Promise.all([look(id, creating), look(id, creating), look(id, creating), creating]);
    states.add((await infoOf(id)).state);
  }
  expect(states).not.toContain("failed");
  expect(states).toContain("ready");
});
