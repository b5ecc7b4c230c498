// Archives on any server of PROTOCOL 4: uploads, downloads, and malicious archives.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { ErrorBody } from "../../../shared/errors.ts";
import { ExecValue, ListValue, ReadValue } from "../../../shared/sandbox.ts";
import type { SandboxClient } from "../sandbox-client.ts";
import { entry, tarOf } from "../tar-entry.ts";

/** A file that is mostly a hole, in GNU tar's sparse format. */
function sparseTar(format: "gnu" | "posix"): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "handrail-sparse-"));
  writeFileSync(join(folder, "evil"), "end");
  truncateSync(join(folder, "evil"), 1024 * 1024);
  const archive = execFileSync("tar", ["-C", folder, `--format=${format}`, "-S", "-czf", "-", "evil"]);
  rmSync(folder, { recursive: true });
  return archive;
}

const harmful: [string, Buffer, string][] = [
  ["a parent path", tarOf(entry("../evil", "0", "x")), "path_escape"],
  ["an absolute path", tarOf(entry("/tmp/evil", "0", "x")), "path_escape"],
  ["a link out", tarOf(entry("evil", "2", "", "../outside")), "path_escape"],
  ["a link to an absolute place", tarOf(entry("evil", "2", "", "/etc")), "path_escape"],
  ["a link that turns back", tarOf(entry("a/b/evil", "2", "", "c/../../x")), "path_escape"],
  ["a hard link", tarOf(entry("evil", "1", "", "/etc/passwd")), "path_escape"],
  ["a device", tarOf(entry("evil", "3")), "path_escape"],
  ["a FIFO", tarOf(entry("evil", "6")), "path_escape"],
  ["a sparse file of GNU tar", sparseTar("gnu"), "invalid_request"],
  ["a sparse file in a pax archive", sparseTar("posix"), "invalid_request"],
  ["git's own folder", tarOf(entry(".git/hooks/post-checkout", "0", "x")), "forbidden"],
  ["a bomb", gzipSync(Buffer.alloc(300 * 1024 * 1024)), "too_large"],
  ["no gzip", Buffer.from("hello"), "invalid_request"],
  ["a cut end", gzipSync(entry("evil", "0", "x").subarray(0, 700)), "invalid_request"],
];

export function describeArchives(target: () => SandboxClient): void {
  let client: SandboxClient;
  let id: string;

  beforeAll(async () => {
    client = target();
    ({ id } = await client.create({ source: { sample: true } }));
  });

  const put = (box: string, body: Uint8Array, query = "") =>
    client.fetch(`/sandboxes/${box}/archive${query}`, { method: "PUT", body: new Uint8Array(body) });
  const codeOf = async (response: Response) => z.parse(ErrorBody, await response.json()).error.code;
  const everything = async () =>
    (await client.value(ListValue, id, "list", { depth: 20, limit: 5_000 })).entries;
  const shell = async (box: string, command: string) =>
    (await client.value(ExecValue, box, "exec", { command })).stdout;

  test("what is archived comes back unchanged, long names, links and modes included", async () => {
    const folder = "deep-folder-name/".repeat(12);
    await shell(
      id,
      `mkdir -p ${folder}; echo deep > ${folder}file.txt; printf '#!/bin/sh\n' > run.sh; chmod +x run.sh; ln -s run.sh link; echo ignored > .gitignore; echo x > ignored`,
    );
    const out = await client.fetch(`/sandboxes/${id}/archive`);
    expect([out.status, out.headers.get("content-type")]).toEqual([200, "application/gzip"]);
    const archive = new Uint8Array(await out.arrayBuffer());
    const { id: box } = await client.create({ source: { sample: true } });
    await shell(box, "rm -r src README.md");
    const answer = await put(box, archive);
    expect([answer.status, await answer.json()]).toEqual([200, { entries: expect.any(Number) }]);
    expect((await client.value(ReadValue, box, "read", { path: `${folder}file.txt` })).rows).toContain(
      "deep",
    );
    expect(
      await shell(
        box,
        "ls -A src >/dev/null && test -x run.sh && readlink link; ls ignored 2>&1; ls .git/HEAD",
      ),
    ).toMatch(/^run.sh\n.*No such file.*\n.git\/HEAD\n$/s);
  });

  test("links that leave the workspace are not archived; the archive is unpacked again, and the links stay where they are", async () => {
    const { id: box } = await client.create({ source: { sample: true } });
    await shell(
      box,
      "ln -s /etc/passwd out; ln -s ../../x up; ln -s README.md in; mkdir d; ln -s ../README.md d/in",
    );
    const archive = new Uint8Array(await (await client.fetch(`/sandboxes/${box}/archive`)).arrayBuffer());
    await shell(box, "rm in d/in");
    expect((await put(box, archive)).status).toBe(200);
    expect(await shell(box, "readlink out up in d/in")).toBe(
      "/etc/passwd\n../../x\nREADME.md\n../README.md\n",
    );
    const { id: fresh } = await client.create({ source: { sample: true } });
    expect((await put(fresh, archive)).status).toBe(200);
    expect(await shell(fresh, "ls -d out up in 2>/dev/null")).toBe("in\n");
  });

  test("a read-only request cannot upload", async () => {
    const refused = await put(id, tarOf(entry("new.txt", "0", "x")), "?access=readonly");
    expect([refused.status, await codeOf(refused)]).toEqual([403, "readonly"]);
  });

  test.each(harmful)(
    "an archive with %s is refused and nothing of it is written",
    { tags: "long" },
    async (_name, archive, code) => {
      const before = await everything();
      const refused = await put(id, archive);
      expect([refused.status >= 400, await codeOf(refused)]).toEqual([true, code]);
      expect(await everything()).toEqual(before);
    },
  );

  test("a bad entry after good ones keeps the good ones out too", async () => {
    const before = await everything();
    const archive = tarOf(entry("good.txt", "0", "good"), entry("../evil", "0", "x"));
    expect(await codeOf(await put(id, archive))).toBe("path_escape");
    expect(await everything()).toEqual(before);
  });

  test("more entries than the cap are refused before the first is written", { tags: "long" }, async () => {
    const { limits } = z.parse(
      z.object({ limits: z.object({ archiveEntries: z.number() }) }),
      (await client.get("/capabilities")).body,
    );
    const many = Array.from({ length: limits.archiveEntries + 1 }, (_, index) => entry(`many/${index}`, "0"));
    const refused = await put(id, tarOf(...many));
    expect([refused.status, await codeOf(refused)]).toEqual([413, "too_large"]);
    expect((await client.failure(id, "list", { path: "many" })).code).toBe("not_found");
  });

  test("a workspace folder that is a link to the outside is not written through", async () => {
    await shell(id, "ln -s /tmp out");
    expect(await codeOf(await put(id, tarOf(entry("out/evil", "0", "x"))))).toBe("path_escape");
    expect(await shell(id, "ls /tmp/evil 2>&1")).toContain("No such file");
  });
}
