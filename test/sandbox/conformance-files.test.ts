// What any server of PROTOCOL 4 does with files, with the machine's tools and without them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ChangeValue, ExecValue, ListValue, ReadValue, SearchValue } from "../../shared/sandbox.ts";
import { conformanceTarget, hello, type Target } from "./conformance-target.ts";
import { removeFolders } from "./running-server.ts";
import type { SandboxClient } from "./sandbox-client.ts";

const machines = [
  { name: "with ripgrep and bubblewrap", env: {} },
  { name: "without either", env: { HANDRAIL_NO_RG: "1", HANDRAIL_NO_BWRAP: "1" } },
];

describe.each(machines)("$name", ({ env }) => {
  let target: Target;
  let client: SandboxClient;
  const sample = () => client.create({ source: { sample: true } });

  beforeAll(async () => {
    target = await conformanceTarget({ env });
    client = target.client;
  });
  afterAll(async () => {
    await target.stop();
    await removeFolders();
  });

  describe("files", () => {
    test("read gives hashline rows with their version, and a part of them on request", async () => {
      const { id } = await sample();
      await client.value(ChangeValue, id, "change", { files: [hello] });
      const whole = await client.value(ReadValue, id, "read", { path: hello.path });
      expect(whole).toMatchObject({
        path: hello.path,
        version: "v1",
        start: 1,
        end: 3,
        total: 3,
        truncated: false,
      });
      expect(whole.rows).toMatch(/^1[a-z]{3}\|one\n2[a-z]{3}\|two\n3[a-z]{3}\|three$/);
      const part = await client.value(ReadValue, id, "read", { path: hello.path, start: 2, end: 2 });
      expect(part).toMatchObject({ start: 2, end: 2, total: 3, rows: whole.rows.split("\n")[1] });
    });

    test("the same content has the same version, other content another", async () => {
      const { id } = await sample();
      await client.value(ChangeValue, id, "change", { files: [hello] });
      const versions: string[] = [];
      for (const text of ["b\n", "a\n", "b\n"]) {
        await client.value(ExecValue, id, "exec", { command: `printf '${text}' > f.txt` });
        versions.push((await client.value(ReadValue, id, "read", { path: "f.txt" })).version);
      }
      expect(versions).toEqual(["v1", "v2", "v1"]);
    });

    test("an edit lands by reference and a stale one is refused with nothing written", async () => {
      const { id } = await sample();
      await client.value(ChangeValue, id, "change", { files: [hello] });
      const { rows, version } = await client.value(ReadValue, id, "read", { path: hello.path });
      const at = rows.split("\n")[1]?.split("|")[0] ?? "";
      const edit = (lines: string[]) => ({
        files: [{ path: hello.path, base: version, edits: [{ op: "replace", at, lines }] }],
      });
      const { files } = await client.value(ChangeValue, id, "change", edit(["zwei"]));
      expect(files[0]).toMatchObject({
        added: 1,
        removed: 1,
        version: "v2",
        diff: expect.stringContaining("-two\n+zwei\n"),
      });
      const refused = await client.failure(id, "change", edit(["deux"]));
      expect(refused).toMatchObject({ code: "stale_file", details: { reason: "stale_lines" } });
      expect(refused.message).toMatch(/^REJECTED, nothing written/);
      expect((await client.value(ReadValue, id, "read", { path: hello.path })).version).toBe("v2");
    });

    test("a base that was never handed out is unknown", async () => {
      const { id } = await sample();
      await client.value(ChangeValue, id, "change", { files: [hello] });
      const refused = await client.failure(id, "change", {
        files: [{ path: hello.path, base: "v99", edits: [{ op: "append", lines: ["x"] }] }],
      });
      expect(refused).toMatchObject({ code: "stale_file", details: { reason: "unknown_version" } });
    });

    test("where the base is unknown, the rows that now stand at the named lines are shown", async () => {
      const { id } = await sample();
      const content = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join("");
      await client.value(ChangeValue, id, "change", { files: [{ path: "f.txt", content, base: null }] });
      const { message } = await client.failure(id, "change", {
        files: [{ path: "f.txt", base: "v99", edits: [{ op: "replace", at: "50foo", lines: ["x"] }] }],
      });
      expect(message).toMatch(/^REJECTED, nothing written to f\.txt\.\n.*v99.*v1 now/);
      const { rows } = await client.value(ReadValue, id, "read", { path: "f.txt", start: 48, end: 52 });
      expect(message.endsWith(`\n[f.txt @v1 lines 48-52 of 100]\n${rows}`)).toBe(true);
      // The rows are good for the next edit as they are.
      const at = /^50[a-z]{3}/m.exec(message)?.[0] ?? "";
      const { files } = await client.value(ChangeValue, id, "change", {
        files: [{ path: "f.txt", base: "v1", edits: [{ op: "replace", at, lines: ["x"] }] }],
      });
      expect(files[0]?.added).toBe(1);
    });

    test("the third identical request that changes nothing is an error of its own, until the file changes", async () => {
      const { id } = await sample();
      await client.value(ChangeValue, id, "change", { files: [hello] });
      const nothing = {
        files: [{ path: hello.path, edits: [{ op: "replace_text", old: "two", new: "two" }] }],
      };
      const reasons: unknown[] = [];
      for (let time = 1; time <= 3; time++)
        reasons.push((await client.failure(id, "change", nothing)).details?.reason);
      expect(reasons).toEqual(["no_change", "no_change", "no_change_repeated"]);
      await client.value(ChangeValue, id, "change", {
        files: [{ path: hello.path, edits: [{ op: "append", lines: ["x"] }] }],
      });
      expect((await client.failure(id, "change", nothing)).details?.reason).toBe("no_change");
    });

    test("one bad file keeps all others of the change as they were", async () => {
      const { id } = await sample();
      await client.value(ChangeValue, id, "change", { files: [hello] });
      const refused = await client.failure(id, "change", {
        files: [
          { path: "new.txt", content: "new\n", base: null },
          { path: hello.path, edits: [{ op: "append", lines: ["four"] }] },
          hello,
        ],
      });
      expect(refused.message).toMatch(/^REJECTED, nothing written/);
      expect((await client.failure(id, "read", { path: "new.txt" })).code).toBe("not_found");
      expect((await client.value(ReadValue, id, "read", { path: hello.path })).total).toBe(3);
    });

    test("files are moved and deleted only in the version that was read", async () => {
      const { id } = await sample();
      await client.value(ChangeValue, id, "change", { files: [hello] });
      expect(
        (await client.failure(id, "change", { files: [{ path: hello.path, delete: true, base: "v7" }] }))
          .code,
      ).toBe("stale_file");
      const moved = await client.value(ChangeValue, id, "change", {
        files: [{ path: hello.path, moveTo: "deep/er/hi.txt", base: "v1" }],
      });
      expect(moved.files.map(({ path, version }) => [path, version])).toEqual([
        ["deep/er/hi.txt", "v1"],
        [hello.path, null],
      ]);
      const gone = await client.value(ChangeValue, id, "change", {
        files: [{ path: "deep/er/hi.txt", delete: true, base: "v1" }],
      });
      expect(gone.files[0]).toMatchObject({ version: null, removed: 3 });
    });

    test("the file route knows its content by hash, gives parts, and says when nothing changed", async () => {
      const { id } = await sample();
      await client.value(ChangeValue, id, "change", { files: [hello] });
      const url = `/sandboxes/${id}/file?path=${hello.path}`;
      const whole = await client.fetch(url);
      const etag = whole.headers.get("etag") ?? "";
      expect([whole.status, await whole.text()]).toEqual([200, hello.content]);
      expect(etag).toMatch(/^"sha256:[0-9a-f]{64}"$/);
      expect((await client.fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304);
      const part = await client.fetch(url, { headers: { range: "bytes=4-6" } });
      expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
        206,
        "bytes 4-6/14",
        "two",
      ]);
      expect((await client.fetch(url, { headers: { range: "bytes=99-" } })).status).toBe(416);
    });
  });

  describe("looking around", () => {
    test("list leaves out what nested .gitignore files ignore", async () => {
      const { id } = await sample();
      const files = {
        ".gitignore": "dist/\n*.log\n",
        "src/.gitignore": "/secret.txt\n",
        "src/secret.txt": "s",
        "src/a.ts": "a",
        "dist/x.js": "x",
        "deep/secret.txt": "d",
        "b.log": "b",
      };
      await client.value(ChangeValue, id, "change", {
        files: Object.entries(files).map(([path, content]) => ({ path, content, base: null })),
      });
      const { entries } = await client.value(ListValue, id, "list", { depth: 3 });
      const paths = entries.map(({ path }) => path);
      expect(paths).toEqual(expect.arrayContaining(["src", "src/a.ts", "deep/secret.txt"]));
      for (const ignored of ["dist", "dist/x.js", "src/secret.txt", "b.log", ".git"])
        expect(paths).not.toContain(ignored);
      expect(paths).toEqual([...paths].sort());
      const { matches } = await client.value(SearchValue, id, "search", {
        pattern: "[sabdx]",
        regex: true,
        glob: "{src,dist,deep}/{.gitignore,secret.txt,a.ts,x.js}",
      });
      expect(matches.map(({ path }) => path)).toEqual(["deep/secret.txt", "src/.gitignore", "src/a.ts"]);
    });

    test("list and search say when a limit cut them short", async () => {
      const { id } = await sample();
      const files = Array.from({ length: 12 }, (_, index) => ({
        path: `many/f${index}.txt`,
        content: "needle\nneedle\n",
        base: null,
      }));
      await client.value(ChangeValue, id, "change", { files });
      expect(await client.value(ListValue, id, "list", { path: "many", limit: 5 })).toMatchObject({
        truncated: true,
        entries: { length: 5 },
      });
      expect(await client.value(ListValue, id, "list", { path: "many" })).toMatchObject({
        truncated: false,
        entries: { length: 12 },
      });
      const found = await client.value(SearchValue, id, "search", {
        pattern: "needle",
        glob: "many/**",
        limit: 5,
      });
      expect(found.truncated).toBe(true);
      expect(found.matches.flatMap(({ rows }) => rows.split("\n"))).toHaveLength(5);
    });

    test("search shows matching lines with context as rows of that version", async () => {
      const { id } = await sample();
      await client.value(ChangeValue, id, "change", {
        files: [{ path: "x.txt", content: "a\nb\nc.d\ne\nf\ncxd\n", base: null }],
      });
      const literal = await client.value(SearchValue, id, "search", {
        pattern: "c.d",
        glob: "x.txt",
        context: 1,
      });
      expect(literal.matches).toEqual([
        {
          path: "x.txt",
          version: "v1",
          rows: expect.stringMatching(/^2[a-z]{3}\|b\n3[a-z]{3}\|c\.d\n4[a-z]{3}\|e$/),
        },
      ]);
      const regex = await client.value(SearchValue, id, "search", {
        pattern: "c.d",
        regex: true,
        glob: "x.txt",
      });
      expect(regex.matches[0]?.rows).toMatch(/^3[a-z]{3}\|c\.d\n6[a-z]{3}\|cxd$/);
      expect((await client.failure(id, "search", { pattern: "(", regex: true })).code).toBe(
        "invalid_request",
      );
    });
  });
});
