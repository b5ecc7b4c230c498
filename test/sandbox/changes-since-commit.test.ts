// After a commit of a session, its changes count from that commit: the same lines as git's own difference from HEAD.
// The same is true after every other move of HEAD by its commands.
import { randomUUID } from "node:crypto";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Committed } from "../../shared/delivery.ts";
import { GitValue } from "../../shared/git.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { runs } from "../harness/runs.ts";
import { until } from "./running-server.ts";
import { servedRepositories } from "./served-repositories.ts";

const folder = servedRepositories({ "a.txt": "1\n2\n3\n4\n5\n", "b.txt": "1\n2\n3\n", "theirs.txt": "1\n" });
const { git, put } = folder;

async function session() {
  const { client } = folder.server;
  const { id } = await client.create({ source: { path: folder.path } });
  const run = (command: string, more = {}) =>
    client.value(ExecValue, id, "exec", { command, ...more }, "write");
  const diff = async (since: string) =>
    client.value(GitValue, id, "git", { verb: "diff", since, whose: "own", stat: true });
  const from = async () => (await diff("start")).countedFrom;
  const made = async () => {
    const { commit, branch, made } = (await from()) ?? {};
    return made ? { commit, branch } : undefined;
  };
  /** The session's changed lines by file, as the phone counts them. */
  const counted = async () => {
    const { stdout, commits = [] } = await diff((await from())?.snapshot ?? "start");
    const held = commits.flatMap(({ files }) => files);
    return stdout
      .split("\0")
      .filter((line) => line !== "" && !held.includes(line.split("\t")[2] ?? ""))
      .map((line) => line.replaceAll("\t", " "));
  };
  return { client, id, run, from, made, counted };
}
/** What git says about `paths`; untracked files aside. */
const gits = (...paths: string[]) =>
  git("diff", "--numstat", "HEAD", "--", ...paths)
    .split("\n")
    .filter(Boolean)
    .map((line) => line.replaceAll("\t", " "));

test("lines that a commit left out, and those changed after it in the same command, count as git counts them", async () => {
  const { run, counted } = await session();
  await run("echo 6 >> a.txt; echo 4 >> b.txt; git commit -qm half a.txt; echo 7 >> a.txt");
  expect(gits()).toEqual(["1 0 a.txt", "1 0 b.txt"]);
  expect(await counted()).toEqual(gits());
});

test("a file that was committed and then taken back counts as git counts it, also in the same command and over a further commit", {
  tags: "long",
}, async () => {
  const { run, counted } = await session();
  await run("printf '1\\n' > a.txt; git commit -qam short; git checkout -q HEAD~1 -- a.txt");
  expect(gits()).toEqual(["4 0 a.txt"]);
  expect(await counted()).toEqual(gits());
  await run("echo 4 >> b.txt; git commit -qm further b.txt");
  expect(await counted()).toEqual(["4 0 a.txt"]);
});

test("an undo after a commit counts as git counts it", { tags: "long" }, async () => {
  const { client, id, run, counted } = await session();
  const { snapshot } = await client.value(SnapshotValue, id, "snapshot", {}, "write");
  await run("printf '6\\n7\\n' >> a.txt; echo 4 >> b.txt; git commit -qm half a.txt; sed -i 1d a.txt");
  expect(await counted()).toEqual(gits());
  await client.value(SnapshotValue, id, "restore", { snapshot, own: true }, "write");
  expect(gits()).toEqual(["0 2 a.txt"]);
  expect(await counted()).toEqual(gits());
});

test("an amended commit, one that was reset, and another branch count as git counts them", {
  tags: "long",
}, async () => {
  const { run, from, made, counted } = await session();
  await run("echo 6 >> a.txt; git commit -qam one");
  const first = await made();
  await run("echo 7 >> a.txt; echo 4 >> b.txt; git commit -qm two a.txt");
  await run("git commit -q --amend -m again b.txt; echo 8 >> a.txt");
  expect(await counted()).toEqual(gits());
  await run("git reset -q --mixed HEAD~1");
  expect(await from()).toMatchObject({ commit: first?.commit, branch: "main" });
  expect([await counted(), gits()]).toEqual([gits(), ["2 0 a.txt", "1 0 b.txt"]]);
  await run("git stash -q; git checkout -q -b further HEAD~1");
  expect([await counted(), gits()]).toEqual([[], []]);
  await run("git checkout -q main; git reset -q --mixed HEAD~1");
  expect(await made()).toBeUndefined();
  expect(await counted()).toEqual(gits());
});

test("what others have not committed is not counted, and what they change later neither", {
  tags: "long",
}, async () => {
  await put("theirs.txt", "1\n2\n");
  await put("new-of-theirs.txt", "1\n");
  const { run, counted } = await session();
  await run("echo 6 >> a.txt; echo 4 >> b.txt; git commit -qm half b.txt");
  expect(await counted()).toEqual(["1 0 a.txt"]);
  await put("theirs.txt", "1\n2\n3\n");
  await put("b.txt", "0\n1\n2\n3\n4\n");
  expect(await counted()).toEqual(["1 0 a.txt"]);
});

test("what others have not committed in a file of the session is not counted", { tags: "long" }, async () => {
  const { run, counted } = await session();
  await run("echo 6 >> a.txt; echo 4 >> b.txt");
  await put("a.txt", "0\n1\n2\n3\n4\n5\n6\n");
  await run("git commit -qm half b.txt");
  expect([await counted(), gits()]).toEqual([["1 0 a.txt"], ["2 0 a.txt"]]);
});

test("after a commit by somebody else, its files count as git counts them; one without its files changes nothing", async () => {
  const { run, from, counted } = await session();
  await run("echo 6 >> a.txt; echo 4 >> b.txt");
  await put("theirs.txt", "1\n2\n");
  git("commit", "-qm", "theirs", "theirs.txt");
  expect(await from()).toBeUndefined();
  git("commit", "-qm", "half", "a.txt");
  expect(await from()).toMatchObject({ commit: git("rev-parse", "HEAD"), made: true, branch: "main" });
  await run("echo 7 >> a.txt");
  expect([await counted(), gits()]).toEqual([gits(), ["1 0 a.txt", "1 0 b.txt"]]);
  // What the commit holds is taken back, so it differs from HEAD.
  await run("git checkout -q HEAD~1 -- a.txt");
  expect(await counted()).toEqual(gits());
});

test("of thousands of moves of HEAD at once, the last ones count", { tags: "long" }, async () => {
  const { run, from, counted } = await session();
  await run("echo 6 >> a.txt; echo 4 >> b.txt");
  const id = git("rev-parse", "HEAD");
  const line = `${id} ${id} Person <person@example.org> 1 +0000\tcheckout: moving from main to main\n`;
  await appendFile(join(folder.workspace, ".git/logs/HEAD"), line.repeat(2_000));
  git("commit", "-qm", "half", "a.txt");
  expect((await from())?.commit).toBe(git("rev-parse", "HEAD"));
  await run("echo 7 >> a.txt");
  expect([await counted(), gits()]).toEqual([gits(), ["1 0 a.txt", "1 0 b.txt"]]);
});

test("a commit that the person makes on the phone, and one taken back there, count in the same way", {
  tags: "long",
}, async () => {
  const { client, id, run, made, counted } = await session();
  await run("echo 6 >> a.txt; echo 4 >> b.txt");
  const commit = (more: object) =>
    client.value(Committed, id, "commit", { key: randomUUID(), message: "half", ...more }, "write");
  const done = await commit({ paths: ["a.txt"] });
  expect((await made())?.commit).toBe(done.commit);
  expect(await counted()).toEqual(["1 0 b.txt"]);
  await commit({ paths: [], undo: done.commit });
  expect(await made()).toBeUndefined();
  expect(await counted()).toEqual(gits());
});

test("a commit by a command in the background is the session's, while it runs and afterwards", async () => {
  const { client, id, run, made, counted } = await session();
  await run("echo 6 >> a.txt; echo 4 >> b.txt");
  const { background } = await run(
    "git commit -qm half a.txt; until [ -e go ]; do sleep 0.1; done; git commit -qam rest",
    {
      background: true,
    },
  );
  await until(async () => git("log", "-1", "--format=%s") === "half");
  expect((await made())?.commit).toBe(git("rev-parse", "HEAD"));
  expect(await counted()).toEqual(["1 0 b.txt"]);
  await put("go", "");
  const ended = async () =>
    (await client.value(ExecValue, id, "background", { id: background?.id, waitMs: 10_000 })).background
      ?.running;
  await until(async () => (await ended()) === false);
  await until(async () => (await made())?.commit === git("rev-parse", "HEAD"));
  expect(await counted()).toEqual([]);
});

test("commits that hold only what the command in the background wrote are the session's", {
  tags: "long",
}, async () => {
  const { client, id, run, made } = await session();
  const commit = (name: string) => `echo 1 > ${name}; git add ${name}; git commit -qm ${name} ${name}`;
  const command = `${commit("first.txt")}; until [ -e go ]; do sleep 0.1; done; ${commit("last.txt")}`;
  const { background } = await run(command, { background: true });
  await until(async () => git("log", "-1", "--format=%s") === "first.txt");
  expect((await made())?.commit).toBe(git("rev-parse", "HEAD"));
  await put("go", "");
  await client.value(ExecValue, id, "background", { id: background?.id, waitMs: 20_000 });
  await until(async () => git("log", "-1", "--format=%s") === "last.txt");
  await until(async () => (await made())?.commit === git("rev-parse", "HEAD"));
});

test("a forged object of the repository does not become part of a snapshot", async () => {
  const { run, made, counted } = await session();
  // The content of a.txt in the commit is replaced under its id.
  await run(
    "echo 6 >> a.txt; git commit -qam one; id=$(git rev-parse HEAD:a.txt); f=.git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-); other=$(echo forged | git hash-object -w --stdin); chmod u+w $f; cp .git/objects/$(echo $other | cut -c1-2)/$(echo $other | cut -c3-) $f; echo 7 >> a.txt",
  );
  await made();
  await run("sed -i '$d' a.txt");
  await counted();
  const { client, id } = await session();
  const { snapshot } = await client.value(SnapshotValue, id, "snapshot", {}, "write");
  await run("echo gone > a.txt");
  await client.value(SnapshotValue, id, "restore", { snapshot }, "write");
  expect((await run("cat a.txt")).stdout).toBe("1\n2\n3\n4\n5\n6\n");
});

test("a commit that cannot be read is reported as such, and changes count from when it was noticed", async () => {
  const { run, from, counted } = await session();
  await run(
    "echo 6 >> a.txt; git commit -qam one; id=$(git rev-parse HEAD:a.txt); rm -f .git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-); echo 7 >> a.txt",
  );
  expect(await from()).toMatchObject({ made: true, unread: true });
  await run("echo 8 >> a.txt");
  expect(await counted()).toEqual(["1 0 a.txt"]);
});

test("after a switch of the branch, a pull, a merge and a rebase by commands, changes count as git counts them", {
  tags: "long",
}, async () => {
  git("branch", "origin-main");
  git("checkout", "-q", "-b", "feature");
  await put("a.txt", "1\n2\n3\n4\n5\nfeature\n");
  git("commit", "-qam", "feature");
  const feature = git("rev-parse", "HEAD");
  git("checkout", "-q", "main");
  const { run, from, counted } = await session();
  await run("git checkout -q feature; sed -i 1d a.txt");
  expect(await from()).toMatchObject({ commit: feature, branch: "feature", made: false });
  expect([await counted(), gits()]).toEqual([["0 1 a.txt"], ["0 1 a.txt"]]);
  await run(
    "git stash -q; git checkout -q main; git merge -q --ff-only feature; git stash pop -q; echo 4 >> b.txt",
  );
  expect(await from()).toMatchObject({ commit: feature, made: false });
  expect([await counted(), gits()]).toEqual([gits(), ["0 1 a.txt", "1 0 b.txt"]]);
  await run(
    "git commit -qam own; git checkout -q origin-main; echo 5 >> b.txt; git commit -qam other; git merge -q -s ours -m both main; echo 2 >> theirs.txt",
  );
  expect(await from()).toMatchObject({ commit: git("rev-parse", "HEAD"), made: true });
  expect([await counted(), gits()]).toEqual([gits(), ["1 0 theirs.txt"]]);
  await run("git stash -q; git rebase -q --no-ff HEAD~1; git stash pop -q");
  expect(await counted()).toEqual(gits());
  await run("git reset -q --hard main~1");
  expect([await counted(), gits()]).toEqual([[], []]);
});

/** What a command does, in any order. A step that does not work is given up. */
const commands = [
  ...["echo N >> a.txt", "sed -i 2d a.txt", "sed -i 1iN b.txt", "echo N >> theirs.txt"],
  ...["git commit -qam N", "git commit -qm N a.txt", "git commit -q --amend -m N b.txt", "git add b.txt"],
  ...[
    "git reset -q --soft HEAD~1",
    "git reset -q HEAD~1",
    "git reset -q --hard HEAD~1",
    "git reset -q --hard",
  ],
  ...["git checkout -q -b N", "git checkout -q main", "git checkout -q -", "git checkout -q HEAD~1 -- a.txt"],
  ...[
    "git stash -q",
    "git stash pop -q || git reset -q --hard",
    "git revert --no-edit HEAD || git revert --abort",
  ],
  ...["git rebase -q main || git rebase --abort", "git merge -q --no-edit main || git merge --abort"],
];

test("after any commands, changes count as git counts them", { tags: ["long", "random"] }, async () => {
  const step = fc.array(fc.nat(commands.length - 1), { minLength: 1, maxLength: 4 });
  const play = async (steps: readonly (readonly number[])[]) => {
    git("checkout", "-q", "-f", "-B", "main", "begun");
    const { run, counted } = await session();
    let n = 0;
    for (const each of steps) {
      const names = each.map((which) => (commands[which] ?? "").replace("N", `n${++n}-${Date.now()}`));
      await run(names.join("; "));
      const untracked = git("ls-files", "--others").split("\n");
      const tracked = (await counted()).filter((line) => !untracked.includes(line.split(" ")[2] ?? ""));
      expect(tracked, names.join("; ")).toEqual(gits());
    }
  };
  git("tag", "begun");
  const steps = fc.array(step, { minLength: 2, maxLength: 6 });
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: runs(20, 3), endOnFailure: true });
});
