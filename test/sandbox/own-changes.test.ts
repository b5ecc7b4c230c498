// Several sandboxes and a person work in one folder. Each sandbox's changes are attributed to it, and only
// those are undone.
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { CallsLine } from "../../shared/calls-line.ts";
import { GitValue } from "../../shared/git.ts";
import { ChangeValue, ExecValue, ReadValue } from "../../shared/sandbox.ts";
import { RestoreValue, SnapshotValue } from "../../shared/snapshot.ts";
import { hostGit } from "./host-git.ts";
import { RunningServer } from "./running-server.ts";
import { servedRepositories } from "./served-repositories.ts";

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}\n`).join("");
const repository = servedRepositories({ "a.txt": lines(1, 20), "b.txt": "b\n" });
const { put } = repository;

let server: RunningServer;
let workspace: string;
let [one, other] = ["", ""];
const git = (...args: string[]) => hostGit(repository.home, workspace, ...args);
const text = (name: string) => readFile(join(workspace, name), "utf8").catch(() => null);
const run = (id: string, command: string) => server.client.value(ExecValue, id, "exec", { command });
const replace = async (id: string, path: string, content: string) => {
  const { version } = await server.client.value(ReadValue, id, "read", { path });
  return server.client.value(ChangeValue, id, "change", { files: [{ path, base: version, content }] });
};
const create = (id: string, path: string, content: string) =>
  server.client.value(ChangeValue, id, "change", { files: [{ path, base: null, content }] });
const diff = (id: string, args: object = {}) =>
  server.client.value(GitValue, id, "git", { verb: "diff", since: "start", ...args }, "readonly");
const changed = async (id: string, whose: "own" | "others" = "own", since = "start") =>
  [...(await diff(id, { whose, since })).stdout.matchAll(/^[+-](?!\+\+|--).*$/gm)].map(([line]) => line);
const snapshot = async (id: string) =>
  (await server.client.value(SnapshotValue, id, "snapshot", {}, "readonly")).snapshot;
const undo = (id: string, since = "start", args: object = {}) =>
  server.client.value(RestoreValue, id, "restore", { snapshot: since, own: true, ...args });

beforeEach(async () => {
  ({ server, workspace } = repository);
  const { path } = repository;
  one = (await server.client.create({ source: { path } })).id;
  other = (await server.client.create({ source: { path } })).id;
});

test("each sandbox's changes are its own, others' are separate, and together they are the folder's", async () => {
  await run(one, "sed -i 's/^line 2$/two/' a.txt");
  await put("a.txt", ((await text("a.txt")) ?? "").replace("line 10\n", "ten\n"));
  await replace(other, "a.txt", ((await text("a.txt")) ?? "").replace("line 19\n", "nineteen\n"));
  await create(one, "new.txt", "new\n");
  expect(await changed(one)).toEqual(["-line 2", "+two", "+new"]);
  expect(await changed(one, "others")).toEqual(["-line 10", "+ten", "-line 19", "+nineteen"]);
  expect(await changed(other)).toEqual(["-line 19", "+nineteen"]);
  expect((await diff(one)).stdout).toContain("+nineteen");
  expect((await diff(one, { whose: "own" })).mixed).toEqual([]);
});

test("an undo reverts what the sandbox did and nothing else, and can itself be undone", async () => {
  await put("mine.txt", "the person's\n");
  await run(one, "sed -i 's/^line 2$/two/' a.txt; echo made > made.txt; rm b.txt");
  await put("a.txt", ((await text("a.txt")) ?? "").replace("line 10\n", "ten\n"));
  await run(other, "echo theirs > theirs.txt");
  const { snapshot: before } = await undo(one);
  const ten = lines(1, 20).replace("line 10\n", "ten\n");
  expect(await Promise.all(["a.txt", "made.txt", "b.txt", "mine.txt", "theirs.txt"].map(text))).toEqual([
    ten,
    null,
    "b\n",
    "the person's\n",
    "theirs\n",
  ]);
  expect([await changed(one), await changed(other)]).toEqual([[], ["+theirs"]]);
  await put("later.txt", "later\n");
  await undo(one, before);
  expect(await text("a.txt")).toBe(ten.replace("line 2\n", "two\n"));
  expect([await text("b.txt"), await text("later.txt")]).toEqual([null, "later\n"]);
});

test("an undo to a snapshot keeps what the sandbox did before it and what others did after it", {
  tags: "long",
}, async () => {
  await run(one, "sed -i 's/^line 2$/two/' a.txt");
  const before = await snapshot(one);
  await put("a.txt", ((await text("a.txt")) ?? "").replace("line 10\n", "ten\n"));
  await run(one, "sed -i 's/^line 18$/eighteen/' a.txt");
  expect(await changed(one, "own", before)).toEqual(["-line 18", "+eighteen"]);
  expect(await changed(one, "others", before)).toEqual(["-line 10", "+ten"]);
  await undo(one, before);
  expect(await text("a.txt")).toBe(lines(1, 20).replace("line 2\n", "two\n").replace("line 10\n", "ten\n"));
});

test("lines that others changed too are reported and stay, until they are named; an excluded file stays", {
  tags: "long",
}, async () => {
  await run(one, "sed -i 's/^line 2$/two/' a.txt; echo made > made.txt; echo c > c.txt");
  await put("a.txt", ((await text("a.txt")) ?? "").replace("two\n", "zwei\n"));
  expect((await diff(one, { whose: "own" })).mixed).toEqual(["a.txt"]);
  const { mixed } = await undo(one, "start", { except: ["c.txt"] });
  expect(mixed).toEqual(["a.txt"]);
  expect([await text("a.txt"), await text("made.txt"), await text("c.txt")]).toEqual([
    lines(1, 20).replace("line 2\n", "zwei\n"),
    null,
    "c\n",
  ]);
  await undo(one, "start", { also: ["a.txt"] });
  expect([await text("a.txt"), await text("c.txt")]).toEqual([lines(1, 20), null]);
});

test("files of others are reverted only where they are named", { tags: "long" }, async () => {
  await run(one, "echo made > made.txt");
  await put("b.txt", "the person's\n");
  await undo(one);
  expect(await text("b.txt")).toBe("the person's\n");
  await undo(one, "start", { also: ["b.txt"] });
  expect(await text("b.txt")).toBe("b\n");
});

test("a restore of the whole folder counts as the sandbox's own change", { tags: "long" }, async () => {
  await put("b.txt", "theirs\n");
  await server.client.value(RestoreValue, one, "restore", { snapshot: "start" });
  expect(await text("b.txt")).toBe("b\n");
  expect(await changed(one)).toEqual(["-theirs", "+b"]);
});

test("paths are literal, even where git would read more into such a name", {
  tags: "long",
}, async () => {
  const names = [":(glob)x", ":!a.txt", ":/z", "*.txt", "-rf", 'new\nline "q".txt', "[ab].txt"];
  for (const name of names) await create(one, name, "mine\n");
  expect(await changed(one)).toEqual(names.map(() => "+mine"));
  for (const name of names) {
    const { stdout } = await diff(one, { paths: [name] });
    expect(stdout.match(/^\+mine$/gm)).toHaveLength(1);
  }
  git("add", "-A");
  const token = ["ghp", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9"].join("_");
  git("commit", "-qm", `odd ${token}`);
  const { commits } = await diff(one, { whose: "own" });
  expect(commits?.map(({ commit, files }) => [commit.includes(token), ...files.sort()])).toEqual([
    [false, ...[...names].sort()],
  ]);
  const { committed } = await undo(one);
  expect(committed?.commit).toMatch(/ odd \[redacted: GitHub token\]$/);
  expect(committed?.files.sort()).toEqual([...names].sort());
  expect(await text("a.txt")).toBe(lines(1, 20));
  expect(await text("*.txt")).toBeNull();
});

test("a commit that contains files with their current content is named with them", async () => {
  await run(one, "echo made > made.txt; echo more >> b.txt; git add made.txt; git commit -qm 'made it'");
  const { commits } = await diff(one, { whose: "own" });
  expect(commits).toEqual([{ commit: expect.stringMatching(/^[0-9a-f]+ made it$/), files: ["made.txt"] }]);
  git("commit", "-qam", "the rest");
  expect((await diff(one, { whose: "own" })).commits?.flatMap(({ files }) => files).sort()).toEqual([
    "b.txt",
    "made.txt",
  ]);
});

test("the owner of a change survives a restart, and a command that a kill cut short counts for its sandbox", {
  tags: "long",
}, async () => {
  await create(one, "made.txt", "made\n");
  await put("person.txt", "person\n");
  const calls = [
    { key: "cut", op: "exec" as const, args: { command: "echo cut > cut.txt; echo; sleep 60" } },
  ];
  const kill = ({ type }: CallsLine) => (type === "output" ? server.kill() : undefined);
  await server.client.lines(other, { access: "write", calls }, kill).catch(() => undefined);
  server = await RunningServer.start({ workspace: repository.served, state: server.state });
  repository.server = server;
  expect(await changed(one)).toEqual(["+made"]);
  expect((await changed(other)).sort()).toEqual(["+cut"]);
  await rm(join(workspace, "made.txt"));
  expect(await changed(one)).toEqual([]);
});
