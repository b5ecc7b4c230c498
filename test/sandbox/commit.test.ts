// Commits that a person makes on the phone: files and hunks of uncommitted changes, once for each key,
// without a model.
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { Committed } from "../../shared/delivery.ts";
import { GitValue } from "../../shared/git.ts";
import { ChangeValue, ExecValue } from "../../shared/sandbox.ts";
import { hostGit } from "./host-git.ts";
import { RunningServer } from "./running-server.ts";
import { servedRepositories } from "./served-repositories.ts";

let server: RunningServer;
let workspace: string;
let id: string;
let keys = 0;

const lines = (changed: Record<number, string> = {}) =>
  Array.from({ length: 40 }, (_, at) => `${changed[at] ?? `line ${at}`}\n`).join("");
const repository = servedRepositories(
  { "a.txt": lines(), "b.txt": "b\n", ".gitignore": "*.log\n" },
  { own: true },
);
const { git, put } = repository;
const run = (command: string) => server.client.value(ExecValue, id, "exec", { command });
const fresh = () => `key-${++keys}`;
const commit = (args: object) =>
  server.client.value(Committed, id, "commit", { key: fresh(), message: "Change it", ...args });
const refusal = (args: object) =>
  server.client.failure(id, "commit", { key: fresh(), message: "Change it", ...args });
const diff = async () =>
  (await server.client.value(GitValue, id, "git", { verb: "diff", since: "HEAD", whose: "own" }, "readonly"))
    .stdout;
const seenOf = (text: string, path: string) =>
  new RegExp(`^diff --git a/${path} .*\\n(?:.+\\n)*?index (\\S+)`, "m").exec(text)?.[1] ?? "";
const headFile = (path: string) => hostGit(repository.home, workspace, "show", `HEAD:${path}`);

beforeEach(async () => {
  ({ server, workspace } = repository);
  id = (await server.client.create({ source: { path: repository.path } })).id;
});

test("two of three files and one hunk of the third are committed; the rest stays uncommitted and unchanged", async () => {
  const changed = { 3: "three", 20: "twenty", 35: "thirty-five" };
  await run("echo new > c.txt; echo more >> b.txt");
  await run("sed -i 's/^line 3$/three/; s/^line 20$/twenty/; s/^line 35$/thirty-five/' a.txt");
  const text = await diff();
  const hunk = { path: "a.txt", seen: seenOf(text, "a.txt"), hunk: 2 };
  const made = await commit({
    paths: ["b.txt", "c.txt"],
    hunks: [hunk],
    message: "Part of it\n\nWith a body.",
  });
  expect(made).toEqual({
    commit: git("rev-parse", "HEAD"),
    branch: "main",
    files: ["a.txt", "b.txt", "c.txt"],
  });
  expect(git("log", "-1", "--format=%an <%ae>|%B")).toBe(
    "Person <person@example.org>|Part of it\n\nWith a body.",
  );
  expect(headFile("a.txt")).toBe(lines({ 20: "twenty" }));
  expect([headFile("b.txt"), headFile("c.txt")]).toEqual(["b\nmore\n", "new\n"]);
  expect(git("status", "--short")).toBe("M a.txt");
  expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe(lines(changed));
});

test("a chosen folder is committed with everything that changed in it, and nothing else", async () => {
  await run("mkdir -p deep/er; echo new > deep/er/c.txt; echo new > deep/d.txt; echo more >> b.txt");
  expect((await commit({ paths: ["deep"] })).files).toEqual(["deep/d.txt", "deep/er/c.txt"]);
  expect(git("status", "--short")).toBe("M b.txt");
});

test("without a choice everything the session changed is committed, and nothing that others did", {
  tags: "long",
}, async () => {
  await put("b.txt", "by an editor\n");
  await run(
    "echo x >> a.txt; mkdir deep; echo new > deep/c.txt; rm .gitignore; echo y > ../outside 2>/dev/null",
  );
  expect((await commit({})).files).toEqual([".gitignore", "a.txt", "deep/c.txt"]);
  expect(git("status", "--short")).toBe("M b.txt");
});

test("what is already staged stays staged, and is only in a commit that chose it", {
  tags: "long",
}, async () => {
  await put("b.txt", "staged\n");
  git("add", "b.txt");
  await run("echo x >> a.txt");
  await commit({ paths: ["a.txt"] });
  expect([headFile("b.txt"), git("diff", "--cached", "--name-only")]).toEqual(["b\n", "b.txt"]);
});

test("a key commits once, whoever repeats it: at the same time, later, and after the server died", async () => {
  await run("echo x >> a.txt; echo y >> b.txt");
  const args = { key: "once", message: "Once", paths: ["a.txt"] };
  const call = () =>
    server.client.results(id, { access: "write", calls: [{ key: "commit-once", op: "commit", args }] });
  const [[one], [two]] = await Promise.all([call(), call()]);
  await server.kill();
  server = await RunningServer.start({
    workspace: repository.served,
    state: server.state,
    env: { HOME: repository.home },
  });
  repository.server = server;
  const [three] = await call();
  // Simulates that its result was lost with the journal.
  const [four] = await server.client.results(id, {
    access: "write",
    calls: [{ key: "commit-once-more", op: "commit", args }],
  });
  expect([one?.ok, two?.value, three?.value]).toEqual([true, one?.value, one?.value]);
  expect(four?.value).toEqual({ commit: git("rev-parse", "HEAD"), branch: "main", files: [] });
  expect(git("log", "--format=%s")).toBe("Once\nfirst");
});

test("a hunk or a file that differs from what the person saw is refused with a message, and nothing is committed", async () => {
  await run("echo x >> a.txt");
  const seen = seenOf(await diff(), "a.txt");
  await run("echo y >> a.txt");
  for (const hunk of [{ hunk: 1 }, {}])
    expect(await refusal({ hunks: [{ path: "a.txt", seen, ...hunk }] })).toMatchObject({
      code: "stale_file",
      message: expect.stringContaining("a.txt has changed since you looked at it"),
    });
  expect((await refusal({ hunks: [{ path: "a.txt", seen }], branch: "new" })).code).toBe("stale_file");
  const now = seenOf(await diff(), "a.txt");
  expect((await refusal({ hunks: [{ path: "a.txt", seen: now, hunk: 2 }] })).code).toBe("not_found");
  expect([git("log", "--format=%s"), git("branch", "--show-current")]).toEqual(["first", "main"]);
});

test("a branch is created when it is named, and the default branch does not move", {
  tags: "long",
}, async () => {
  await run("echo x >> a.txt; echo y >> b.txt");
  const first = await commit({ paths: ["a.txt"], branch: "handrail/limits" });
  await commit({ paths: ["b.txt"], branch: "handrail/limits" });
  expect(first.branch).toBe("handrail/limits");
  expect([
    git("branch", "--show-current"),
    git("log", "--format=%s", "main"),
    git("status", "--short"),
  ]).toEqual(["handrail/limits", "first", ""]);
  expect(git("rev-list", "--count", "main..handrail/limits")).toBe("2");
});

test.each(["-f", "--orphan=x", "a..b", "a b", "refs/heads/x", "HEAD", "@{-1}", "a\0b", "x.lock", "../x"])(
  "a branch named %j is refused",
  async (branch) => {
    await run("echo x >> a.txt");
    const { code, message } = await refusal({ branch });
    expect([code, message]).toEqual(["invalid_request", expect.stringContaining("branch")]);
    expect(git("branch", "--format=%(refname)")).toBe("refs/heads/main");
  },
);

test("a branch that exists with other commits is refused", { tags: "long" }, async () => {
  git("branch", "other");
  await run("echo x >> a.txt; echo y >> b.txt");
  await commit({ paths: ["a.txt"] });
  expect((await refusal({ paths: ["b.txt"], branch: "other" })).message).toContain("is there already");
});

test("a message loses its control characters; an empty one, and a choice without differences, are refused", {
  tags: "long",
}, async () => {
  await run("echo x >> a.txt");
  expect((await refusal({ message: " \u0007\n" })).message).toContain("message: missing");
  expect((await refusal({ paths: ["b.txt"] })).message).toContain("nothing to commit");
  await commit({ message: "\u001b]0;title\u0007Red\u202e text \r\n\r\n\r\n\r\n# kept  \n" });
  expect(git("log", "-1", "--format=%B")).toBe("]0;titleRed text \n\n\n\n# kept");
});

test("hooks, filters and signing settings of the repository start nothing", async () => {
  const program = join(workspace, "..", "left-a-mark");
  const mark = join(repository.served, "mark");
  await writeFile(program, `#!/bin/sh\ntouch ${mark}\ncat\n`);
  await chmod(program, 0o755);
  for (const name of [
    "pre-commit",
    "post-commit",
    "reference-transaction",
    "post-checkout",
    "post-index-change",
  ])
    await writeFile(join(workspace, ".git/hooks", name), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  await put(".gitattributes", "*.txt filter=x\n");
  git("config", "filter.x.clean", program);
  git("config", "commit.gpgSign", "true");
  git("config", "gpg.program", program);
  git("config", "core.fsmonitor", program);
  await run("echo x >> a.txt");
  await rm(mark, { force: true });
  await commit({ paths: ["a.txt"], branch: "handrail/x" });
  expect(existsSync(mark)).toBe(false);
});

test("the first commit of a repository can be made", { tags: "long" }, async () => {
  await rm(join(workspace, ".git"), { recursive: true });
  git("init", "-q", "-b", "main");
  await run("echo x >> a.txt");
  expect((await server.client.get(`/sandboxes/${id}/git`)).body).toMatchObject({
    ...{ branch: "main", head: null, ahead: 0, clean: false },
  });
  const { commit: made, files } = await commit({ paths: ["a.txt", "b.txt"] });
  expect([files, git("status", "--short")]).toEqual([["a.txt", "b.txt"], "?? .gitignore"]);
  expect(git("rev-parse", "HEAD")).toBe(made);
});

test("binary files, links, modes and all kinds of names are committed unchanged", {
  tags: "long",
}, async () => {
  await put("image.bin", Buffer.from([0, 255, 1, 254]));
  await run(
    "printf '\\377\\0x' > image.bin; ln -s b.txt link; chmod +x b.txt; printf z > 'a \"quoted\"\\ttab'; mkdir ./-f; echo x > ./-f/x; echo i > ':(glob)x'",
  );
  expect((await commit({})).files.length).toBe(6);
  expect(git("status", "--short")).toBe("");
  expect(
    git("ls-tree", "HEAD", "link", "b.txt")
      .split("\n")
      .map((row) => row.slice(0, 6)),
  ).toEqual(["100755", "120000"]);
});

test("files of a nested repository are not among what is uncommitted", { tags: "long" }, async () => {
  await mkdir(join(workspace, "within"));
  hostGit(repository.home, join(workspace, "within"), "init", "-q");
  await writeFile(join(workspace, "within/x.txt"), "x\n");
  hostGit(repository.home, join(workspace, "within"), "add", "-A");
  hostGit(repository.home, join(workspace, "within"), "commit", "-qm", "inner");
  git("add", "within");
  git("commit", "-qm", "a submodule of sorts");
  await run("echo more >> within/x.txt; echo y >> b.txt");
  expect((await commit({})).files).toEqual(["b.txt"]);
  // The nested repository gets another commit, so its entry in the outer one changes.
  hostGit(repository.home, join(workspace, "within"), "commit", "-qam", "inner again");
  expect((await refusal({ paths: ["within"] })).message).toContain("within is a repository of its own");
});

test("a change by the model's own tools is committed, and a read-only request commits nothing", {
  tags: "long",
}, async () => {
  await server.client.value(ChangeValue, id, "change", {
    files: [{ path: "made.txt", content: "made\n", base: null }],
  });
  const refused = await server.client.failure(id, "commit", { key: "read", message: "x" }, "readonly");
  expect(refused.code).toBe("readonly");
  expect((await commit({})).files).toEqual(["made.txt"]);
});
