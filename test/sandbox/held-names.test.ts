// Where the op `change` may not write: what git's settings name, and what links in place of held entries lead to.
import { mkdirSync, symlinkSync } from "node:fs";
import { afterAll, beforeEach, expect, test } from "vitest";
import { heldNames, isHeldName } from "../../sandbox/jail/held-names.ts";
import { WorkspaceScanner } from "../../sandbox/workspace/scan.ts";
import { freshFolder, removeFolders } from "./running-server.ts";
import { writers } from "./swept-folder.ts";

let root: string;
const { at, put, repository } = writers(() => root);
beforeEach(async () => {
  root = await freshFolder("workspace");
  repository(".git");
});
afterAll(removeFolders);

test("they are what links and settings lead to, by their real places in the workspace", async () => {
  put("tools/vs/tasks.json");
  put("real/hooks/pre-commit");
  symlinkSync("tools/vs", at(".vscode"));
  symlinkSync("../real/info", at(".git/remotes"));
  symlinkSync("real", at("link"));
  symlinkSync("/etc", at("out"));
  mkdirSync(at(".idea"));
  const named = [
    { path: "link/hooks", maybe: false },
    { path: "out/x", maybe: false },
    { path: "word", maybe: true },
  ];
  const held = heldNames(root, await new WorkspaceScanner(root).scan(), named);
  expect(held.sort()).toEqual(["real/hooks", "real/info", "tools/vs"]);
});

test("a change is in such a place if it is at it, in it or above it", () => {
  const held = ["tools/vs", "a"];
  for (const path of ["tools/vs", "tools/vs/tasks.json", "tools", "a"])
    expect([path, isHeldName(path, held)]).toEqual([path, true]);
  for (const path of ["tools/vs2", "tools/other", "ab", "b"])
    expect([path, isHeldName(path, held)]).toEqual([path, false]);
});
