// File ops on any server of PROTOCOL 4, with the machine's tools and without them.
import { describe, expect, test } from "vitest";
import { ChangeValue, ExecValue, ReadValue, SearchValue } from "../../../shared/sandbox.ts";
import type { SandboxClient } from "../sandbox-client.ts";
import { hello } from "./target.ts";

export function describeFiles(client: () => SandboxClient): void {
  const sample = () => client().create({ source: { sample: true } });

  describe("files", () => {
    test("read gives several ranges in the order of the file, and says what is left of them", async () => {
      const { id } = await sample();
      const content = Array.from({ length: 3_000 }, (_, n) => `line ${n + 1}\n`).join("");
      await client().value(ChangeValue, id, "change", { files: [{ path: "long.txt", content, base: null }] });
      const read = (...ranges: object[]) =>
        client().value(ReadValue, id, "read", { path: "long.txt", ranges });
      const numbers = ({ rows }: ReadValue) => rows.split("\n").map((row) => Number.parseInt(row, 10));
      const parts = await read({ start: 7, end: 8 }, { start: 2, end: 3 }, { start: 3, end: 4 });
      expect(numbers(parts)).toEqual([2, 3, 4, 7, 8]);
      expect(parts).toMatchObject({ start: 2, end: 8, total: 3_000, truncated: false });
      expect(parts.rest).toBeUndefined();
      const cut = await read({ start: 1, end: 1_500 }, { start: 2_000 });
      expect(numbers(cut)).toHaveLength(2_000);
      expect(cut).toMatchObject({ truncated: true, rest: [{ start: 2_500, end: 3_000 }] });
      expect(numbers(await read({ start: 2_999 }, { start: 5_000 }))).toEqual([2_999, 3_000]);
      expect(
        (await client().failure(id, "read", { path: "long.txt", ranges: [{ start: 3_001 }] })).code,
      ).toBe("invalid_request");
    });

    test("search returns the matching lines, and accepts (?i)", async () => {
      const { id } = await sample();
      const content = "Alpha\nbeta\nalpha\n";
      await client().value(ChangeValue, id, "change", { files: [{ path: "abc.txt", content, base: null }] });
      const args = { pattern: "(?i)ALPHA", regex: true, glob: "abc.txt", context: 1 };
      const { matches } = await client().value(SearchValue, id, "search", args);
      expect(matches).toMatchObject([{ path: "abc.txt", total: 3, lines: [1, 3] }]);
    });

    test("read gives hashline rows with their version, or a part of them on request", async () => {
      const { id } = await sample();
      await client().value(ChangeValue, id, "change", { files: [hello] });
      const whole = await client().value(ReadValue, id, "read", { path: hello.path });
      expect(whole).toMatchObject({
        path: hello.path,
        version: "v1",
        start: 1,
        end: 3,
        total: 3,
        truncated: false,
      });
      expect(whole.rows).toMatch(/^1[a-z]{3}\|one\n2[a-z]{3}\|two\n3[a-z]{3}\|three$/);
      const part = await client().value(ReadValue, id, "read", { path: hello.path, start: 2, end: 2 });
      expect(part).toMatchObject({ start: 2, end: 2, total: 3, rows: whole.rows.split("\n")[1] });
    });

    test("the same content has the same version, other content a different one", async () => {
      const { id } = await sample();
      await client().value(ChangeValue, id, "change", { files: [hello] });
      const versions: string[] = [];
      for (const text of ["b\n", "a\n", "b\n"]) {
        await client().value(ExecValue, id, "exec", { command: `printf '${text}' > f.txt` });
        versions.push((await client().value(ReadValue, id, "read", { path: "f.txt" })).version);
      }
      expect(versions).toEqual(["v1", "v2", "v1"]);
    });

    test("an edit is applied by reference and a stale one is refused with nothing written", async () => {
      const { id } = await sample();
      await client().value(ChangeValue, id, "change", { files: [hello] });
      const { rows, version } = await client().value(ReadValue, id, "read", { path: hello.path });
      const at = rows.split("\n")[1]?.split("|")[0] ?? "";
      const edit = (lines: string[]) => ({
        files: [{ path: hello.path, base: version, edits: [{ op: "replace", at, lines }] }],
      });
      const { files } = await client().value(ChangeValue, id, "change", edit(["zwei"]));
      expect(files[0]).toMatchObject({
        added: 1,
        removed: 1,
        version: "v2",
        diff: expect.stringContaining("-two\n+zwei\n"),
      });
      const refused = await client().failure(id, "change", edit(["deux"]));
      expect(refused).toMatchObject({ code: "stale_file", details: { reason: "stale_lines" } });
      expect(refused.message).toMatch(/^REJECTED, nothing written/);
      expect((await client().value(ReadValue, id, "read", { path: hello.path })).version).toBe("v2");
    });

    test("a base that was never handed out is unknown", async () => {
      const { id } = await sample();
      await client().value(ChangeValue, id, "change", { files: [hello] });
      const refused = await client().failure(id, "change", {
        files: [{ path: hello.path, base: "v99", edits: [{ op: "append", lines: ["x"] }] }],
      });
      expect(refused).toMatchObject({ code: "stale_file", details: { reason: "unknown_version" } });
    });

    test("where the base is unknown, the current rows at the named lines are shown", async () => {
      const { id } = await sample();
      const content = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join("");
      await client().value(ChangeValue, id, "change", { files: [{ path: "f.txt", content, base: null }] });
      const { message } = await client().failure(id, "change", {
        files: [{ path: "f.txt", base: "v99", edits: [{ op: "replace", at: "50foo", lines: ["x"] }] }],
      });
      expect(message).toMatch(/^REJECTED, nothing written to f\.txt\.\n.*v99.*v1 now/);
      const { rows } = await client().value(ReadValue, id, "read", { path: "f.txt", start: 48, end: 52 });
      expect(message.endsWith(`\n[f.txt @v1 lines 48-52 of 100]\n${rows}`)).toBe(true);
      // The returned rows can be used for the next edit unchanged.
      const at = /^50[a-z]{3}/m.exec(message)?.[0] ?? "";
      const { files } = await client().value(ChangeValue, id, "change", {
        files: [{ path: "f.txt", base: "v1", edits: [{ op: "replace", at, lines: ["x"] }] }],
      });
      expect(files[0]?.added).toBe(1);
    });

    test("the third identical request that changes nothing is an error of its own, until the file changes", async () => {
      const { id } = await sample();
      await client().value(ChangeValue, id, "change", { files: [hello] });
      const nothing = {
        files: [{ path: hello.path, edits: [{ op: "replace_text", old: "two", new: "two" }] }],
      };
      const reasons: unknown[] = [];
      for (let time = 1; time <= 3; time++)
        reasons.push((await client().failure(id, "change", nothing)).details?.reason);
      expect(reasons).toEqual(["no_change", "no_change", "no_change_repeated"]);
      await client().value(ChangeValue, id, "change", {
        files: [{ path: hello.path, edits: [{ op: "append", lines: ["x"] }] }],
      });
      expect((await client().failure(id, "change", nothing)).details?.reason).toBe("no_change");
    });

    test("one bad file keeps all other files of the change unchanged", async () => {
      const { id } = await sample();
      await client().value(ChangeValue, id, "change", { files: [hello] });
      const refused = await client().failure(id, "change", {
        files: [
          { path: "new.txt", content: "new\n", base: null },
          { path: hello.path, edits: [{ op: "append", lines: ["four"] }] },
          hello,
        ],
      });
      expect(refused.message).toMatch(/^REJECTED, nothing written/);
      expect((await client().failure(id, "read", { path: "new.txt" })).code).toBe("not_found");
      expect((await client().value(ReadValue, id, "read", { path: hello.path })).total).toBe(3);
    });

    test("files are moved and deleted only at the version that was read", async () => {
      const { id } = await sample();
      await client().value(ChangeValue, id, "change", { files: [hello] });
      expect(
        (await client().failure(id, "change", { files: [{ path: hello.path, delete: true, base: "v7" }] }))
          .code,
      ).toBe("stale_file");
      const moved = await client().value(ChangeValue, id, "change", {
        files: [{ path: hello.path, moveTo: "deep/er/hi.txt", base: "v1" }],
      });
      expect(moved.files.map(({ path, version }) => [path, version])).toEqual([
        ["deep/er/hi.txt", "v1"],
        [hello.path, null],
      ]);
      const gone = await client().value(ChangeValue, id, "change", {
        files: [{ path: "deep/er/hi.txt", delete: true, base: "v1" }],
      });
      expect(gone.files[0]).toMatchObject({ version: null, removed: 3 });
    });

    test("the file route identifies content by hash, returns parts, and says when nothing changed", async () => {
      const { id } = await sample();
      await client().value(ChangeValue, id, "change", { files: [hello] });
      const url = `/sandboxes/${id}/file?path=${hello.path}`;
      const whole = await client().fetch(url);
      const etag = whole.headers.get("etag") ?? "";
      expect([whole.status, await whole.text()]).toEqual([200, hello.content]);
      expect(etag).toMatch(/^"sha256:[0-9a-f]{64}"$/);
      expect((await client().fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304);
      const part = await client().fetch(url, { headers: { range: "bytes=4-6" } });
      expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
        206,
        "bytes 4-6/14",
        "two",
      ]);
      expect((await client().fetch(url, { headers: { range: "bytes=99-" } })).status).toBe(416);
    });
  });
}
