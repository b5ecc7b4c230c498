// Routes that refuse where their answer would have no effect, or would hold more than the caller may know: by the
// sandbox's network, by a later runner of the turn, by the room in the state folder.
// @module-tag long
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

afterAll(removeFolders);

const token = ["ghp", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9"].join("_");

/** A server that ends with `work`. */
async function serving(
  settings: Parameters<typeof RunningServer.start>[0],
  work: (server: RunningServer) => Promise<void>,
): Promise<void> {
  const server = await RunningServer.start(settings);
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

/** A repository on a branch whose name is a secret. */
async function repository(): Promise<string> {
  const root = await freshFolder("workspace");
  const home = newHome(await freshFolder("home"));
  writeFileSync(join(root, "large.bin"), randomBytes(2 * 1024 * 1024));
  for (const args of [
    ["init", "-q", "-b", token],
    ["add", "-A"],
    ["commit", "-qm", "first"],
  ])
    hostGit(home, root, ...args);
  return root;
}

describe("what a person allows where it has no effect is refused:", () => {
  test.each([
    ["without a jail", { HANDRAIL_NO_BWRAP: "1", HANDRAIL_NETWORK: "registries" }, 501, 501],
    ["without a jail or a network", { HANDRAIL_NO_BWRAP: "1", HANDRAIL_NETWORK: "none" }, 501, 501],
    ["with all of the network", { HANDRAIL_NETWORK: "full" }, 501, 501],
    ["with the network of registries", { HANDRAIL_NETWORK: "registries" }, 200, 501],
    ["with none", { HANDRAIL_NETWORK: "none" }, 501, 200],
  ])("%s", async (_, env, hosts, network) => {
    await serving({ workspace: await freshFolder("workspace"), env }, async ({ client }) => {
      const { id } = await client.create();
      const allow = () => client.post(`/sandboxes/${id}/hosts`, { host: "a.example", scope: "session" });
      const open = (scope: string) => client.post(`/sandboxes/${id}/network`, { scope });
      expect((await allow()).status).toBe(hosts);
      // A person who refused the network for good has not opened it.
      expect((await open("never")).status).toBe(network);
      expect((await allow()).status).toBe(hosts);
      expect((await open("session")).status).toBe(network);
      expect((await allow()).status).toBe(network === 200 ? 200 : hosts);
    });
  });
});

test("a runner that another has replaced neither attends nor beats", async () => {
  await serving({}, async ({ client }) => {
    const { id } = await client.create({ source: { sample: true } });
    for (const epoch of [1, 2]) await client.claim(id, "t", { epoch });
    const path = `/sandboxes/${id}/turns/t`;
    const stale = { status: 409, body: { error: { code: "stale_epoch" } } };
    const attended = await client.fetch(`${path}/attend?epoch=1`);
    expect(attended.status).toBe(stale.status);
    expect(await attended.json()).toMatchObject(stale.body);
    expect(await client.post(`${path}/beat`, { epoch: 1 })).toMatchObject(stale);
    expect(await client.post(`${path}/beat`, { epoch: 2 })).toMatchObject({ status: 204 });
  });
});

test("only sandboxes that share files are shown as working together", async () => {
  const workspace = await freshFolder("workspace");
  for (const name of ["a/deep", "b"]) mkdirSync(join(workspace, name), { recursive: true });
  await serving({ workspace }, async ({ client }) => {
    const [a = "", deep = "", b = ""] = await Promise.all(
      ["a", "a/deep", "b"].map(async (path) => (await client.create({ source: { path } })).id),
    );
    const runner = new AbortController();
    const claim = { epoch: 1, attends: "stream" };
    const { body } = await client.fetch(`/sandboxes/${deep}/turns/t/claim`, {
      ...{ method: "POST", body: JSON.stringify(claim), signal: runner.signal },
    });
    await body?.getReader().read();
    const together = async (id: string) => (await client.get(`/sandboxes/${id}`)).body;
    expect(await together(a)).toMatchObject({ together: [deep] });
    expect(await together(b)).toMatchObject({ together: [] });
    expect(await together(deep)).toMatchObject({ together: [] });
    runner.abort();
  });
});

test("a branch whose name is a secret is named without it; a full state folder takes no new work", async () => {
  const [workspace, state] = [await repository(), await freshFolder("state")];
  let id = "";
  await serving({ workspace, state }, async ({ client }) => {
    const made = await client.create();
    ({ id } = made);
    const read = await client.get(`/sandboxes/${id}`);
    for (const info of [made, read.body]) expect(info).toMatchObject({ branch: expect.any(String) });
    expect(JSON.stringify([made, read])).not.toContain(token);
    expect((await client.call(id, "snapshot", {})).ok).toBe(true);
    await client.claim(id, "begun", { epoch: 1 });
    const { id: other } = await client.create();
    const name = ["glpat", "a1b2c3d4e5f6g7h8i9j0"].join("-");
    const given = await client.post(`/sandboxes/${other}/worktree`, { name });
    expect(given).toMatchObject({ status: 201, body: { worktree: { from: expect.any(String) } } });
    const shown = JSON.stringify([given, await client.get(`/sandboxes/${other}`)]);
    expect(shown).toContain("handrail/[redacted: ");
    for (const secret of [token, name]) expect(shown).not.toContain(secret);
  });
  await serving({ workspace, state, env: { HANDRAIL_STATE_BUDGET: "1" } }, async ({ client }) => {
    const full = { status: 413, body: { error: { details: { reason: "state_full" } } } };
    expect(await client.post(`/sandboxes/${id}/worktree`, {})).toMatchObject(full);
    expect(await client.post(`/sandboxes/${id}/turns/new/claim`, { epoch: 1 })).toMatchObject(full);
    expect(await client.post("/sandboxes", {})).toMatchObject(full);
    const archive = await client.fetch(`/sandboxes/${id}/archive`, { method: "PUT", body: "" });
    expect([archive.status, await archive.json()]).toMatchObject([413, full.body]);
    // What has begun may finish, and what exists is found.
    expect((await client.post(`/sandboxes/${id}/turns/begun/claim`, { epoch: 2 })).status).toBe(200);
    expect((await client.post("/sandboxes", { id })).status).toBe(200);
  });
});
