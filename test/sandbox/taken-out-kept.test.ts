// Of what is taken out of a workspace, the newest is kept within limits, by itself and apart from what may be
// the person's, and nobody but the server's user reads it.
import { mkdirSync, readdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { putBack, takenOut } from "../../sandbox/jail/put-back.ts";
import { prune, takeOut } from "../../sandbox/jail/taken-out.ts";
import { takenOutBytes, takenOutEntries, takenOutLooked } from "../../sandbox/limits.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

let root: string;
let dir: string;
beforeEach(async () => {
  root = await freshFolder("workspace");
  dir = join(await freshFolder("state"), "taken-out");
});
afterAll(removeFolders);

async function out(path: string, { size = 1, yours = false }: { size?: number; yours?: boolean } = {}) {
  writeFileSync(join(root, path), "");
  truncateSync(join(root, path), size);
  await takeOut(root, dir, { path, why: "x", yours });
}
const kept = async () => (await takenOut(dir)).map(({ path }) => path);
const half = takenOutBytes / 2 + 1;

describe("kept are", () => {
  test("the newest entries up to a number", async () => {
    for (let n = 0; n < takenOutEntries + 3; n += 1) await out(`${n}`);
    await prune(dir);
    expect(await kept()).toEqual(
      Array.from({ length: takenOutEntries }, (_, n) => `${takenOutEntries + 2 - n}`),
    );
  });

  test("the newest up to a size, and the person's have one of their own", async () => {
    for (const path of ["a", "b"]) await out(path, { size: half });
    for (const path of ["mine", "mine too"]) await out(path, { size: half, yours: true });
    await prune(dir);
    expect(await kept()).toEqual(["mine too", "b"]);
  });

  test("the newest of the person's whatever its size, beside others, and none of the others that is too large", async () => {
    await out("mine", { yours: true });
    await out("large", { size: takenOutBytes + 1, yours: true });
    await out("theirs");
    await out("theirs and large", { size: takenOutBytes + 1 });
    await prune(dir);
    expect(await kept()).toEqual(["theirs", "large", "mine"]);
    await out("larger", { size: takenOutBytes + 2, yours: true });
    await prune(dir);
    expect(await kept()).toEqual(["larger", "theirs", "mine"]);
  });
});

test("only the server's user reads what is kept", async () => {
  await out("a");
  const [place = ""] = readdirSync(dir);
  const modes = [place, join(place, "about.json")].map((name) => statSync(join(dir, name)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
});

test("an entry that is gone, or whose record is there alone, is not put back", async () => {
  await out("a");
  const [id = ""] = readdirSync(dir);
  await putBack(root, dir, id);
  await expect(putBack(root, dir, id)).rejects.toMatchObject({ code: "not_found" });
  mkdirSync(join(dir, "empty"), { recursive: true });
  writeFileSync(join(dir, "empty", "about.json"), '{"path":"b","why":"x"}');
  expect(await takenOut(dir)).toEqual([]);
  await expect(putBack(root, dir, "empty")).rejects.toMatchObject({ code: "not_found" });
});

describe("the list says what would run an entry that is put back:", () => {
  test.each<[string, string[], string[] | undefined]>([
    ["plain", ["plain/a.txt"], undefined],
    [".vscode", [".vscode/tasks.json"], ["editor"]],
    ["deep", ["deep/in/.envrc"], ["editor"]],
    ["nested", ["nested/.git/HEAD"], ["git"]],
    ["bare", ["bare/HEAD", "bare/objects/x", "bare/refs/x"], ["git"]],
    ["hooks", ["hooks/pre-commit"], ["git"]],
    ["both", ["both/.envrc", "both/.git/HEAD"], ["editor", "git"]],
  ])("%s", async (path, files, runs) => {
    for (const file of files) {
      mkdirSync(join(root, file, ".."), { recursive: true });
      writeFileSync(join(root, file), "");
    }
    await takeOut(root, dir, { path, why: "x", yours: false });
    expect((await takenOut(dir))[0]?.runs).toEqual(runs);
  });

  test("something in git's own folder, whatever it is called", async () => {
    mkdirSync(join(root, "n/hooks"), { recursive: true });
    writeFileSync(join(root, "n/hooks/x"), "");
    await takeOut(root, dir, { path: "n/hooks/x", why: "x", yours: false });
    expect((await takenOut(dir))[0]?.runs).toEqual(["git"]);
  });

  test("more files than are searched count as both", async () => {
    mkdirSync(join(root, "many"));
    for (let n = 0; n <= takenOutLooked; n += 1) symlinkSync("x", join(root, "many", `${n}`));
    await takeOut(root, dir, { path: "many", why: "x", yours: false });
    expect((await takenOut(dir))[0]?.runs).toEqual(["editor", "git"]);
  });
});
