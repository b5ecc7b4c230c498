// Which files of a workspace git's settings name: each setting by which git on the host runs a program or reads
// further settings, wherever it is written.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { NamedBySettings, type Outside } from "../../sandbox/jail/named-by-settings.ts";
import { WorkspaceScanner } from "../../sandbox/workspace/scan.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

let root: string;
let home: string;
const put = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const repository = (path: string, config: string) => {
  for (const folder of ["objects", "refs"]) mkdirSync(join(root, path, folder), { recursive: true });
  put(join(root, path, "HEAD"), "ref: refs/heads/main\n");
  put(join(root, path, "config"), config);
};
const named = async (outside: readonly Outside[] = []) =>
  new NamedBySettings(root).of(await new WorkspaceScanner(root).scan(), outside);
const firm = (...paths: string[]) => paths.map((path) => ({ path, maybe: false }));

beforeEach(async () => {
  [root, home] = [await freshFolder("workspace"), await freshFolder("home")];
  vi.stubEnv("HOME", home);
  vi.stubEnv("XDG_CONFIG_HOME", undefined);
});
afterEach(() => void vi.unstubAllEnvs());
afterAll(removeFolders);

describe("a file is named by", () => {
  test.each([
    "[core]\n\thooksPath = tools/x",
    "[include]\n\tpath = ../tools/x",
    '[includeIf "gitdir:/"]\n\tpath = ../tools/x',
    "[core]\n\tfsmonitor = tools/x",
    "[core]\n\teditor = tools/x",
    "[core]\n\tpager = tools/x",
    "[core]\n\taskPass = tools/x",
    "[core]\n\tgitProxy = tools/x",
    "[core]\n\tattributesFile = tools/x",
    "[gpg]\n\tprogram = tools/x",
    "[credential]\n\thelper = !tools/x",
    '[filter "a"]\n\tclean = tools/x',
    '[filter "a"]\n\tsmudge = tools/x',
    '[filter "a"]\n\tprocess = tools/x',
    '[diff "a"]\n\tcommand = tools/x',
    '[diff "a"]\n\ttextconv = "\'tools/x\'"',
    "[diff]\n\texternal = tools/x",
    '[merge "a"]\n\tdriver = tools/x %O %A %B',
    '[hook "a"]\n\tcommand = tools/x',
    "[gc]\n\trecentObjectsHook = tools/x",
    '[trailer "a"]\n\tcmd = tools/x',
    '[mergetool "a"]\n\tcmd = tools/x',
    '[difftool "a"]\n\tpath = tools/x',
    "[interactive]\n\tdiffFilter = tools/x",
    "[init]\n\ttemplateDir = tools/x",
    "[sendemail]\n\ttoCmd = tools/x",
    '[remote "a"]\n\tuploadpack = tools/x',
    '[remote "a"]\n\treceivepack = tools/x',
  ])("%j", async (text) => {
    repository(".git", `${text}\n`);
    expect(await named()).toEqual(firm("tools/x"));
  });

  test("a word of a program's command line, which may be another thing", async () => {
    repository(".git", "[core]\n\teditor = make -C tools/x edit\n");
    expect(await named()).toEqual([{ path: "tools/x", maybe: true }]);
  });

  test.each([
    ["a path from the home folder", "[core]\n\thooksPath = ~/tools\n", () => vi.stubEnv("HOME", root)],
    ["Husky's folder, whose hooks run the files above it", "[core]\n\thooksPath = tools/_\n", () => {}],
  ])("%s", async (_, text, set) => {
    set();
    repository(".git", text);
    expect(await named()).toEqual(firm("tools"));
  });
});

describe("a relative path begins", () => {
  test("where the settings say that the files are", async () => {
    repository(".git", "[core]\n\tworktree = ../part\n\tfsmonitor = tools/x\n");
    expect(await named()).toEqual(firm("part/tools/x"));
  });
  test("in a bare repository itself", async () => {
    repository("bare", "[core]\n\tfsmonitor = tools/x\n");
    expect(await named()).toEqual(firm("bare/tools/x"));
  });
});

describe("settings are read", () => {
  test.each([".gitconfig", ".config/git/config"])("in the person's ~/%s", async (file) => {
    repository(".git", "[core]\n");
    put(join(home, file), "[core]\n\thooksPath = tools\n");
    expect(await named()).toEqual(firm("tools"));
  });

  test("in a repository outside, to which the workspace belongs, and with the person's own", async () => {
    const config = join(home, "repository", "config");
    put(config, `[core]\n\tfsmonitor = part/x\n\tworktree = ${dirname(root)}\n`);
    put(join(home, ".gitconfig"), "[core]\n\tpager = part/pager\n");
    const paths = await named([{ configs: [config], top: root }]);
    expect(paths).toEqual(firm("part/x", "part/pager"));
  });

  test("in what they include, and in what that includes, even in a circle", async () => {
    repository(".git", "[include]\n\tpath = ../one\n");
    put(join(root, "one"), "[include]\n\tpath = deep/two\n");
    put(join(root, "deep", "two"), "[include]\n\tpath = ../one\n[core]\n\teditor = ./tools/x\n");
    const paths = (await named()).map(({ path }) => path);
    expect(paths.sort()).toEqual(["deep/two", "one", "tools/x"]);
  });
});

test("nothing is named by an alias, by another setting, by the workspace itself or by a path outside of it", async () => {
  const text =
    "[alias]\n\tcommand = !tools/x\n[branch]\n\tmerge = refs/heads/x\n[core]\n\thooksPath = .\n\teditor = /usr/bin/vi\n\tpager = less\n";
  repository(".git", text);
  expect(await named()).toEqual([]);
});
