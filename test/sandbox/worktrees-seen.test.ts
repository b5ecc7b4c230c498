// The work that comes back from a worktree is exactly what the person saw, whatever is written there
// meanwhile.
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import { ErrorBody } from "../../shared/errors.ts";
import { GitValue } from "../../shared/git.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { BroughtBack, WorktreeState } from "../../shared/worktree.ts";
import type { RunningServer } from "./running-server.ts";
import { servedRepositories } from "./served-repositories.ts";

const repository = servedRepositories({ "a.txt": "a\n", "b.txt": "b\n" });
const { git, put } = repository;

let server: RunningServer;
let workspace: string;
let id: string;
const run = async (command: string) =>
  (await server.client.value(ExecValue, id, "exec", { command })).stdout.trim();
const look = async () =>
  z.parse(WorktreeState, (await server.client.get(`/sandboxes/${id}/worktree`)).body).seen;
const back = (body: object = {}) =>
  server.client.post(`/sandboxes/${id}/bring-back`, { how: "merge", ...body });
const refused = async (body: object) => {
  const before = [await run("git rev-parse HEAD"), git("rev-parse", "HEAD")];
  const answer = await back(body);
  expect([answer.status, z.parse(ErrorBody, answer.body).error.code]).toEqual([412, "stale_file"]);
  expect([await run("git rev-parse HEAD"), git("rev-parse", "HEAD"), git("status", "--short")]).toEqual([
    ...before,
    "",
  ]);
};
const done = async (body: object) => {
  const answer = await back(body);
  expect(answer).toMatchObject({ status: 200, body: { done: true } });
  return z.parse(BroughtBack, answer.body).files;
};

beforeEach(async () => {
  ({ server, workspace } = repository);
  id = (await server.client.create({ source: { path: repository.path }, worktree: { when: "always" } })).id;
  await run("echo new > c.txt; echo more >> a.txt");
});

test("looking gives the same result as long as nothing is written, and changes nothing", {
  tags: "long",
}, async () => {
  await run("git add a.txt");
  const seen = await look();
  expect(await look()).toBe(seen);
  expect(await run("git status --short")).toBe("M  a.txt\n?? c.txt");
  expect(await done({ seen })).toEqual(["a.txt", "c.txt"]);
});

test("text that a command calls binary is counted in lines, and a name with tabs is whole", async () => {
  await run("echo '*.txt -diff' > .gitattributes; echo t > $'t\\tab'");
  const { files } = z.parse(WorktreeState, (await server.client.get(`/sandboxes/${id}/worktree`)).body);
  expect(files.map(({ path, added, removed }) => [path, added, removed])).toEqual([
    [".gitattributes", 1, 0],
    ["a.txt", 1, 0],
    ["c.txt", 1, 0],
    ["t\tab", 1, 0],
  ]);
  await run("git add -A; git commit -qm x");
  const stat = { verb: "diff", stat: true, rev: "HEAD~1...HEAD" };
  const { stdout } = await server.client.value(GitValue, id, "git", stat, "readonly");
  expect(stdout).toContain("1\t0\ta.txt\n");
});

test.each([{ what: "a file", command: "echo other > c.txt" }])(
  "$what written after the look is not brought back before it is seen",
  afterTheLook,
);
test.each([
  { what: "a new file", command: "echo new > d.txt" },
  { what: "a mode", command: "chmod +x c.txt" },
  { what: "a removed file", command: "rm b.txt" },
  { what: "a history with the same files", command: "git commit -q --allow-empty -m between" },
])("$what changed after the look is not brought back before it is seen", { tags: "long" }, afterTheLook);

async function afterTheLook({ command }: { command: string }): Promise<void> {
  const seen = await look();
  await run(command);
  await refused({ seen });
  await refused({ seen, how: "pick", paths: ["c.txt"] });
  expect(await done({ seen: await look() })).toContain("c.txt");
}

test("a folder with new commits, or on another branch, must be looked at again", {
  tags: "long",
}, async () => {
  const seen = await look();
  git("switch", "-qc", "other");
  await refused({ seen });
  git("switch", "-q", "main");
  await put("b.txt", "theirs\n");
  git("commit", "-qam", "theirs");
  await refused({ seen });
  expect(await done({ seen: await look() })).toEqual(["a.txt", "c.txt"]);
});

test("what is staged and in no file is not brought back either way", { tags: "long" }, async () => {
  await run(
    "evil=$(echo evil | git hash-object -w --stdin); git update-index --cacheinfo 100644,$evil,b.txt",
  );
  await put("a.txt", "before\na\n");
  git("commit", "-qam", "theirs");
  await run("git add c.txt; printf 'a\\n' > a.txt");
  expect(await done({ seen: await look() })).toEqual(["c.txt"]);
  expect(await readFile(join(workspace, "b.txt"), "utf8")).toBe("b\n");
});

test("an ignored file is brought back once it was added by force, was seen, and blocks nothing ignored", {
  tags: "long",
}, async () => {
  await put(".gitignore", "out*\n");
  git("add", ".gitignore");
  git("commit", "-qm", "ignore");
  await done({});
  await run("mkdir out; echo built > out/x; echo built > out-2; echo more >> a.txt");
  const before = await look();
  await run("git add -f out/x; echo later > out/x");
  await refused({ seen: before });
  await put("out", "mine\n");
  expect((await back({ seen: await look() })).body).toMatchObject({ done: false, blocked: ["out/x"] });
  expect(await readFile(join(workspace, "out"), "utf8")).toBe("mine\n");
  await rm(join(workspace, "out"));
  expect(await done({ seen: await look() })).toEqual(["a.txt", "out/x"]);
  expect(await readFile(join(workspace, "out/x"), "utf8")).toBe("later\n");
});

test("picking a file in a folder does not overwrite changes of the file that the folder replaced", async () => {
  await run("rm b.txt; mkdir b.txt; echo in > b.txt/in");
  await put("b.txt", "mine\n");
  const answer = await back({ seen: await look(), how: "pick", paths: ["b.txt/in"] });
  expect(answer.body).toMatchObject({ done: false, blocked: ["b.txt/in"] });
  expect(await readFile(join(workspace, "b.txt"), "utf8")).toBe("mine\n");
});

test("what a background command writes into a merge is not brought back with it", {
  tags: "long",
}, async () => {
  await put("b.txt", "theirs\n");
  git("commit", "-qam", "theirs");
  const [before, seen] = [git("rev-parse", "HEAD"), await look()];
  const command =
    "evil=$(echo evil | git hash-object -w --stdin); folder=$(git rev-parse --git-dir); until [ -e $folder/MERGE_HEAD ]; do :; done; git update-index --add --cacheinfo 100644,$evil,evil.txt --cacheinfo 100644,$evil,b.txt";
  await server.client.value(ExecValue, id, "exec", { command, background: true });
  const answer = await back({ seen });
  await server.client.value(ExecValue, id, "background", { stop: true });
  expect(answer.status).toBe(412);
  expect([git("rev-parse", "HEAD"), git("status", "--short")]).toEqual([before, ""]);
});

test("an unfinished merge that drops the folder's changes is shown with what it would do there", {
  tags: "long",
}, async () => {
  const seen = await look();
  await put("b.txt", "theirs\n");
  git("commit", "-qam", "theirs");
  await run("git stash -q; git merge -q -s ours --no-commit main; git stash pop -q");
  await refused({ seen });
  const state = z.parse(WorktreeState, (await server.client.get(`/sandboxes/${id}/worktree`)).body);
  expect(state).toMatchObject({ behind: 0, uncommitted: true });
  expect(state.files.map(({ path }) => path)).toContain("b.txt");
  expect(await done({ seen: state.seen })).toContain("b.txt");
});

test("conflict decisions are bound to the versions they were made for", { tags: "long" }, async () => {
  await put("a.txt", "theirs\n");
  git("commit", "-qam", "theirs");
  const found = z.parse(BroughtBack, (await back({ seen: await look() })).body);
  expect(found.conflicts).toMatchObject([{ path: "a.txt" }]);
  const choices = { "a.txt": "session" };
  await run("echo unseen > d.txt");
  await refused({ seen: found.seen, choices });
  await run("rm d.txt");
  expect(await done({ seen: found.seen, choices })).toEqual(["a.txt", "c.txt"]);
});

test.each(["session", "folder"])(
  "a file renamed on one side is taken from the %s",
  { tags: "long" },
  async (side) => {
    const lines = Array.from({ length: 20 }, (_, n) => `line ${n}\n`).join("");
    await put("long.txt", lines);
    git("add", "-A");
    git("commit", "-qm", "long");
    expect(await done({ seen: await look() })).toContain("c.txt");
    await run("git mv long.txt moved.txt; sed -i 's/line 3$/mine/' moved.txt");
    await put("long.txt", lines.replace("line 3\n", "theirs\n"));
    git("commit", "-qam", "theirs");
    const { conflicts, seen } = z.parse(BroughtBack, (await back({ seen: await look() })).body);
    expect(conflicts).toMatchObject([{ path: "moved.txt" }]);
    await done({ seen, choices: { "moved.txt": side } });
    expect(await readFile(join(workspace, "moved.txt"), "utf8")).toContain(
      side === "session" ? "mine" : "theirs",
    );
  },
);

test("a repository inside a worktree stays there and is named; everything else is brought back", {
  tags: "long",
}, async () => {
  await run("mkdir -p new/deep && git init -q new/deep && echo h > new/deep/h && echo n > new/n");
  const commit = "git -c user.name=S -c user.email=s@example.com commit -qm first";
  await run(`git init -q vendor && cd vendor && echo v > v && git add v && ${commit}`);
  const state = z.parse(WorktreeState, (await server.client.get(`/sandboxes/${id}/worktree`)).body);
  expect(state.files.map((file) => file.path)).toEqual(["a.txt", "c.txt", "new/n"]);
  expect(state.apart).toEqual(["new/deep/", "vendor/"]);
  expect(await done({ seen: state.seen })).toEqual(["a.txt", "c.txt", "new/n"]);
  expect(git("ls-tree", "-r", "--name-only", "HEAD").split("\n")).toContain("new/n");
  expect(git("ls-tree", "-r", "HEAD")).not.toContain("160000");
  expect(await run("cat new/deep/h vendor/v")).toBe("h\nv");
});

test("a repository that the session added to git is refused by name, and brought back as files", {
  tags: "long",
}, async () => {
  const commit = "git -c user.name=S -c user.email=s@example.com commit -qm first";
  await run(`git init -q vendor && cd vendor && echo v > v && git add v && ${commit}`);
  await run(`git add -A 2>/dev/null; ${commit}`);
  const answer = await back();
  expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
  expect(JSON.stringify(answer.body)).toContain("vendor is a repository of its own");
  expect(git("status", "--short")).toBe("");
  await run("git rm -q --cached vendor && rm -rf vendor/.git");
  expect(await done({})).toEqual(["a.txt", "c.txt", "vendor/v"]);
  expect(await readFile(join(workspace, "vendor/v"), "utf8")).toBe("v\n");
});

test("a file that was deleted in the folder and is in no commit is not put back there", {
  tags: "long",
}, async () => {
  await rm(join(workspace, "a.txt"));
  for (const how of ["pick", "merge"]) {
    const answer = await back({ how, paths: ["a.txt"], seen: await look() });
    expect(answer.body).toMatchObject({ done: false, blocked: ["a.txt"] });
  }
  expect(git("status", "--short")).toBe("D a.txt");
});
