// The report of `restore`: the files, and which of them a commit contains in their previous state.
// @module-tag long
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { RestoreValue, SnapshotValue } from "../../shared/snapshot.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

afterAll(removeFolders);

test("a restore names its files, and the commit that contains some of them", async () => {
  const workspace = await freshFolder("workspace");
  const home = newHome(await freshFolder("home"));
  const git = (...args: string[]) => hostGit(home, workspace, ...args);
  const file = (name: string, text: string) => writeFile(join(workspace, name), text);
  await file("a.txt", "one\n");
  await file("b.txt", "one\n");
  await file("gone.txt", "one\n");
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  const server = await RunningServer.start({ workspace });
  const { id } = await server.client.create();
  const { snapshot } = await server.client.value(SnapshotValue, id, "snapshot", {});
  await file("a.txt", "two\n");
  await file("made.txt", "two\n");
  await rm(join(workspace, "gone.txt"));
  git("add", "-A");
  git("commit", "-qm", "second");
  await file("b.txt", "two\n");
  const restore = () => server.client.value(RestoreValue, id, "restore", { snapshot }, "write");
  const told = await restore();
  expect(told.files).toEqual([
    { path: "a.txt", now: "changed" },
    { path: "b.txt", now: "changed" },
    { path: "gone.txt", now: "there" },
    { path: "made.txt", now: "gone" },
  ]);
  expect(told.committed?.commit).toMatch(/^[0-9a-f]+ second$/);
  expect(told.committed?.files).toEqual(["a.txt", "gone.txt", "made.txt"]);
  expect(await restore()).toMatchObject({ files: [] });
  await server.stop();
});

test("without a repository it names files alone", async () => {
  const workspace = await freshFolder("workspace");
  const server = await RunningServer.start({ workspace });
  const { id } = await server.client.create();
  const { snapshot } = await server.client.value(SnapshotValue, id, "snapshot", {});
  await writeFile(join(workspace, "made.txt"), "x\n");
  const { files, committed } = await server.client.value(RestoreValue, id, "restore", { snapshot }, "write");
  expect({ files, committed }).toEqual({ files: [{ path: "made.txt", now: "gone" }], committed: undefined });
  await server.stop();
});
