// Malformed and unusual archives: the sandbox reports the problem and writes nothing of them.
import { randomBytes } from "node:crypto";
import { readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { unpack } from "../../sandbox/archive/unpack.ts";
import { HandrailError } from "../../shared/errors.ts";
import { freshFolder, removeFolders } from "./running-server.ts";
import { entry, tarOf } from "./tar-entry.ts";

afterAll(removeFolders);

/** The archive with other bytes at `at`, and a checksum that fits. */
function changed(whole: Buffer, at: number, field: string | Buffer): Buffer {
  const copy = Buffer.from(whole);
  Buffer.from(field).copy(copy, at);
  copy.write("        ", 148);
  const sum = copy.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  copy.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return copy;
}

/** A number in base 256, as GNU tar writes sizes from 8 GiB on. */
function base256(value: bigint): Buffer {
  const bytes = Buffer.from(value.toString(16).padStart(24, "0"), "hex");
  bytes[0] = 0x80;
  return bytes;
}

/** An extended header with one record. Its length counts its own digits, which are two here. */
const pax = (record: string, length = Buffer.byteLength(record) + 4) =>
  entry("pax", "x", `${length} ${record}\n`);
const good = entry("good.txt", "0", "good");
const size = 124;

/** Unpacks the archive into a folder. Returns the error, if there is one. */
async function unpackedInto(folder: string, archive: Buffer): Promise<unknown> {
  const packed = join(await freshFolder("packed"), "it.tar.gz");
  await writeFile(packed, archive);
  return unpack(folder, packed, async () => undefined).then(
    () => undefined,
    (error: unknown) =>
      error instanceof HandrailError ? { code: error.code, message: error.message } : error,
  );
}

const broken: [string, Buffer, RegExp][] = [
  ["without an end", gzipSync(good), /its end is missing/],
  ["that ends in a header", gzipSync(Buffer.concat([good, good.subarray(0, 100)])), /its end is missing/],
  ["that ends in a file", gzipSync(entry("a", "0", "x".repeat(600)).subarray(0, 900)), /middle of an entry/],
  ["that ends before a file's padding", gzipSync(good.subarray(0, 516)), /middle of an entry/],
  ["that ends in a long name", gzipSync(entry("long", "L", "name").subarray(0, 600)), /middle of an entry/],
  ["with another name in a header", tarOf(good, entry("a", "0").fill("b", 0, 1)), /checksum is wrong/],
  ["with a size that is no number", tarOf(good, changed(entry("a", "0"), size, "0000000008")), /not octal/],
  ["with a size beyond counting", tarOf(changed(entry("a", "0"), size, base256(2n ** 60n))), /size in it/],
  ["with a size below zero", tarOf(pax("size=-1"), good), /size in it is wrong/],
  ["with a word for a size", tarOf(pax("size=big"), good), /size in it is wrong/],
  [
    "with an endless extended header",
    tarOf(entry("pax", "x", "x".repeat(1024 * 1024))),
    /header is too long/,
  ],
  ["with a sparse file", tarOf(entry("a", "S", "x")), /sparse file/],
  ["with a record without a length", tarOf(entry("pax", "x", "path=a\n"), good), /extended header is wrong/],
  [
    "with a word for a record's length",
    tarOf(entry("pax", "x", "x path=a\n"), good),
    /extended header is wrong/,
  ],
  ["with a record shorter than its length", tarOf(pax("path=a", 1), good), /extended header is wrong/],
  ["with a record without an end", tarOf(entry("pax", "x", "12"), good), /extended header is wrong/],
];

test.each(broken)("an archive %s is refused, and says so", async (_name, archive, words) => {
  const folder = await freshFolder("archive");
  const said = { code: "invalid_request", message: expect.stringMatching(words) };
  expect(await unpackedInto(folder, archive)).toEqual(said);
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ["with a NUL", "a\0b"],
  ["to nothing", ""],
  ["to its own folder", "."],
  ["to an absolute place", "/etc"],
  ["above the workspace", "../../x"],
  ["above the workspace and down again", "../../archive/x"],
  ["back through a folder that may be a link", "b/../../x"],
])("a link %s is refused", async (_name, target) => {
  const folder = await freshFolder("archive");
  const link = tarOf(good, pax(`linkpath=${target}`), entry("d/link", "2"));
  expect(await unpackedInto(folder, link)).toMatchObject({ code: "path_escape" });
  expect(await readdir(folder)).toEqual([]);
});

test("a link that would leave the workspace through a linked folder is not made", async () => {
  const folder = await freshFolder("archive");
  await symlink(".", join(folder, "up"));
  const link = tarOf(entry("up/link", "2", "", "../x"));
  expect(await unpackedInto(folder, link)).toMatchObject({ code: "path_escape" });
  expect(await readdir(folder)).toEqual(["up"]);
});

test("a small archive may not unpack to hundreds of times its size, nor a large one to more than the limit", async () => {
  const folder = await freshFolder("archive");
  const zeros = tarOf(entry("zeros", "0", "\0".repeat(2 * 1024 * 1024)));
  expect(await unpackedInto(folder, zeros)).toMatchObject({ code: "too_large" });
  const mebibyte = gzipSync(Buffer.concat([randomBytes(8 * 1024), Buffer.alloc(1016 * 1024)]));
  const header = changed(entry("large", "0"), size, base256(300n * 1024n * 1024n));
  const large = Buffer.concat([
    gzipSync(header),
    ...Array<Buffer>(300).fill(mebibyte),
    gzipSync(Buffer.alloc(1024)),
  ]);
  expect(await unpackedInto(folder, large)).toMatchObject({ code: "too_large" });
  expect(await readdir(folder)).toEqual([]);
});

test("an archive of more entries than may be is refused before the first is written", async () => {
  const folder = await freshFolder("many");
  const entries = Array.from({ length: 50_001 }, (_, index) => entry(`f${index}`, "0"));
  const archive = gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]), { level: 1 });
  expect(await unpackedInto(folder, archive)).toMatchObject({
    code: "too_large",
    message: expect.stringContaining("more than 50000 entries"),
  });
  expect(await readdir(folder)).toEqual([]);
});

test("every form of a name, a size and a type that tar knows is read", async () => {
  const folder = await freshFolder("archive");
  const long = `${"n".repeat(150)}.txt`;
  const prefixed = changed(entry("in-folder.txt", "0", "p"), 345, "deep/prefix");
  const archive = tarOf(
    entry("./", "5"),
    entry("pax_global_header", "g", "20 comment=whatever\n"),
    ...[entry("././@LongLink", "L", long), entry("cut", "0", "long")],
    ...[entry("././@LongLink", "K", "plain"), entry("link", "2", "", "cut")],
    ...[pax("path=named.txt"), entry("other", "\0", "pax"), prefixed],
    ...[entry("plain", "7", "seven"), entry("old-folder/", "0"), entry("folder", "5")],
    changed(entry("big-number", "0", "0123456789"), size, base256(10n)),
    ...[pax("size=10"), entry("sized", "0", "0123456789")],
  );
  expect(await unpackedInto(folder, archive)).toBeUndefined();
  const text = (path: string) => readFile(join(folder, path), "utf8");
  expect((await readdir(folder)).sort()).toEqual(
    [long, "link", "named.txt", "deep", "plain", "old-folder", "folder", "big-number", "sized"].sort(),
  );
  expect((await stat(join(folder, "folder"))).isDirectory()).toBe(true);
  expect(await readlink(join(folder, "link"))).toBe("plain");
  expect(await text(long)).toBe("long");
  expect(await text("named.txt")).toBe("pax");
  expect(await text("deep/prefix/in-folder.txt")).toBe("p");
  expect([await text("plain"), await text("big-number"), await text("sized")]).toEqual([
    "seven",
    "0123456789",
    "0123456789",
  ]);
});

test("its size is checked against the quota before the first file is written", async () => {
  const folder = await freshFolder("archive");
  const packed = join(await freshFolder("packed"), "it.tar.gz");
  await writeFile(packed, tarOf(entry("d", "5"), good));
  const asked: number[] = [];
  const full = (bytes: number) => {
    asked.push(bytes);
    return Promise.reject(new HandrailError("too_large", "no room"));
  };
  await expect(unpack(folder, packed, full)).rejects.toThrow("no room");
  expect(await readdir(folder)).toEqual([]);
  expect(asked).toEqual([2 * 1024 + 4]);
});
