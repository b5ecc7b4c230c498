// Remotes of the person's own repositories open the network of later sandboxes; those of repositories that a
// command made do not.
// @module-tag long
import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../sandbox/server.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit, newHome } from "./host-git.ts";
import { type TestReach, testReach } from "./network-origin.ts";
import { fileExists, freshFolder, removeFolders, token, until } from "./running-server.ts";
import { SandboxClient } from "./sandbox-client.ts";

let server: RunningServer;
let client: SandboxClient;
let reach: TestReach;
let workspace: string;
let state: string;
let home: string;

async function start(): Promise<void> {
  reach = testReach({}, {});
  server = await startServer(
    {
      ...{ token, workspace, state, port: 0, host: "127.0.0.1", network: "registries" },
      ...{
        privateSources: false,
        tools: [],
        commandBytes: 4 * 1024 ** 3,
        diskQuotaBytes: 0,
        networkHosts: [],
      },
    },
    undefined,
    reach,
  );
  client = new SandboxClient(`http://127.0.0.1:${server.port}`, token);
}

beforeAll(async () => {
  home = newHome(await freshFolder("home"));
});
afterAll(removeFolders);
beforeEach(async () => {
  workspace = await freshFolder("workspace");
  state = await freshFolder("state");
  await start();
});
afterEach(() => server.close());

const created = async (path?: string) =>
  (await client.create(path === undefined ? {} : { source: { path } })).id;
const run = (id: string, command: string) => client.value(ExecValue, id, "exec", { command });
const making = (folder: string) =>
  `git init -q ${folder} && git -C ${folder} remote add origin https://chosen.example/x.git`;

/** Whether a command of that sandbox gets as far as resolving the host. */
async function reaches(id: string, host: string): Promise<boolean> {
  const { refusedHosts } = await run(id, `curl -sS -m 20 http://${host}/; true`);
  const refused = refusedHosts?.some((one) => one.host === host && one.reason === "not_allowed") ?? false;
  expect([host, refused]).toEqual([host, !reach.asked.includes(host)]);
  return !refused;
}

test("the remote of the person's repository can be reached, also after a command worked there", async () => {
  hostGit(home, workspace, "init", "-q");
  hostGit(home, workspace, "remote", "add", "origin", "https://chosen.example/x.git");
  const first = await created();
  expect(await reaches(first, "chosen.example")).toBe(true);
  await run(first, "git commit -q --allow-empty -m one; git gc -q");
  expect(await reaches(await created(), "chosen.example")).toBe(true);
  expect(await reaches(first, "other.example")).toBe(false);
});

test("a remote that a command configured cannot, in a new sandbox, after a restart, or after all were deleted", async () => {
  const first = await created();
  await run(first, making("."));
  expect(hostGit(home, workspace, "remote", "get-url", "origin").trim()).toBe("https://chosen.example/x.git");
  const second = await created();
  expect(await reaches(second, "chosen.example")).toBe(false);
  await server.close();
  await start();
  for (const id of [first, second]) await client.fetch(`/sandboxes/${id}`, { method: "DELETE" });
  expect(await reaches(await created(), "chosen.example")).toBe(false);
});

test("nor one of a repository that a command created where a sandbox works later, or below it", async () => {
  await mkdir(join(workspace, "deep/er"), { recursive: true });
  await run(await created(), making("deep"));
  expect(await reaches(await created("deep"), "chosen.example")).toBe(false);
  expect(await reaches(await created("deep/er"), "chosen.example")).toBe(false);
});

test("nor one of a repository that came with the files, and to which a command's `.git` file points", async () => {
  hostGit(home, workspace, "init", "-q", "--bare", "came");
  hostGit(home, workspace, "--git-dir=came", "config", "core.bare", "false");
  hostGit(home, workspace, "--git-dir=came", "remote", "add", "origin", "https://chosen.example/x.git");
  await run(await created(), "echo 'gitdir: came' > .git");
  expect(hostGit(home, workspace, "remote", "get-url", "origin").trim()).toBe("https://chosen.example/x.git");
  expect(await reaches(await created(), "chosen.example")).toBe(false);
});

test("nor while the command that created it runs", async () => {
  const first = await created();
  const running = run(first, `${making(".")}; touch begun; until [ -e go ]; do sleep 0.02; done`);
  await until(() => fileExists(join(workspace, "begun")));
  const second = await created();
  await writeFile(join(workspace, "go"), "");
  await running;
  expect(await reaches(second, "chosen.example")).toBe(false);
});

test("nor one that a command prepared, and that a person's `git init` completes", async () => {
  const begun = `mkdir .git; printf '[remote "origin"]\\n\\turl = https://chosen.example/x.git\\n' > .git/config`;
  await run(await created(), begun);
  hostGit(home, workspace, "init", "-q");
  expect(hostGit(home, workspace, "remote", "get-url", "origin").trim()).toBe("https://chosen.example/x.git");
  expect(await reaches(await created(), "chosen.example")).toBe(false);
});

test("nor one that is read through a link in place of the settings", async () => {
  hostGit(home, workspace, "init", "-q");
  const settings = join(home, "settings");
  await rename(join(workspace, ".git/config"), settings);
  await symlink(settings, join(workspace, ".git/config"));
  hostGit(home, workspace, "config", "remote.origin.url", "https://chosen.example/x.git");
  expect(await reaches(await created(), "chosen.example")).toBe(false);
});
