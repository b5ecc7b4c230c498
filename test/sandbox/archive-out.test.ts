// An archive that would be too large is refused before its first byte is sent.
// @module-tag long
import { mkdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import { ErrorBody } from "../../shared/errors.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let workspace: string;
let id: string;

beforeEach(async () => {
  workspace = await freshFolder("workspace");
  server = await RunningServer.start({ workspace });
  ({ id } = await server.client.create());
});
afterEach(async () => {
  await server.stop();
});
afterAll(removeFolders);

async function limit(name: "archiveBytes" | "archiveEntries"): Promise<number> {
  const { body } = await server.client.get("/capabilities");
  return z.parse(z.object({ limits: z.record(z.string(), z.number()) }), body).limits[name] ?? 0;
}

async function refusal(): Promise<[number, string]> {
  const answer = await server.client.fetch(`/sandboxes/${id}/archive`);
  return [answer.status, z.parse(ErrorBody, await answer.json()).error.code];
}

test("files larger together than an archive may be are refused", async () => {
  const most = await limit("archiveBytes");
  for (const name of ["one", "two"]) {
    await writeFile(join(workspace, name), name);
    await truncate(join(workspace, name), most / 2 + 1);
  }
  expect(await refusal()).toEqual([413, "too_large"]);
});

test("more files than an archive may hold are refused", async () => {
  const most = await limit("archiveEntries");
  const names = Array.from({ length: most + 1 }, (_, at) => join(`${at % 100}`, `${at}`));
  for (let at = 0; at < 100; at += 1) await mkdir(join(workspace, `${at}`));
  for (let at = 0; at < names.length; at += 500)
    await Promise.all(names.slice(at, at + 500).map((name) => writeFile(join(workspace, name), "")));
  expect(await refusal()).toEqual([413, "too_large"]);
});
