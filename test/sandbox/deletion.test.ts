// Deleting a sandbox removes everything that belongs to it and nothing else, whatever is running in it.
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Registry } from "../../sandbox/registry.ts";
import type { CallsRequestInput } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders, token, until } from "./running-server.ts";

let server: RunningServer;
let workspace: string;

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  await mkdir(join(workspace, "beneath"));
  await writeFile(join(workspace, "mine.txt"), "mine\n");
  server = await RunningServer.start({ workspace });
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const remove = async (id: string) =>
  (await server.client.fetch(`/sandboxes/${id}`, { method: "DELETE" })).status;
const inState = async (folder: string): Promise<string[]> =>
  readdir(join(server.state, folder)).catch(() => []);
const isRunning = (text: string) => execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).includes(text);
/** No other process on this machine sleeps for this long. */
const marker = `31.4${process.pid}`;
const running = (id: string) => async () =>
  JSON.stringify((await server.client.get(`/sandboxes/${id}`)).body).includes('"running":[{');

test("ends the running command, tells its reader, runs nothing that waited, and leaves no file", async () => {
  const { id } = await server.client.create({ id: "busy", source: { sample: true } });
  const body: CallsRequestInput = {
    access: "write",
    calls: [
      {
        key: "long",
        op: "exec",
        args: { command: `trap '' TERM; sleep ${marker} & echo begun; wait; sleep 600` },
      },
      { key: "next", op: "exec", args: { command: "echo never" } },
    ],
  };
  const results = server.client.results(id, body);
  await until(running(id));
  expect(await remove(id)).toBe(204);
  expect((await results).map(({ error }) => error?.code)).toEqual(["stopped", "not_run"]);
  expect(isRunning(`sleep ${marker}`)).toBe(false);
  expect(await inState("sandboxes")).not.toContain(id);
  expect((await server.client.get(`/sandboxes/${id}`)).status).toBe(404);
  expect((await server.client.post(`/sandboxes/${id}/calls`, body)).status).toBe(404);
});

test("every one of many requests to delete and create one sandbox is answered, and one state is left", async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      index % 2 === 0
        ? server.client
            .post("/sandboxes", { id: "raced", source: { sample: true } })
            .then(({ status }) => status)
        : remove("raced"),
    ),
  );
  for (const status of answers) expect([200, 201, 204, 404]).toContain(status);
  const known = (await server.client.get("/sandboxes/raced")).status === 200;
  expect((await inState("sandboxes")).includes("raced")).toBe(known);
  expect((await inState("sandboxes")).filter((name) => name.startsWith("."))).toEqual([]);
  if (known) expect(await remove("raced")).toBe(204);
});

test("leaves the served folder and the other sandboxes unchanged", async () => {
  const [one, two] = [
    await server.client.create(),
    await server.client.create({ source: { path: "beneath" } }),
  ];
  const folders = (await inState("folders")).length;
  expect(await remove(one.id)).toBe(204);
  expect(await readFile(join(workspace, "mine.txt"), "utf8")).toBe("mine\n");
  expect((await inState("folders")).length).toBe(folders - 1);
  expect((await server.client.call(two.id, "git", { verb: "diff", since: "start" })).ok).toBe(true);
  expect(await remove(two.id)).toBe(204);
  expect(await inState("folders")).toEqual([]);
  expect(await inState("sandboxes")).toEqual([]);
});

test("aborts an upload, and leaves nothing of it", async () => {
  const { id } = await server.client.create({ source: { sample: true } });
  const upload = request(`${server.url}/v1/sandboxes/${id}/archive`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}` },
  });
  upload.on("error", () => undefined);
  const closed = new Promise((resolve) => upload.once("close", resolve));
  upload.write(Buffer.alloc(100_000, 1));
  // The whole upload so far is stored there, and the sandbox waits for a part that never comes.
  await until(async () => {
    const [name] = await inState("uploads");
    return name !== undefined && (await stat(join(server.state, "uploads", name))).size === 100_000;
  });
  expect(await remove(id)).toBe(204);
  expect(await inState("uploads")).toEqual([]);
  upload.destroy();
  await closed;
});

test("leaves nothing of an upload that its client aborts either", async () => {
  const { id } = await server.client.create({ source: { sample: true } });
  const upload = request(`${server.url}/v1/sandboxes/${id}/archive`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}` },
  });
  upload.on("error", () => undefined);
  upload.write(Buffer.alloc(100_000, 1));
  await until(async () => (await inState("uploads")).length === 1);
  upload.destroy();
  await until(async () => (await inState("uploads")).length === 0);
  expect(await remove(id)).toBe(204);
});

test("a deletion interrupted by a kill of the server is finished at the next start", {
  tags: "long",
}, async () => {
  const { id } = await server.client.create({ source: { sample: true } });
  await server.kill();
  const aside = join(server.state, "sandboxes", ".deleted-x");
  execFileSync("mv", [join(server.state, "sandboxes", id), aside]);
  await mkdir(join(server.state, "uploads"), { recursive: true });
  await writeFile(join(server.state, "uploads", "half"), "x");
  server = await RunningServer.start({ workspace, state: server.state });
  expect([await inState("sandboxes"), await inState("folders"), await inState("uploads")]).toEqual([
    [],
    [],
    [],
  ]);
});

test("of many concurrent deletions of one sandbox one does it, and whoever creates it again meanwhile has it", async () => {
  const state = await freshFolder("state");
  await mkdir(join(state, "sandboxes"));
  const registry = new Registry({
    ...{ state, served: undefined, network: "none", privateSources: false, newId: () => randomUUID() },
    ...{ jail: undefined, diskQuotaBytes: 0 },
    journal: { now: () => Date.now(), warn: () => undefined },
  });
  const make = async () => (await registry.create({ id: "twice", source: { sample: true } })).sandbox;
  const gone = (work: Promise<void>) => work.then(() => "gone").catch(({ code }) => code);
  await make();
  const requests = [registry.remove("twice"), registry.remove("twice"), registry.remove("twice")].map(gone);
  const made = await make();
  expect((await Promise.all(requests)).sort()).toEqual(["gone", "not_found", "not_found"]);
  await made.preparing;
  expect(await registry.get("twice")).toBe(made);
  expect(await readdir(made.folder.root)).toContain("package.json");
  await made.beginning;
});
