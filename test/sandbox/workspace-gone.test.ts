// The workspace is moved away or replaced by something else while its sandbox is in use.
// @module-tag long
import { readdir, rename, symlink, writeFile } from "node:fs/promises";
import { afterAll, expect, test } from "vitest";
import type { OpName } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

afterAll(removeFolders);

const ops: readonly [OpName, Record<string, unknown>][] = [
  ["exec", { command: "echo hi" }],
  ["list", {}],
  ["search", { pattern: "needle" }],
  ["snapshot", {}],
  ["git", { verb: "status" }],
  ["read", { path: "a.txt" }],
  ["change", { files: [{ path: "b.txt", content: "b\n", base: null }] }],
];

test.for([
  ["nothing", async () => undefined],
  ["a file", (path: string) => writeFile(path, "a file\n")],
  ["a link", (path: string) => symlink(`${path}.away`, path)],
] as const)(
  "with %s in its place every call says so and does nothing; once it is back everything works",
  async ([name, put]) => {
    const workspace = await freshFolder("workspace");
    await writeFile(`${workspace}/a.txt`, "needle\n");
    const server = await RunningServer.start({ workspace });
    const { id } = await server.client.create();
    await rename(workspace, `${workspace}.away`);
    await put(workspace);
    const calls = ops.map(([op, args], at) => ({ key: `${name} ${at}`, op, args }));
    const results = await server.client.results(id, { access: "write", calls });
    expect(results).toHaveLength(ops.length);
    for (const result of results) {
      expect(result.ok).toBe(false);
      expect(result.error?.code).toBe("path_escape");
      expect(result.error?.message).toContain("is no longer the folder that it was. Begin a new session.");
    }
    if (name !== "nothing") await rename(workspace, `${workspace}.other`);
    await rename(`${workspace}.away`, workspace);
    const read = await server.client.call(id, "read", { path: "a.txt" });
    expect(JSON.stringify(read)).toContain("needle");
    expect(await readdir(workspace)).toEqual(["a.txt"]);
    await server.stop();
  },
);
