// Routes that write to a workspace outside of a call wait for the command that is running there.
// @module-tag long
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import { TakenOutList } from "../../shared/taken-out.ts";
import { hostGit, newHome } from "./host-git.ts";
import { oneSandbox } from "./one-sandbox.ts";
import { freshFolder, until } from "./running-server.ts";
import { entry, tarOf } from "./tar-entry.ts";

const { sandbox, exec } = oneSandbox();
let path: string;
beforeEach(() => {
  path = `/sandboxes/${sandbox().id}`;
});

/** Sends a request while a command runs. Returns the status, and what the command saw of `name` at its end. */
async function meanwhile(request: () => Promise<{ status: number }>, name: string) {
  const { server, workspace } = sandbox();
  const running = exec(
    `touch begun; until test -e go; do sleep 0.02; done; rm begun go; test -e ${name} && echo there`,
    "write",
  );
  await until(() => existsSync(join(workspace, "begun")));
  const answer = request();
  // Requests that only read are answered meanwhile.
  for (let n = 0; n < 20; n += 1) await server.client.get(`${path}/file?path=begun`);
  writeFileSync(join(workspace, "go"), "");
  const { stdout } = await running;
  const { status } = await answer;
  return { status, seen: stdout, after: existsSync(join(workspace, name)) };
}

test("an archive", async () => {
  const body = new Uint8Array(tarOf(entry("packed.txt", "0", "packed")));
  const put = () => sandbox().server.client.fetch(`${path}/archive`, { method: "PUT", body });
  expect(await meanwhile(put, "packed.txt")).toEqual({ status: 200, seen: "", after: true });
});

test("what is put back", async () => {
  const { client } = sandbox().server;
  await exec("mkdir .zed", "write");
  const [one] = z.parse(TakenOutList, (await client.get(`${path}/taken-out`)).body).entries;
  const put = () => client.post(`${path}/taken-out/${one?.id}`);
  expect(await meanwhile(put, ".zed")).toEqual({ status: 204, seen: "", after: true });
});

test.each([
  ["git", "the state of a repository", {}],
  ["worktree", "that of a worktree", { worktree: { when: "always" } }],
])("/%s: %s is looked at once a change is made that was sent before", async (route, _, how) => {
  const { server, workspace } = sandbox();
  const home = newHome(await freshFolder("home"));
  writeFileSync(join(workspace, ".gitignore"), "begun\ngo\n");
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-q", "--allow-empty", "-m", "first"],
  ])
    hostGit(home, workspace, ...args);
  const { id } = await server.client.create(how);
  const folder = route === "git" ? workspace : join(server.state, "sandboxes", id, "worktree");
  const at = `/sandboxes/${id}`;
  const command = "touch begun; until test -e go; do sleep 0.02; done";
  const running = server.client.call(id, "exec", { command });
  await until(() => existsSync(join(folder, "begun")));
  const body = new Uint8Array(tarOf(entry(`${route}.txt`, "0", "new")));
  const change = server.client.fetch(`${at}/archive`, { method: "PUT", body });
  const uploads = join(server.state, "uploads");
  const isSent = (name: string) => statSync(join(uploads, name)).size === body.length;
  await until(() => existsSync(uploads) && readdirSync(uploads).some(isSent));
  await server.client.get(`${at}/file?path=begun`);
  const look = server.client.get(`${at}/${route}`);
  // Requests that wait for nothing are answered meanwhile, also those that take longer than the look.
  for (let n = 0; n < 3; n += 1) await (await server.client.fetch(`${at}/archive`)).arrayBuffer();
  writeFileSync(join(folder, "go"), "");
  await Promise.all([running, change]);
  expect((await look).body).toMatchObject(route === "git" ? { clean: false } : { uncommitted: true });
});
