// A state folder on its own small disk that is really full, and then read-only. Mounting one needs root.
import { execFileSync, spawnSync } from "node:child_process";
import { readdir, readFile, rm, stat, statfs, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { ErrorBody } from "../../shared/errors.ts";
import { hostPassword, hostUser, startGitHost } from "./git-host.ts";
import { builtServer, freshFolder, RunningServer, removeFolders, token } from "./running-server.ts";
import { codeOf, detailsOf } from "./sandbox-client.ts";
import { event } from "./turn-journal.ts";

const diskBytes = 4 * 1024 * 1024;
let state: string;
const mount = (...options: string[]) => execFileSync("mount", ["-o", ...options, state], { stdio: "ignore" });

async function smallDisk(): Promise<boolean> {
  state = await freshFolder("state");
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskBytes}`, "tmpfs", state], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe.runIf(await smallDisk())("a full disk", () => {
  let server: RunningServer;
  let id: string;
  beforeAll(async () => {
    server = await RunningServer.start({ state });
    ({ id } = await server.client.create());
  });
  afterAll(async () => {
    await server.stop();
    execFileSync("umount", [state]);
    await removeFolders();
  });

  const record = (number: number, text: string) =>
    server.client.post(`/sandboxes/${id}/calls`, {
      turn: { id: "t", epoch: 1, round: 1, record: [event(number, "message", { text })] },
      calls: [],
    });

  test("is reported with what to do; nothing half-written is trusted, and the turn continues once there is room", async () => {
    await server.client.claim(id, "t", { epoch: 1, record: [event(1, "message")] });
    const fill = join(state, "fill");
    await writeFile(fill, Buffer.alloc(diskBytes)).catch(() => undefined);
    // Two pages are free, which is enough for only a part of what is to be written.
    const { size } = await stat(fill);
    await truncate(fill, size - 8_192);
    const refused = await record(2, "x".repeat(40_000));
    expect([refused.status, codeOf(refused)]).toEqual([507, "disk_full"]);
    expect(detailsOf(refused)).toEqual({ reason: "full", folder: "state" });
    const made = await server.client.post("/sandboxes", { source: { sample: true } });
    expect([made.status, codeOf(made)]).toEqual([507, "disk_full"]);
    await rm(fill);
    expect((await record(2, "small")).status).toBe(200);
    const lines = (await readFile(join(state, "sandboxes", id, "turns", "t.ndjson"), "utf8")).trimEnd();
    expect(lines.split("\n").map((line) => JSON.parse(line).seq)).toEqual([1, 2, 3]);
  });

  test("stops a clone, which says so and leaves nothing", async () => {
    const host = await startGitHost(2 * diskBytes);
    const url = new URL(host.url);
    url.username = hostUser;
    url.password = encodeURIComponent(hostPassword);
    const { body } = await server.client.post("/sandboxes", { id: "large", source: { git: url.href } });
    await host.close();
    expect(z.parse(ErrorBody, body).error.message).toMatch(/no space left on device|disk is full/i);
    expect(await readdir(join(state, "sandboxes"))).toEqual([id]);
    expect((await statfs(state)).bavail).toBeGreaterThan(diskBytes / 2 / 4_096);
  });

  test("that became read-only says so, and accepts everything again once it is writable", async () => {
    mount("remount,ro");
    const made = await server.client.post("/sandboxes", { source: { sample: true } });
    expect([made.status, codeOf(made), detailsOf(made).reason]).toEqual([507, "disk_full", "read_only"]);
    const refused = await record(3, "small");
    expect([refused.status, detailsOf(refused).reason]).toEqual([507, "read_only"]);
    mount("remount,rw");
    expect((await record(3, "small")).status).toBe(200);
  });

  test("keeps a server from starting: it names the folder and says what to do, and starts later", async () => {
    const fill = join(state, "fill");
    const program = [await builtServer(), "--port", "0", "--state", state, "--exit-with-parent"];
    const refused = () => {
      const env = { ...process.env, SANDBOX_TOKEN: token };
      const { status, stderr } = spawnSync(process.execPath, program, { env, encoding: "utf8" });
      return [status, stderr];
    };
    const says = (words: string) =>
      `sandbox: The disk that holds the state folder ${state} (HANDRAIL_STATE, or --state) is ${words}, then start the server again: what it has kept is still there.\n`;
    await server.stop();
    await writeFile(fill, Buffer.alloc(diskBytes)).catch(() => undefined);
    expect(refused()).toEqual([1, says("full. Make room on it")]);
    mount("remount,ro");
    expect(refused()).toEqual([1, expect.stringContaining("is read-only. Make it writable;")]);
    mount("remount,rw");
    await rm(fill);
    server = await RunningServer.start({ state });
    expect((await record(4, "small")).status).toBe(200);
  });
});
