// Of what is taken out of a workspace, the newest is kept within limits, by itself and apart from what may be
// the person's, and nobody but the server's user reads it.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
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

test("an entry that is gone, elsewhere, or only a record, is not put back", async () => {
  await out("a");
  const [id = ""] = readdirSync(dir);
  await putBack(root, dir, id);
  await expect(putBack(root, dir, id)).rejects.toMatchObject({ code: "not_found" });
  await out("b");
  renameSync(join(dir, readdirSync(dir)[0] ?? ""), join(dir, "..", "elsewhere"));
  await expect(putBack(root, dir, "../elsewhere")).rejects.toMatchObject({ code: "not_found" });
  mkdirSync(join(dir, "empty"), { recursive: true });
  writeFileSync(join(dir, "empty", "about.json"), '{"path":"b","why":"x"}');
  expect(await takenOut(dir)).toEqual([]);
  await expect(putBack(root, dir, "empty")).rejects.toMatchObject({ code: "not_found" });
});

describe("an entry goes back only to the folder that it was taken from:", () => {
  /** Takes `path` out, and puts it back after `change`; the code of the refusal, if there is one. */
  async function back(path: string, change: () => void, { recorded = true } = {}) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    await out(path);
    const [id = ""] = readdirSync(dir);
    const about = join(dir, id, "about.json");
    if (!recorded) writeFileSync(about, readFileSync(about, "utf8").replace(/,"folders":[^\]]*\]/, ""));
    change();
    const error = await putBack(root, dir, id).catch((error) => error);
    expect([existsSync(join(root, path)), readdirSync(dir)]).toEqual(error ? [false, [id]] : [true, []]);
    return error?.code;
  }
  /** Puts another folder in the place of `path`, with `entries`. */
  const replace = (path: string, ...entries: string[]) => {
    renameSync(join(root, path), join(root, "away"));
    mkdirSync(join(root, path));
    for (const name of entries) mkdirSync(join(root, path, name));
  };

  test("to that one, or one that is made anew, and what is there now is taken out", async () => {
    expect(await back("n/a", () => {})).toBeUndefined();
    expect(await back("m/in/a", () => rmSync(join(root, "m"), { recursive: true }))).toBeUndefined();
    await out("k");
    writeFileSync(join(root, "k"), "newer");
    await putBack(root, dir, readdirSync(dir)[0] ?? "");
    expect(await takenOut(dir)).toMatchObject([{ path: "k", yours: true }]);
  });
  test("to no other, also one above it", async () => {
    expect(await back("n/in/a", () => replace("n", "in"))).toBe("forbidden");
  });
  test.each([
    ["a plain folder", "n/a", [], undefined],
    ["a git folder", "n/.GIT/a", [], "forbidden"],
    ["a folder that git would use", "n/a", ["HEAD", "objects", "refs"], "forbidden"],
  ] as const)("without a record of it, to %s", async (_, path, entries, code) => {
    expect(await back(path, () => replace(dirname(path), ...entries), { recorded: false })).toBe(code);
  });
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
