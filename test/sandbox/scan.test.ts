// What a scan of a workspace finds, by names and types alone, and how single entries are read on the way.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { entriesIn, namesIn, smallText } from "../../sandbox/workspace/looked-at.ts";
import { type ScannedTree, WorkspaceScanner } from "../../sandbox/workspace/scan.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

vi.mock("../../sandbox/limits.ts", async (original) => ({
  ...(await original<typeof import("../../sandbox/limits.ts")>()),
  scanFolders: 200,
}));

let root: string;
beforeEach(async () => {
  root = await freshFolder("workspace");
});
afterAll(removeFolders);

const at = (path: string) => join(root, path);
const put = (path: string, text = "x\n") => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};
const link = (path: string, to = "x") => {
  mkdirSync(dirname(at(path)), { recursive: true });
  symlinkSync(to, at(path));
};
const fifo = (path: string) => execFileSync("mkfifo", [at(path)]);
/** The paths that a scan finds as one kind. */
const found = async (kind: keyof ScannedTree, scanner = new WorkspaceScanner(root)) => {
  const entries: readonly object[] = (await scanner.scan())[kind];
  return entries.map((entry) => ("path" in entry ? String(entry.path) : "")).sort();
};

describe("links through which git would write are", () => {
  test("those called .git, and all in a .git, however deep", async () => {
    for (const path of ["a/.git", "a/.GIT", "a/x", ".git/x", ".git/own/deep/x", ".Git2/x"]) link(path);
    expect(await found("gitLinks")).toEqual([".git/own/deep/x", ".git/x", "a/.GIT", "a/.git"]);
  });

  const parts = ["objects", "refs", "logs", "info", "hooks", "worktrees", "modules", "branches", "remotes"];
  test.each([...parts, "rebase-merge", "rebase-apply", "sequencer"])(
    "in a folder that looks like git's, those in its %s",
    async (part) => {
      for (const folder of ["objects", "refs"]) mkdirSync(at(`store/${folder}`), { recursive: true });
      put("store/HEAD");
      link(`store/${part}/deep/x`);
      link("store/other/deep/x");
      expect(await found("gitLinks")).toEqual([`store/${part}/deep/x`]);
    },
  );
});

test("a folder called .git counts as git's whatever is in it, in any spelling; files called so are found too", async () => {
  for (const path of ["a/.git/x", "b/.GIT/x", "c/git/x"]) put(path);
  for (const path of ["d/.git", "e/.Git"]) put(path);
  expect(await found("gitFolders")).toEqual(["a/.git", "b/.GIT"]);
  expect(await found("gitFiles")).toEqual(["d/.git", "e/.Git"]);
});

test("settings of a shell count in the workspace itself, those of editors everywhere but among packages", async () => {
  for (const path of [".bashrc", "a/.bashrc", "a/.vscode/x", "node_modules/p/.vscode/x", ".git/.vscode/x"])
    put(path);
  expect(await found("editors")).toEqual([".bashrc", "a/.vscode"]);
});

test("what changed since the last scan is found, and what did not is not read again", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  const scanner = new WorkspaceScanner(root);
  put("a/.git");
  expect(await found("gitFiles", scanner)).toEqual(["a/.git"]);
  put("a/.vscode/x");
  put("b/.git");
  expect(await found("gitFiles", scanner)).toEqual(["a/.git", "b/.git"]);
  expect(await found("editors", scanner)).toEqual(["a/.vscode"]);
});

test("folders too deep to be scanned are found by one above them that every tool can name", async () => {
  const path = Array.from({ length: 16 }, (_, n) => String.fromCharCode(97 + n).repeat(200)).join("/");
  mkdirSync(at(path), { recursive: true });
  const [deep = "", ...more] = await found("deep");
  expect([path.startsWith(`${deep}/`), more]).toEqual([true, []]);
  expect(deep.length).toBeGreaterThan(500);
  expect(deep.length).toBeLessThan(1_001);
});

test("more folders than can be scanned are refused", async () => {
  for (let n = 0; n < 199; n += 1) mkdirSync(at(`${n}`));
  await found("deep");
  mkdirSync(at("one-more"));
  await expect(found("deep")).rejects.toMatchObject({ code: "too_large" });
});

describe("without following it,", () => {
  test("a link to a file is no text, and one to a folder has no names", () => {
    put("folder/file", "text");
    link("to-file", "folder/file");
    link("to-folder", "folder");
    expect([smallText(root, "folder/file", 4), smallText(root, "folder/file", 3)]).toEqual([
      "text",
      undefined,
    ]);
    expect([smallText(root, "to-file", 4), namesIn(root, "to-folder")]).toEqual([undefined, []]);
  });

  test("a FIFO is no text, and nobody waits for its writer", { timeout: 20_000 }, () => {
    fifo("f");
    expect(smallText(root, "f", 4)).toBeUndefined();
  });
});

test("a name that is not UTF-8 is read without loss", () => {
  execFileSync("bash", ["-c", "mkdir $'a\\377' && touch $'a\\377/b'"], { cwd: root });
  const [name = ""] = namesIn(root, "");
  expect(namesIn(root, name)).toEqual(["b"]);
});

describe("for a server that is not root,", () => {
  const nobody = 65_534;
  const folder = (path: string, mode: number, uid: number) => {
    put(`${path}/x`);
    chmodSync(at(path), mode);
    chownSync(at(path), uid, uid);
  };
  const asNobody = <T>(work: () => T): T => {
    for (const path of [root, dirname(root)]) chmodSync(path, 0o755);
    process.seteuid?.(nobody);
    try {
      return work();
    } finally {
      process.seteuid?.(0);
    }
  };

  test.runIf(process.geteuid?.() === 0)(
    "its own folder that it may enter is made listable, another's is closed",
    async () => {
      folder("own", 0o300, nobody);
      folder("shut", 0o200, nobody);
      folder("others", 0o711, 0);
      expect(asNobody(() => ["own", "others"].map((path) => entriesIn(root, path)))).toEqual([
        [expect.objectContaining({ name: "x" })],
        "closed",
      ]);
      asNobody(() => entriesIn(root, "shut"));
      // The scan of a small folder is over when its promise is made.
      expect(await asNobody(() => found("closed"))).toContain("others");
      expect(["own", "shut", "others"].map((path) => statSync(at(path)).mode & 0o777)).toEqual([
        0o700, 0o200, 0o711,
      ]);
    },
  );
});
