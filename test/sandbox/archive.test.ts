// Workspaces in and out as tar.gz, and archives that mean harm.
import { execFileSync } from "node:child_process";
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { ErrorBody } from "../../shared/errors.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let workspace: string;
let id: string;

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  server = await RunningServer.start({ workspace });
  id = (await server.client.create()).id;
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const put = (body: Uint8Array) =>
  server.client.fetch(`/sandboxes/${id}/archive`, { method: "PUT", body: new Uint8Array(body) });
const codeOf = async (response: Response) => z.parse(ErrorBody, await response.json()).error.code;

/** One ustar entry. */
function entry(name: string, type: string, content = "", target = ""): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write("0000644\0", 100);
  header.write(`${Buffer.byteLength(content).toString(8).padStart(11, "0")}\0`, 124);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(target, 157);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const padded = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
  padded.write(content);
  return Buffer.concat([header, padded]);
}
const tarOf = (...entries: Buffer[]) => gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]));

test("what goes out comes in again, long names, links and modes included", async () => {
  const long = `${"deep-folder-name/".repeat(12)}file.txt`;
  await mkdir(dirname(join(workspace, long)), { recursive: true });
  await writeFile(join(workspace, long), "deep\n");
  await writeFile(join(workspace, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  await symlink("run.sh", join(workspace, "link"));
  await writeFile(join(workspace, ".gitignore"), "ignored\n");
  await writeFile(join(workspace, "ignored"), "x");
  const out = await server.client.fetch(`/sandboxes/${id}/archive`);
  expect([out.status, out.headers.get("content-type")]).toEqual([200, "application/gzip"]);
  const archive = Buffer.from(await out.arrayBuffer());
  const names = execFileSync("tar", ["-tzf", "-"], { input: archive, encoding: "utf8" });
  expect(names).toContain(long);
  expect(names).not.toContain("ignored\n.");
  expect(names.split("\n")).not.toContain("ignored");

  const other = await RunningServer.start();
  const { id: box } = await other.client.create();
  const answer = await other.client.fetch(`/sandboxes/${box}/archive`, {
    method: "PUT",
    body: new Uint8Array(archive),
  });
  expect(answer.status).toBe(200);
  const root = join(other.state, "sandboxes", box, "workspace");
  expect(await readFile(join(root, long), "utf8")).toBe("deep\n");
  expect((await lstat(join(root, "run.sh"))).mode & 0o111).not.toBe(0);
  expect((await lstat(join(root, "link"))).isSymbolicLink()).toBe(true);
  await other.stop();
});

const harmful: [string, Buffer, string][] = [
  ["a parent path", tarOf(entry("../evil", "0", "x")), "path_escape"],
  ["an absolute path", tarOf(entry("/tmp/evil", "0", "x")), "path_escape"],
  ["a link out", tarOf(entry("evil", "2", "", "../outside")), "path_escape"],
  ["a link to an absolute place", tarOf(entry("evil", "2", "", "/etc")), "path_escape"],
  ["a link that turns back", tarOf(entry("a/b/evil", "2", "", "c/../../x")), "path_escape"],
  ["a hard link", tarOf(entry("evil", "1", "", "/etc/passwd")), "path_escape"],
  ["a device", tarOf(entry("evil", "3")), "path_escape"],
  ["a FIFO", tarOf(entry("evil", "6")), "path_escape"],
  ["git's own folder", tarOf(entry(".git/hooks/post-checkout", "0", "x")), "forbidden"],
  ["a bomb", gzipSync(Buffer.alloc(300 * 1024 * 1024)), "too_large"],
  ["no gzip", Buffer.from("hello"), "invalid_request"],
  ["a cut end", gzipSync(entry("evil", "0", "x").subarray(0, 700)), "invalid_request"],
];

test.each(harmful)(
  "an archive with %s is refused and nothing of it is written",
  async (_name, archive, code) => {
    const before = await readdir(workspace, { recursive: true });
    const withGoodFirst = await put(archive);
    expect([withGoodFirst.status >= 400, await codeOf(withGoodFirst)]).toEqual([true, code]);
    expect(await readdir(workspace, { recursive: true })).toEqual(before);
  },
);

test("a bad entry behind good ones keeps the good ones out too", async () => {
  const before = await readdir(workspace);
  expect(await codeOf(await put(tarOf(entry("good.txt", "0", "good"), entry("../evil", "0", "x"))))).toBe(
    "path_escape",
  );
  expect(await readdir(workspace)).toEqual(before);
});

test("a folder of the workspace that links out is not written through", async () => {
  const outside = join(dirname(workspace), "outside");
  await mkdir(outside);
  await symlink(outside, join(workspace, "out"));
  expect(await codeOf(await put(tarOf(entry("out/evil", "0", "x"))))).toBe("path_escape");
  expect(await readdir(outside)).toEqual([]);
});
