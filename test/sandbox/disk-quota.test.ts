// The limit on what a sandbox may write to the disk: commands that write more are ended, other writes are
// refused before they begin, and reading and deleting keep working.
// @module-tag long
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { ErrorBody } from "../../shared/errors.ts";
import { ExecValue, SandboxInfo } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders, until } from "./running-server.ts";
import { entry, tarOf } from "./tar-entry.ts";

afterAll(removeFolders);

const quota = { HANDRAIL_DISK_QUOTA: "200" };
const over = "more disk than 200 MiB";
const wait = "sleep 31701";

function describeCopy(env: Record<string, string>): void {
  let server: RunningServer;
  let id: string;
  const run = (command: string) =>
    server.client.value(ExecValue, id, "exec", { command, timeoutMs: 60_000 }, "write");
  beforeEach(async () => {
    server = await RunningServer.start({ env });
    id = (await server.client.create({ source: { sample: true } })).id;
  });
  afterEach(async () => {
    await server.stop();
  });

  test.each([
    ["files that are each small enough", `for i in $(seq 6); do head -c 60M /dev/zero > f$i; done; ${wait}`],
    ["space that is only reserved", `for i in 1 2 3; do fallocate -l 100M f$i; done; ${wait}`],
    [
      "a deleted file that is held open",
      `exec 8> a; rm a; head -c 150M /dev/zero >&8; exec 9> b; rm b; head -c 150M /dev/zero >&9; ${wait}`,
    ],
    [
      "a hidden folder",
      `mkdir -p .cache/x; for i in 1 2 3 4; do head -c 60M /dev/zero > .cache/x/$i; done; ${wait}`,
    ],
  ])("a command is stopped for %s", (_, command) => expectEnded(command));

  test("a command is stopped for very many small files", { tags: "long" }, () =>
    expectEnded(
      `mkdir m; for i in $(seq 300); do head -c 1M /dev/zero | split -b 4k -a 4 - m/$i-; done; ${wait}`,
    ),
  );

  async function expectEnded(command: string): Promise<void> {
    const value = await run(command);
    expect(value).toMatchObject({ timedOut: false, signal: "SIGKILL" });
    expect(value.stderr).toContain(over);
    expect((await run("echo on")).stdout).toBe("on\n");
  }

  test.skipIf(findProgram("python3") === undefined)(
    "a deleted file that is mapped but not open counts too",
    async () => {
      const value = await run(
        `python3 -c 'import mmap,os,time
held = []
for n in "abcd":
    f = open(n, "w+b"); f.truncate(80 << 20); m = mmap.mmap(f.fileno(), 80 << 20); f.close(); os.unlink(n); held.append(m)
    [m.write(b"x" * (1 << 20)) for _ in range(80)]; m.flush()
time.sleep(31701)'`,
      );
      expect(value.stderr).toContain(over);
    },
  );

  test("one huge file is stopped at the quota by the kernel's own limit", async () => {
    const value = await run("head -c 10G /dev/zero > huge; echo ended $?; wc -c < huge");
    expect(value.stdout).toMatch(/^ended 1\d\d\n\d+\n$/);
    expect(Number(value.stdout.split("\n")[1])).toBeLessThanOrEqual(200 * 2 ** 20);
  });

  test.each([
    ["holes in a file", "truncate -s 150M a; truncate -s 150M b; truncate -s 150M c; echo fine"],
    ["one file under many names", "head -c 90M /dev/zero > a; for i in 1 2 3; do ln a a$i; done; echo fine"],
    ["what was deleted again", "for i in 1 2 3 4 5; do head -c 90M /dev/zero > a; rm a; done; echo fine"],
  ])("%s do not count", async (_, command) => {
    expect((await run(`${command}; sleep 1`)).stdout).toBe("fine\n");
  });

  test("above the quota files can be read and deleted, and after that everything works", async () => {
    await run(`for i in 1 2 3 4; do head -c 60M /dev/zero > f$i; done; ${wait}`);
    const refused = await server.client.failure(id, "change", {
      files: [{ path: "new.txt", base: null, content: "x".repeat(100_000) }],
    });
    expect(refused).toMatchObject({ code: "too_large", details: { diskQuotaBytes: 200 * 2 ** 20 } });
    expect(refused.message).toMatch(/nothing written[\s\S]*200 MiB[\s\S]*--disk-quota/);
    const put = () =>
      server.client.fetch(`/sandboxes/${id}/archive`, { method: "PUT", body: archive(100_000) });
    expect(await codeOf(await put())).toEqual([413, "too_large"]);
    expect((await run("ls new.txt packed.bin 2>&1; ls -A | grep -c handrail-tmp")).stdout).toMatch(/0\n$/);
    expect(await server.client.call(id, "read", { path: "README.md" })).toMatchObject({ ok: true });
    expect((await run("head -c 20 /dev/zero > small; rm f1 f2 f3; ls f*")).stdout).toBe("f4\n");
    expect(
      await server.client.call(id, "change", { files: [{ path: "new.txt", base: null, content: "x" }] }),
    ).toMatchObject({ ok: true });
    expect((await put()).status).toBe(200);
  });

  test("a change that would exceed the quota writes none of its files", async () => {
    await run("for i in 1 2 3; do head -c 60M /dev/zero > f$i; done");
    const files = ["a.txt", "b.txt"].map((path) => ({ path, base: null, content: "y".repeat(12 << 20) }));
    expect(await server.client.failure(id, "change", { files })).toMatchObject({ code: "too_large" });
    expect((await run("ls a.txt b.txt 2>/dev/null")).stdout).toBe("");
  });

  test("the sandbox reports how much it has written", async () => {
    await run(`head -c 120M /dev/zero > a`);
    await run(`head -c 60M /dev/zero > b; head -c 60M /dev/zero > c; ${wait}`);
    const info = z.parse(SandboxInfo, (await server.client.get(`/sandboxes/${id}`)).body);
    expect(info.disk?.quotaBytes).toBe(200 * 2 ** 20);
    expect(info.disk?.usedBytes).toBeGreaterThan(200 * 2 ** 20);
  });
}

describe("in the jail, a copy of its own", () => describeCopy(quota));
describe("without a jail, a copy of its own", { tags: "long" }, () =>
  describeCopy({ ...quota, HANDRAIL_NO_BWRAP: "1" }),
);

describe("a served folder", () => {
  test("counts by its growth, also after a restart, and a new sandbox starts at zero", async () => {
    const workspace = await freshFolder("workspace");
    await mkdir(join(workspace, "data"));
    for (const name of ["a", "b", "c"])
      await writeFile(join(workspace, "data", name), Buffer.alloc(90 << 20));
    const server = await RunningServer.start({ workspace, env: quota });
    const { id } = await server.client.create();
    const measured = (of: RunningServer, box: string) =>
      until(async () =>
        /baseBytes/.test(await readFile(join(of.state, "sandboxes", box, "sandbox.json"), "utf8")),
      );
    await measured(server, id);
    const run = (command: string, from = server, box = id) =>
      from.client.value(ExecValue, box, "exec", { command, timeoutMs: 60_000 }, "write");
    expect((await run("head -c 90M /dev/zero > more && sleep 1 && echo fine")).stdout).toBe("fine\n");
    await server.stop();
    const next = await RunningServer.start({ workspace, state: server.state, env: quota });
    expect(
      (await run(`head -c 90M /dev/zero > x; head -c 90M /dev/zero > y; ${wait}`, next)).stderr,
    ).toContain(over);
    const fresh = await next.client.create({ id: "fresh-one" });
    await measured(next, fresh.id);
    expect((await run("head -c 90M /dev/zero > z && sleep 1 && echo fine", next, fresh.id)).stdout).toBe(
      "fine\n",
    );
    await next.stop();
    expect(await readdir(join(workspace, "data"))).toHaveLength(3);
  });
});

test("without a quota nothing is counted, and an invalid quota is refused", async () => {
  const server = await RunningServer.start({ env: { HANDRAIL_DISK_QUOTA: "0" } });
  const { id } = await server.client.create();
  const { stdout } = await server.client.value(ExecValue, id, "exec", {
    command: "head -c 300M /dev/zero > a; ulimit -f",
  });
  expect(stdout).toBe("unlimited\n");
  expect(z.parse(SandboxInfo, (await server.client.get(`/sandboxes/${id}`)).body).disk).toBeUndefined();
  await server.stop();
  await expect(RunningServer.start({ args: ["--disk-quota", "much"] })).rejects.toThrow("--disk-quota much");
});

/** Random data, so that the archive does not look like a decompression bomb. */
const archive = (bytes: number) =>
  new Uint8Array(tarOf(entry("packed.bin", "0", randomBytes(bytes / 2).toString("hex"))));

const codeOf = async (response: Response) => [
  response.status,
  z.parse(ErrorBody, await response.json()).error.code,
];
