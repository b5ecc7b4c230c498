// Which words of a read-only command lead out of the workspace, without a jail.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkPlaces } from "../../sandbox/allow-list/check-places.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

let root: string;
beforeAll(async () => {
  const outside = await freshFolder("outside");
  root = await freshFolder("workspace");
  writeFileSync(join(outside, "words"), "x\n");
  mkdirSync(join(root, "in"));
  for (const name of ["out", "-out"]) symlinkSync(join(outside, "words"), join(root, name));
  symlinkSync("in", join(root, "way-in"));
});
afterAll(removeFolders);

test.each(["out", "-- -out", "-fout", "-rfout", "-rnf./out", "--file=out"])(
  "`%s` leads out through a link, and is refused",
  async (words) => {
    await expect(checkPlaces(words.split(" "), root, root)).rejects.toMatchObject({ code: "readonly" });
  },
);

test("links that stay inside, options, and words that name nothing do not", async () => {
  await expect(
    checkPlaces(["-rn", "--", "way-in", "-nothing", "--file=in"], root, root),
  ).resolves.toBeUndefined();
});
