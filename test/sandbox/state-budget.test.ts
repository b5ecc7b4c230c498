// The state folder has a budget: its use is reported correctly, a warning comes before the budget is used up,
// files that are not needed are freed, and refusals are explained.
// @module-tag long
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { Capabilities } from "../../shared/capabilities.ts";
import { SandboxInfo } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

const mebibyte = 1024 * 1024;
let server: RunningServer;
let workspace: string;

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  server = await RunningServer.start({ workspace, env: { HANDRAIL_STATE_BUDGET: "10" } });
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const info = async (id: string) => z.parse(SandboxInfo, (await server.client.get(`/sandboxes/${id}`)).body);
const du = (...path: string[]) =>
  Number(execFileSync("du", ["-skx", join(server.state, ...path)], { encoding: "utf8" }).split("\t")[0]) *
  1024;

test("the capabilities name the limits that a caller can run into, this budget too, and no others", async () => {
  const { limits } = z.parse(Capabilities, (await server.client.get("/capabilities")).body);
  expect(limits).toMatchObject({ stateBytes: 10 * mebibyte, diskQuotaBytes: 16 * 1024 * mebibyte });
  expect(limits).not.toHaveProperty("packFiles");
});

test("sizes are measured on disk, and a full folder refuses new work until deletions made room", async () => {
  const [a, b] = [(await server.client.create()).id, (await server.client.create()).id];
  const grow = async (name: string, bytes: number) => {
    await writeFile(join(workspace, name), randomBytes(bytes));
    expect((await server.client.call(a, "snapshot", {})).ok).toBe(true);
    await rm(join(workspace, name));
    for (const id of [a, b]) await server.client.call(id, "snapshot", {});
  };
  await grow("first", 4 * mebibyte);
  const early = await info(a);
  expect(early.sizes).toEqual({
    journalBytes: du("sandboxes", a, "turns") + du("sandboxes", a, "calls"),
    snapshotBytes: du("folders", readdirSync(join(server.state, "folders"))[0] ?? "", "snapshots.git"),
  });
  expect(early.stateFolder).toEqual({ usedBytes: expect.any(Number), budgetBytes: 10 * mebibyte });
  expect(Math.abs((early.stateFolder?.usedBytes ?? 0) - du())).toBeLessThan(64 * 1024);

  await grow("second", 4.5 * mebibyte);
  expect((await info(a)).stateFolder?.warning).toMatch(
    /of 10 MiB \(8\d %\)\. Delete sessions .*HANDRAIL_STATE_BUDGET/,
  );

  await grow("third", 2 * mebibyte);
  const refused = await server.client.call(b, "exec", { command: "touch begun" });
  expect(refused).toMatchObject({
    ok: false,
    error: { code: "too_large", details: { reason: "state_full" } },
  });
  expect(refused.error?.message).toMatch(/state folder is full: 1\d of 10 MiB\. Nothing was begun\. Delete/);
  expect(readdirSync(workspace)).toEqual([]);
  expect(callsOf(b)).not.toContain("touch begun");
  expect((await server.client.call(b, "list", {})).ok).toBe(true);
  await expect(server.client.create()).rejects.toThrow(/state folder is full/);
  expect((await server.client.create({ id: b })).id).toBe(b);

  await server.client.fetch(`/sandboxes/${a}`, { method: "DELETE" });
  expect((await server.client.call(b, "exec", { command: "touch begun" })).ok).toBe(true);
  expect(readdirSync(workspace)).toEqual(["begun"]);
  // The last file is still in git's index, since the snapshot without it was refused.
  expect(du()).toBeLessThan(4 * mebibyte);
});

function callsOf(id: string): string {
  const dir = join(server.state, "sandboxes", id, "calls");
  return readdirSync(dir)
    .filter((name) => statSync(join(dir, name)).isFile())
    .map((name) => readFileSync(join(dir, name), "utf8"))
    .join("");
}
