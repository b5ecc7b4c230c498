// The answer to a change: enough to continue with, and no more.
// @module-tag long
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rowOf } from "../../shared/hashline/rows.ts";
import { ChangeValue, ReadValue } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let workspace: string;

const box = "box";
const put = (path: string, content: string) => writeFile(join(workspace, path), content);
const read = (path: string) => server.client.value(ReadValue, box, "read", { path });
const change = (...files: unknown[]) => server.client.value(ChangeValue, box, "change", { files });
const refused = (...files: unknown[]) => server.client.failure(box, "change", { files });

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  server = await RunningServer.start({ workspace });
  await server.client.create({ id: box });
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

test.each([
  ["replaced", { content: "mine\n" }],
  ["deleted", { delete: true }],
  ["moved", { moveTo: "elsewhere.txt" }],
])(
  "a file that changed before it is %s: the refusal shows what changed, and the retry with its version is accepted",
  async (name, what) => {
    const path = `${name}.txt`;
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
    const text = () => `${lines.join("\n")}\n`;
    await put(path, text());
    const { version } = await read(path);
    lines[29] = "somebody else's";
    await put(path, text());
    const { code, message, details } = await refused({ path, ...what, base: version });
    expect([code, details?.reason, details?.version]).toEqual(["stale_file", "stale_lines", "v2"]);
    const rows = [28, 29, 30, 31, 32].map((number) => rowOf(number, lines[number - 1] ?? ""));
    expect(message).toMatch(/^REJECTED, nothing written/);
    expect(message.endsWith([`[${path} @v2 lines 28-32 of 40]`, ...rows].join("\n"))).toBe(true);
    expect(await readFile(join(workspace, path), "utf8")).toBe(text());
    await change({ path, ...what, base: "v2" });
  },
);

test("a changed file with the same lines is refused with what else changed, an emptied one without rows", async () => {
  await put("ended.txt", "a\nb\n");
  const { version } = await read("ended.txt");
  const file = { path: "ended.txt", delete: true, base: version };
  await put("ended.txt", "a\nb");
  const { code, message } = await refused(file);
  expect(code).toBe("stale_file");
  expect(message).toMatch(/Its lines are the same: a byte order mark or the final newline changed\.$/);
  await put("ended.txt", "");
  expect((await refused(file)).message).toMatch(
    /it is v3 now\. Look at what changed, then give v3 as base\.$/,
  );
});

test("the same request that changes nothing is counted beyond the third time, until the file changes", async () => {
  await put("same.txt", "a\n");
  const file = { path: "same.txt", edits: [{ op: "replace_text", old: "a", new: "a" }] };
  const reasons: unknown[] = [];
  for (let time = 1; time <= 4; time += 1) reasons.push((await refused(file)).details?.reason);
  expect(reasons).toEqual(["no_change", "no_change", "no_change_repeated", "no_change_repeated"]);
  expect((await refused(file)).message).toContain("5 times");
  await change({ path: "same.txt", edits: [{ op: "append", lines: ["b"] }] });
  expect((await refused(file)).details?.reason).toBe("no_change");
});

test("the diff of a line of 5 MB, or of a hundred thousand lines, is shown in part", async () => {
  await put("min.js", `start ${"x".repeat(5_000_000)}\n`);
  const one = await change({ path: "min.js", edits: [{ op: "replace_text", old: "start", new: "begin" }] });
  expect(one.files[0]?.diff.length).toBeLessThan(10_000);
  expect(one.files[0]?.diff).toContain("\n-start xxx");
  expect(one.files[0]?.diff).toContain("[clipped: 2000 of 5000006 characters shown]");
  await put("long.txt", "");
  const content = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`).join("");
  const { files } = await change({ path: "long.txt", content, base: (await read("long.txt")).version });
  expect(files[0]).toMatchObject({ added: 100_000, removed: 0 });
  expect(files[0]?.diff).toMatch(/\n\\ \d+ more lines not shown$/);
  expect(files[0]?.diff.length).toBeLessThan(300_000);
});

test("200,000 lines of 80 characters are an ordinary file", async () => {
  await put("wide.txt", `${"w".repeat(79)}\n`.repeat(200_000));
  const { total, version } = await read("wide.txt");
  expect(total).toBe(200_000);
  const { files } = await change({
    path: "wide.txt",
    base: version,
    edits: [{ op: "append", lines: ["end"] }],
  });
  expect(files[0]).toMatchObject({ added: 1, removed: 0 });
});

test("a whole file with a redaction mark in it is refused: the secret would be lost", async () => {
  const secret = ["ghp", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9"].join("_");
  const text = `A=1\nTOKEN=${secret}\nB=2\n`;
  await put("settings.env", text);
  const { rows, version } = await read("settings.env");
  const shown = rows.replace(/^\d+[a-z]{3}\|/gm, "");
  expect(shown).toContain("TOKEN=[redacted: ");
  const file = { path: "settings.env", base: version };
  for (const content of [`${shown}\n`, `${rows}\n`]) {
    const { code, message, details } = await refused({ ...file, content });
    expect([code, details?.reason]).toEqual(["invalid_request", "redacted"]);
    expect(message).toMatch(/^REJECTED, nothing written.*Change the other lines with edits\.$/s);
  }
  expect(await readFile(join(workspace, "settings.env"), "utf8")).toBe(text);
  // A redaction mark that is part of the file itself hides nothing.
  await put("marks.txt", "as [redacted: a word]\n");
  const marks = { path: "marks.txt", base: (await read("marks.txt")).version };
  await change({ ...marks, content: "new\nas [redacted: a word]\n" });
});

test("a whole file written with row prefixes is written without them, line ends kept", async () => {
  await put("rows.txt", "a\nb\n");
  const { rows, version } = await read("rows.txt");
  const content = `${rows.replace("|b", "|B").replaceAll("\n", "\r\n")}\r\n`;
  const { files } = await change({ path: "rows.txt", base: version, content });
  expect(files[0]?.warnings).toEqual([expect.stringContaining("prefixes")]);
  expect(await readFile(join(workspace, "rows.txt"), "utf8")).toBe("a\r\nB\r\n");
});
