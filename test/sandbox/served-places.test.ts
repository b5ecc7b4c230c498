// The folders in which a new sandbox may work.
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sandboxPlace } from "../../sandbox/sources/place.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

let served: string;

beforeAll(async () => {
  served = await freshFolder("served");
  await mkdir(join(served, "in"));
  await mkdir(`${served}-beside`);
  await writeFile(join(served, "file"), "");
  await symlink("in", join(served, "link"));
  await symlink("/etc", join(served, "out"));
});
afterAll(removeFolders);

test("it is the served folder or one beneath it, by any name of it", async () => {
  for (const path of ["", ".", served])
    expect(await sandboxPlace({ path }, "own", served)).toMatchObject({ root: served, owned: false });
  for (const path of ["in", "./in/../in", "link", join(served, "in")])
    expect(await sandboxPlace({ path }, "own", served)).toMatchObject({
      root: join(served, "in"),
      name: "in",
    });
});

test.each([
  ["..", "path_escape"],
  ["in/../..", "path_escape"],
  ["/etc", "path_escape"],
  ["out", "path_escape"],
  ["../served-beside", "path_escape"],
  ["missing", "path_escape"],
  ["in\0", "path_escape"],
  ["file", "invalid_request"],
])("%j is refused: %s", async (path, code) => {
  await expect(sandboxPlace({ path }, "own", served)).rejects.toMatchObject({ code });
});

test("a server that serves no folder takes no path", async () => {
  await expect(sandboxPlace({ path: "in" }, "own", undefined)).rejects.toMatchObject({ code: "forbidden" });
});

test.each([undefined, { path: "" }, { path: "in" }])(
  "if the served folder is gone, a sandbox of it is refused: %j",
  async (source) => {
    const gone = join(served, "gone");
    await expect(sandboxPlace(source, "own", gone)).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("no longer there"),
    });
    expect(await sandboxPlace({ sample: true }, "own", gone)).toMatchObject({ root: "own" });
  },
);
