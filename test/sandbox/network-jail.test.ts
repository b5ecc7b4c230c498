// The network of commands in a real jail: installations and downloads through the proxy, and hosts that stay
// unreachable.
// @module-tag long
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createServer as createSecure, type Server as SecureServer } from "node:https";
import { createServer as createSocketServer, type Server as SocketServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostRule } from "../../sandbox/network/host-rules.ts";
import { type RunningServer, startServer } from "../../sandbox/server.ts";
import { ExecValue, SandboxInfo } from "../../shared/sandbox.ts";
import { listening, publicAddress, type TestReach, testReach } from "./network-origin.ts";
import { freshFolder, removeFolders, token } from "./running-server.ts";
import { SandboxClient } from "./sandbox-client.ts";

const names = ["npm.pkg.test", "git.pkg.test", "secure.pkg.test", "later.test"];
let server: RunningServer;
let client: SandboxClient;
let web: Server;
let secure: SecureServer;
let abstract: SocketServer;
let reach: TestReach;
let workspace: string;
let webPort: number;

beforeAll(async () => {
  const served = await freshFolder("served");
  workspace = await freshFolder("workspace");
  await packageIn(served);
  await repositoryIn(served);
  const key = join(served, "key.pem");
  const subject = ["-subj", "/CN=secure.pkg.test", "-addext", "subjectAltName=DNS:secure.pkg.test"];
  const out = ["-keyout", key, "-out", join(workspace, "ca.pem"), "-days", "2"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...out, ...subject], {
    stdio: "ignore",
  });
  web = createServer((request, response) => {
    const path = join(served, new URL(request.url ?? "/", "http://x").pathname);
    stat(path).then(
      (found) => (found.isFile() ? createReadStream(path).pipe(response) : response.writeHead(404).end()),
      () => response.writeHead(404).end(),
    );
  });
  secure = createSecure(
    { key: await readFile(key), cert: await readFile(join(workspace, "ca.pem")) },
    (_, response) => response.end("over tls"),
  );
  webPort = await listening(web);
  const ports = { 80: webPort, 443: await listening(secure) };
  abstract = createSocketServer((socket) => socket.end("abstract"));
  await new Promise<void>((resolve) => abstract.listen("\0handrail-network-test", resolve));
  reach = testReach(Object.fromEntries(names.map((name) => [name, [[publicAddress]]])), ports);
  server = await startServer(
    {
      ...{ token, workspace, state: await freshFolder("state"), port: 0, host: "127.0.0.1", network: "none" },
      ...{ privateSources: false, tools: [], commandBytes: 4 * 1024 ** 3, diskQuotaBytes: 0 },
      networkHosts: ["*.pkg.test"].map(hostRule).filter((rule) => typeof rule !== "string"),
    },
    undefined,
    reach,
  );
  client = new SandboxClient(`http://127.0.0.1:${server.port}`, token);
});
afterAll(async () => {
  await server.close();
  web.close();
  secure.close();
  abstract.close();
  await removeFolders();
});

/** A package in the registry's format: its document and its archive. */
async function packageIn(served: string): Promise<void> {
  const folder = join(served, "build", "package");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ name: "tiny", version: "1.0.0", main: "i.js" }),
  );
  await writeFile(join(folder, "i.js"), "module.exports = 'tiny came';\n");
  execFileSync("tar", ["-czf", join(served, "tiny.tgz"), "-C", join(served, "build"), "package"]);
  const bytes = await readFile(join(served, "tiny.tgz"));
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const dist = { tarball: "http://npm.pkg.test/tiny.tgz", integrity };
  const version = { name: "tiny", version: "1.0.0", main: "i.js", dist };
  await writeFile(
    join(served, "tiny"),
    JSON.stringify({ name: "tiny", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } }),
  );
}

/** A repository that any web server can serve: https://git-scm.com/docs/git-update-server-info */
async function repositoryIn(served: string): Promise<void> {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: served, stdio: "ignore" });
  const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
  git("init", "-q", "work");
  await writeFile(join(served, "work", "hello.txt"), "hello\n");
  git("-C", "work", "add", ".");
  git("-C", "work", ...who, "commit", "-qm", "one");
  git("clone", "-q", "--bare", "work", "repo.git");
  git("-C", "repo.git", "update-server-info");
}

const sandbox = async (network: string) => (await client.create({ network })).id;
const run = (id: string, command: string, access: "readonly" | "write" = "write") =>
  client.value(ExecValue, id, "exec", { command }, access);
const status = (url: string) =>
  `curl -sS -o /dev/null -m 20 -w '%{http_code} %{http_connect}\\n' ${url}; true`;

describe("through the proxy of a jail", () => {
  test("npm installs a package", async () => {
    const id = await sandbox("registries");
    const value = await run(
      id,
      "mkdir -p app && cd app && npm init -y >/dev/null && npm install --no-audit --no-fund --registry http://npm.pkg.test/ tiny && node -p \"require('tiny')\"",
    );
    expect(value).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("tiny came") });
    expect(value.refusedHosts).toBeUndefined();
  });

  test("git clones a repository", async () => {
    const id = await sandbox("registries");
    const value = await run(id, "git clone -q http://git.pkg.test/repo.git cloned && cat cloned/hello.txt");
    expect(value).toMatchObject({ exitCode: 0, stdout: "hello\n" });
  });

  test("https is encrypted end to end by the client", async () => {
    const id = await sandbox("registries");
    const value = await run(id, "curl -sS --cacert ca.pem https://secure.pkg.test/");
    expect(value).toMatchObject({ exitCode: 0, stdout: "over tls" });
  });

  test("a command's own server on its loopback is reached without the proxy", async () => {
    const id = await sandbox("registries");
    const command = `node -e "require('http').createServer((q,s)=>s.end('own')).listen(5999,'127.0.0.1')" & until curl -sf http://127.0.0.1:5999/; do :; done; curl -s http://localhost:5999/`;
    const value = await run(id, command);
    expect(value.stdout).toMatch(/^own(own)$/);
    expect(value.refusedHosts).toBeUndefined();
  });

  test("the proxy is gone with the command, delays nothing and leaves no trace in it", async () => {
    const id = await sandbox("registries");
    // Neither a shell's `wait` nor a program that waits for all of its children may wait for the bridge.
    const value = await run(
      id,
      "wait; perl -e '1 while wait() != -1; print qq(done\\n)'; ls -d /tmp/.handrail*; true",
    );
    expect(value).toMatchObject({ exitCode: 0, stdout: "done\n" });
  });
});

describe("a host that is refused", () => {
  test("is reported, allowed for the next command alone, and for the session", async () => {
    const id = await sandbox("registries");
    const asked = () => run(id, status("http://later.test/tiny"));
    expect(await asked()).toMatchObject({
      stdout: expect.stringContaining("403"),
      refusedHosts: [{ host: "later.test", reason: "not_allowed" }],
    });
    await client.post(`/sandboxes/${id}/hosts`, { host: "later.test", scope: "once" });
    // A read-only command has no network and does not use up the permission.
    await run(id, "true", "readonly");
    expect((await asked()).stdout).toContain("200");
    expect((await asked()).stdout).toContain("403");
    await client.post(`/sandboxes/${id}/hosts`, { host: "later.test", scope: "session" });
    expect((await asked()).stdout).toContain("200");
    expect((await asked()).stdout).toContain("200");
    const other = await sandbox("registries");
    expect((await run(other, status("http://later.test/tiny"))).stdout).toContain("403");
    const { body } = await client.get(`/sandboxes/${id}`);
    expect(SandboxInfo.parse(body).hosts).toEqual([{ host: "later.test", scope: "session" }]);
  });

  test("stays refused, whatever the command does to its variables", async () => {
    const id = await sandbox("registries");
    const value = await run(
      id,
      `unset HTTP_PROXY HTTPS_PROXY http_proxy https_proxy ALL_PROXY all_proxy; ${status("http://later.test/")}`,
    );
    expect(value.stdout).toContain("000");
    expect(
      (await run(id, `NO_PROXY='*' no_proxy='*' sh -c "${status("http://npm.pkg.test/tiny")}"`)).stdout,
    ).toContain("000");
  });
});

describe.each(["none", "registries", "full"])("with the network %s", (network) => {
  test("nothing of this machine is reached, by any spelling and any way", async () => {
    const id = await sandbox(network);
    for (const access of ["readonly", "write"] as const) {
      const hosts = ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]", "10.0.2.2"];
      for (const host of hosts) {
        const { stdout } = await run(id, status(`http://${host}:${webPort}/tiny`), access);
        expect([host, stdout.slice(0, 3)]).not.toEqual([host, "200"]);
        const straight = await run(id, `${status(`--noproxy '*' http://${host}:${webPort}/tiny`)}`, access);
        expect([host, straight.stdout.slice(0, 3)]).not.toEqual([host, "200"]);
      }
      const socket = `node -e "require('net').connect({path:'\\\\0handrail-network-test'}).on('data',d=>console.log(String(d))).on('error',e=>console.log(e.code))"`;
      expect((await run(id, socket, access)).stdout).not.toContain("abstract");
      const metadata = await run(id, "curl -sS -m 3 --noproxy '*' http://169.254.169.254/; echo $?", access);
      expect(metadata.stdout.trim()).toMatch(/^\d+$/);
      expect(metadata.stdout.trim()).not.toBe("0");
    }
  });
});

describe("the socket of a proxy", () => {
  test("is visible to its own command only, and to no read-only one", async () => {
    const first = await sandbox("registries");
    const second = await sandbox("none");
    expect((await run(first, "test -S /run/handrail/proxy")).exitCode).toBe(0);
    expect((await run(first, "ls /run/handrail", "readonly")).exitCode).not.toBe(0);
    expect((await run(second, "ls /run/handrail")).exitCode).not.toBe(0);
    // The folder of the socket has nothing that a command could change.
    expect((await run(first, "touch /run/handrail/x || rm /run/handrail/proxy")).exitCode).not.toBe(0);
  });
});

describe("a sandbox without a network", () => {
  const hasProxy = async (id: string, command: string) => (await run(id, command)).exitCode === 0;
  const open = (id: string, body: object) => client.post(`/sandboxes/${id}/network`, body);
  const look = "test -S /run/handrail/proxy";

  test("has one for the command line that was allowed once, and for that run alone", async () => {
    const id = await sandbox("none");
    await open(id, { scope: "once", command: look });
    expect(await hasProxy(id, `true && ${look}`)).toBe(false);
    expect(await hasProxy(id, `${look} 2>&1 | tail -n 5`)).toBe(true);
    expect(await hasProxy(id, look)).toBe(false);
  });

  test("has one for every command if the session was allowed it, until that is revoked, and none if never", async () => {
    const id = await sandbox("none");
    await open(id, { scope: "session" });
    expect([await hasProxy(id, look), await hasProxy(id, `true; ${look}`)]).toEqual([true, true]);
    await client.fetch(`/sandboxes/${id}/network`, { method: "DELETE" });
    expect(await hasProxy(id, look)).toBe(false);
    await open(id, { scope: "never" });
    expect(await hasProxy(id, look)).toBe(false);
  });
});
