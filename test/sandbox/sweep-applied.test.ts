// A sweep carried out: what is taken out of a workspace, reduced or restored, whatever is in its way.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { applied } from "../../sandbox/jail/protected-apply.ts";
import type { Sweep } from "../../sandbox/jail/protected-sweep.ts";
import { takenOut } from "../../sandbox/jail/put-back.ts";
import { freshFolder, removeFolders } from "./running-server.ts";
import { writers } from "./swept-folder.ts";

const mount = "/workspace";
let root: string;
let dir: string;
const { at, put } = writers(() => root);
beforeEach(async () => {
  root = await freshFolder("workspace");
  dir = join(await freshFolder("state"), "taken-out");
});
afterAll(removeFolders);

const apply = (sweep: Partial<Sweep>, to = dir) =>
  applied({ out: [], configs: [], todos: [], links: [], ...sweep }, { root, dir: to, mount });
const kept = async () => (await takenOut(dir)).map(({ path }) => path);
const textOf = (path: string) => readFileSync(at(path), "utf8");
const one = (path: string) => ({ path, why: "x", yours: false });

describe("settings", () => {
  const harmful = "[core]\n\tbare = false\n\tfsmonitor = ./x\n";

  test("lose what starts programs, and their former text is kept", async () => {
    put("n/config", harmful);
    const taken = await apply({ configs: [{ path: "n/config", module: false }] });
    expect(taken).toMatchObject([
      { path: "n/config", why: expect.stringContaining("core.fsmonitor"), yours: false },
    ]);
    expect(textOf("n/config")).toBe('[core]\n\tbare = "false"\n');
    const [{ id = "" } = {}] = await takenOut(dir);
    expect(readFileSync(join(dir, id, "it"), "utf8")).toBe(harmful);
  });

  test("that were the person's keep what they said, and get changed addresses back", async () => {
    const before = '[core]\n\tfsmonitor = ./x\n[remote "o"]\n\turl = mine\n';
    put("n/config", before.replace("mine", "theirs").replace("[core]", "[core]\n\teditor = ./y"));
    const taken = await apply({ configs: [{ path: "n/config", module: false, before }] });
    expect(taken).toMatchObject([{ yours: true }]);
    expect(textOf("n/config")).toBe('[core]\n\tfsmonitor = "./x"\n[remote "o"]\n\turl = "mine"\n');
  });

  test("with nothing to lose stay, and so does a place where there are none any more", async () => {
    put("n/config", "[core]\n\tbare = false\n");
    const paths = ["n/config", "gone/config"];
    expect(await apply({ configs: paths.map((path) => ({ path, module: false })) })).toEqual([]);
    expect(textOf("n/config")).toBe("[core]\n\tbare = false\n");
  });

  test.each<[string, () => void]>([
    ["a file that git cannot read", () => put("n/config", "[core\n")],
    ["a link", () => symlinkSync("../evil", at("n/config"))],
    ["a folder", () => put("n/config/in")],
  ])("that are %s are empty afterwards", async (_, make) => {
    put("evil", harmful);
    mkdirSync(at("n"));
    make();
    expect(await apply({ configs: [{ path: "n/config", module: false }] })).toMatchObject([
      { why: "git cannot read it as settings" },
    ]);
    expect([lstatSync(at("n/config")).isFile(), textOf("n/config")]).toEqual([true, ""]);
    expect(await kept()).toEqual(["n/config"]);
    expect(textOf("evil")).toBe(harmful);
  });
});

describe("a working tree", () => {
  const left = async (worktree: string, module = true) => {
    put("p/.git/modules/s/config", `[core]\n\tworktree = ${worktree}\n`);
    await apply({ configs: [{ path: "p/.git/modules/s/config", module }] });
    return textOf("p/.git/modules/s/config").includes("worktree");
  };
  beforeEach(async () => {
    mkdirSync(at("p/s"), { recursive: true });
    symlinkSync(await freshFolder("outside"), at("p/out"));
  });

  test.each(["../../../s", `${mount}/p/s`])("of a submodule may be %s", async (place) => {
    expect(await left(place)).toBe(true);
    expect(await left(place, false)).toBe(false);
  });
  test("of a submodule may be named as this machine sees the workspace", async () => {
    expect(await left(at("p/s"))).toBe(true);
  });
  test.each([
    "../../../../../elsewhere",
    "../../../out",
    `${mount}/p/out`,
    `${mount}/../elsewhere`,
    `${mount}-2/p/s`,
    "/etc",
  ])("of none is %s", async (place) => {
    expect(await left(place)).toBe(false);
  });
  test("of none is beside the workspace, nor at the end of a link from there", async () => {
    expect(await left(`${root}-2/p/s`)).toBe(false);
    expect(await left(at("p/out"))).toBe(false);
  });
});

describe("the list of a paused rebase", () => {
  const path = ".git/rebase-merge/git-rebase-todo";

  test("loses its commands, and keeps the rest", async () => {
    put(path, "pick 1 exec\nexec ./x\n  exec ./x\nx ./x\n\tx ./x\nexecute\nlabel x\n");
    expect(await apply({ todos: [path] })).toMatchObject([{ path }]);
    expect(textOf(path)).toBe("pick 1 exec\nexecute\nlabel x\n");
    expect(await kept()).toEqual([path]);
  });

  test("stays if it has none", async () => {
    put(path, "pick 1 exec\n");
    expect(await apply({ todos: [path] })).toEqual([]);
    expect(textOf(path)).toBe("pick 1 exec\n");
  });

  test("is taken out whole if it is too long to read", async () => {
    put(path, `${"#\n".repeat(600_000)}exec ./x\n`);
    expect(await apply({ todos: [path] })).toMatchObject([{ path }]);
    expect(existsSync(at(path))).toBe(false);
  });
});

test("links are put back where they were, if their folder is still there", async () => {
  mkdirSync(at("d"));
  await apply({
    links: [
      { path: "gone/l", target: "x" },
      { path: "d/l", target: "../x" },
    ],
  });
  expect(readlinkSync(at("d/l"))).toBe("../x");
});

test("nothing is taken out through a link that came in the place of a folder", async () => {
  const outside = await freshFolder("outside");
  writeFileSync(join(outside, ".envrc"), "mine\n");
  symlinkSync(outside, at("d"));
  expect(await apply({ out: [one("d/.envrc"), one("d/.vscode")], todos: ["d/.envrc"] })).toEqual([]);
  expect(readFileSync(join(outside, ".envrc"), "utf8")).toBe("mine\n");
});

test("what cannot be kept is removed, and no record of it stays", async () => {
  put("d/x");
  expect(await apply({ out: [{ ...one("d"), destroyed: true }] })).toMatchObject([{ path: "d" }]);
  expect([existsSync(at("d")), await kept()]).toEqual([false, []]);
});

test("a state folder on another disk gets what is taken out as it was, and nothing of it stays", async () => {
  const elsewhere = mkdtempSync("/dev/shm/handrail-test-");
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  put("d/.zed/in/a");
  symlinkSync("a", at("d/.zed/in/l"));
  chmodSync(at("d/.zed/in/a"), 0o640);
  utimesSync(at("d/.zed/in/a"), 1, 1);
  expect(await apply({ out: [one("d/.zed")] }, elsewhere)).toMatchObject([{ path: "d/.zed" }]);
  const [{ id = "" } = {}] = await takenOut(elsewhere);
  const inside = join(elsewhere, id, "it", "in");
  const { mode, mtimeMs } = statSync(join(inside, "a"));
  expect([mode & 0o777, mtimeMs, readlinkSync(join(inside, "l"))]).toEqual([0o640, 1_000, "a"]);
  expect(readdirSync(at("d"))).toEqual([]);
});

describe.runIf(process.getuid?.() === 0)("a server that is not root", () => {
  /** Runs `work` as another user, who owns the workspace and the state folder; that user need not exist. */
  async function asStranger(work: () => Promise<void>): Promise<void> {
    execFileSync("chown", ["-R", "54321", dirname(root), dirname(dirname(dir))]);
    process.seteuid?.(54_321);
    await work().finally(() => process.seteuid?.(0));
  }

  test("takes out and reduces what a command took its rights to", async () => {
    put("d/.zed/in");
    put("n/config", "[core]\n\tfsmonitor = x\n");
    for (const path of ["d/.zed", "d", "n"]) chmodSync(at(path), 0o500);
    await asStranger(async () => {
      const taken = await apply({ out: [one("d/.zed")], configs: [{ path: "n/config", module: false }] });
      expect(taken.map(({ path, left }) => [path, left])).toEqual([
        ["d/.zed", undefined],
        ["n/config", undefined],
      ]);
    });
    expect([readdirSync(at("d")), textOf("n/config")]).toEqual([[], ""]);
  });

  test("leaves what is another user's, says so, and takes out the rest", async () => {
    put("b/.envrc");
    await asStranger(async () => {
      process.seteuid?.(0);
      put("a/.envrc");
      process.seteuid?.(54_321);
      expect(await apply({ out: [one("a/.envrc"), one("b/.envrc")] })).toMatchObject([
        { path: "a/.envrc", left: true, why: expect.stringContaining("look at it before you use git there") },
        { path: "b/.envrc" },
      ]);
    });
    expect([existsSync(at("a/.envrc")), existsSync(at("b/.envrc"))]).toEqual([true, false]);
  });
});
