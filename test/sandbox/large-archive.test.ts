// Archives far larger than a JSON body may be, in both directions, without holding them in memory.
// @module-tag long
import { spawn } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

const part = 1024 * 1024;
const parts = 40;
let server: RunningServer;
let packed: string;
let id: string;

beforeAll(async () => {
  const folder = await freshFolder("large");
  const handle = await open(join(folder, "large.bin"), "w");
  for (let index = 0; index < parts; index++) {
    const bytes = Buffer.alloc(part);
    for (let at = 0; at < part; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    await handle.write(bytes);
  }
  await handle.close();
  packed = join(folder, "large.tar.gz");
  const tar = spawn("tar", ["-cf", "-", "-C", folder, "large.bin"], { stdio: ["ignore", "pipe", "ignore"] });
  await pipeline(tar.stdout, createGzip({ level: 1 }), createWriteStream(packed));
  server = await RunningServer.start();
  ({ id } = await server.client.create({ source: { sample: true } }));
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

/** The server's peak memory so far. */
async function peakMb(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

test.runIf(process.platform === "linux")(
  "40 MB are uploaded and downloaded with the memory of a few MB",
  { tags: "long" },
  async () => {
    const before = await peakMb();
    expect((await stat(packed)).size).toBeGreaterThan(parts * part);
    const answer = await server.client.fetch(`/sandboxes/${id}/archive`, {
      method: "PUT",
      body: Readable.toWeb(createReadStream(packed)),
      duplex: "half",
    } as RequestInit);
    expect([answer.status, await answer.json()]).toEqual([200, { entries: 1 }]);
    const written = join(server.state, "sandboxes", id, "workspace", "large.bin");
    expect((await stat(written)).size).toBe(parts * part);
    const out = await server.client.fetch(`/sandboxes/${id}/archive`);
    let bytes = 0;
    for await (const chunk of Readable.from(out.body ?? [])) bytes += chunk.length;
    expect(bytes).toBeGreaterThan(parts * part);
    expect((await peakMb()) - before).toBeLessThan(parts * 1.5);
  },
);

test("a body above the cap is refused while it arrives", async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += part;
      controller.enqueue(new Uint8Array(part));
    },
  });
  const answer = await server.client
    .fetch(`/sandboxes/${id}/archive`, { method: "PUT", body: endless, duplex: "half" } as RequestInit)
    .then(({ status }) => status)
    .catch(() => "cut off");
  expect([413, "cut off"]).toContain(answer);
  // Some of it is still on its way when the server refuses it.
  expect(sent).toBeLessThan(512 * part);
  expect((await server.client.get("/capabilities")).status).toBe(200);
});
