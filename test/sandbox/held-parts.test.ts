// The parts of git folders that start programs, name addresses or say where other parts are: a command cannot
// change those that exist, whether the repository is in the workspace or outside of it, nor those that an
// earlier command made in the workspace's own folder.
// @module-tag long
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hold } from "../../sandbox/jail/protected-mounts.ts";
import { heldEntries } from "../../sandbox/limits.ts";
import { WorkspaceScanner } from "../../sandbox/workspace/scan.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let base: string;
let home: string;
const git = (cwd: string, ...args: string[]) => hostGit(home, cwd, ...args);
beforeAll(async () => {
  base = await freshFolder("served");
  home = newHome(dirname(base));
  server = await RunningServer.start({ workspace: base });
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

let made = 0;
/** A repository with a commit, in a served folder of its own. */
function repository(): string {
  const name = `r${++made}`;
  const root = join(base, name);
  mkdirSync(join(root, "part"), { recursive: true });
  git(root, "init", "-q");
  writeFileSync(join(root, "part", "a.txt"), "one\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  return root;
}
async function sandboxIn(root: string) {
  const { id } = await server.client.create({ source: { path: root.slice(base.length + 1) } });
  return (command: string, access: "readonly" | "write" = "write") =>
    server.client.value(ExecValue, id, "exec", { command }, access);
}

const parts = ["config", "hooks", "info", "modules", "branches", "remotes"];
const inFolders = new Set(["hooks", "info", "modules", "branches", "remotes"]);
/** The file by which a part is changed. */
const fileOf = (part: string) => (inFolders.has(part) ? `${part}/x` : part);

/**
 * Each of `files` exists and cannot be written, replaced or moved away; its text stays. `seen`: where a command
 * sees the folder.
 */
async function staysAsItIs(
  run: (command: string) => Promise<ExecValue>,
  folder: string,
  files: readonly string[],
  seen = folder,
) {
  const texts = () => files.map((file) => [file, readFileSync(join(folder, file), "utf8")]);
  const before = texts();
  const change = "echo more >> $F; mv $F $F-away; rm $F; echo other > $F-new && mv $F-new $F";
  await run(`for F in ${files.map((file) => join(seen, file)).join(" ")}; do ${change}; done`);
  expect(texts()).toEqual(before);
}

/** Nothing is made in any of the folders. */
async function takesNothing(
  run: (command: string, access: "readonly" | "write") => Promise<ExecValue>,
  folders: readonly string[],
  access: "readonly" | "write",
) {
  const { stdout } = await run(`for D in ${folders.join(" ")}; do touch $D/made && echo $D; done`, access);
  expect(stdout).toBe("");
}

describe("a command changes no part of", () => {
  test.each([
    ["the workspace's own repository", ".git", ""],
    ["one below it", "nested/.git", "nested"],
    ["a bare one", "bare.git", ""],
  ])("%s", async (_, folder, top) => {
    const root = repository();
    if (top !== "") git(root, "init", "-q", top);
    if (folder === "bare.git") git(root, "init", "-q", "--bare", folder);
    // The folders of submodules are held one by one.
    const files = [...parts, "config.worktree", "commondir", "gitdir"]
      .filter((part) => part !== "modules")
      .map(fileOf);
    mkdirSync(join(root, folder, "modules"), { recursive: true });
    for (const file of files.filter((file) => file !== "config")) {
      mkdirSync(dirname(join(root, folder, file)), { recursive: true });
      writeFileSync(join(root, folder, file), ".\n");
    }
    const run = await sandboxIn(root);
    await staysAsItIs(run, join(root, folder), files, folder);
    // The folders themselves stay in their place.
    for (const part of inFolders) expect((await run(`mv ${folder}/${part} away`)).exitCode).not.toBe(0);
    expect((await run(`mv ${folder} away`)).exitCode).not.toBe(0);
  });

  test("a larger repository that the workspace is a folder of", async () => {
    const root = repository();
    const folder = join(root, ".git");
    git(root, "worktree", "add", "-q", join(base, `w${made}`));
    const files = [...parts.map(fileOf), `worktrees/w${made}/gitdir`, "config.worktree"];
    git(root, "config", "extensions.worktreeConfig", "true");
    for (const file of parts.map(fileOf).filter((file) => file !== "config")) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), "x\n");
    }
    writeFileSync(join(folder, "config.worktree"), "");
    const run = await sandboxIn(join(root, "part"));
    await staysAsItIs(run, folder, files);
    await takesNothing(run, [root], "write");
    await takesNothing(run, [root, folder, join(folder, "objects"), join(folder, "refs")], "readonly");
    expect((await run("echo two > a.txt && git commit -qam two")).exitCode).toBe(0);
  });

  test("the repository of a linked worktree, its own folder there included", async () => {
    const root = repository();
    const linked = join(base, `w${made}`);
    git(root, "worktree", "add", "-q", linked);
    git(root, "config", "extensions.worktreeConfig", "true");
    const own = join(root, ".git", "worktrees", `w${made}`);
    const files = [...parts.map(fileOf), "commondir", "gitdir", "config.worktree"];
    for (const file of files.filter((file) => !existsSync(join(own, file)))) {
      mkdirSync(dirname(join(own, file)), { recursive: true });
      writeFileSync(join(own, file), "");
    }
    const run = await sandboxIn(linked);
    await staysAsItIs(run, own, files);
    await staysAsItIs(run, join(root, ".git"), ["config", "HEAD", "index", `worktrees/w${made}/gitdir`]);
    const common = join(root, ".git");
    await takesNothing(run, [common], "write");
    await takesNothing(
      run,
      [own, ...["objects", "refs", "logs"].map((name) => join(common, name))],
      "readonly",
    );
    expect((await run("echo two > part/a.txt && git commit -qam two")).exitCode).toBe(0);
  });
});

describe("what a later command can change of what an earlier one made", () => {
  test.each([
    ["a repository in the workspace itself", "git init -q", ".git/config"],
    ["a bare one in the workspace itself", "git init -q --bare .", "config"],
  ])("not %s", async (_, make, config) => {
    const root = join(base, `r${++made}`);
    mkdirSync(root);
    const run = await sandboxIn(root);
    expect((await run(make)).exitCode).toBe(0);
    const before = readFileSync(join(root, config), "utf8");
    expect((await run(`echo '[user]' >> ${config}`)).exitCode).not.toBe(0);
    expect(readFileSync(join(root, config), "utf8")).toBe(before);
  });

  test("not a `.git` file of the person's, whatever commands ran before", async () => {
    const root = repository();
    git(root, "init", "-q", "--separate-git-dir", join(root, "sub.git"), "sub");
    const run = await sandboxIn(root);
    await run("true");
    expect((await run("echo gitdir: ../.git > sub/.git")).exitCode).not.toBe(0);
  });

  test("a repository and a copy of settings, until the person changes them", async () => {
    const root = repository();
    mkdirSync(join(root, ".vscode"));
    writeFileSync(join(root, ".vscode", "tasks.json"), "{}\n");
    const run = await sandboxIn(root);
    await run("git init -q n; mkdir sub; cp -r .vscode sub/");
    const change = ["git -C n config user.name x", "echo >> sub/.vscode/tasks.json; rm -r sub/.vscode"];
    for (const command of change) expect((await run(command)).exitCode).toBe(0);
    await run("mkdir -p sub; cp -r .vscode sub/");
    git(join(root, "n"), "config", "user.name", "Person");
    writeFileSync(join(root, "sub", ".vscode", "tasks.json"), "[]\n");
    for (const command of change) expect((await run(command)).exitCode).not.toBe(0);
    expect(git(join(root, "n"), "config", "user.name")).toBe("Person\n");
    expect(readFileSync(join(root, "sub", ".vscode", "tasks.json"), "utf8")).toBe("[]\n");
  });
});

describe("while the command still runs,", () => {
  test.each([
    ["settings of editors directly in the workspace", ".vscode"],
    ["git's old place for remotes in the repository", ".git/remotes"],
    ["a commondir in the repository", ".git/commondir"],
    ["one as folders that ignore case would find it", ".git/CommonDir"],
  ])("%s are put aside, and the result names them", async (_, path) => {
    const run = await sandboxIn(repository());
    const { stdout, stderr } = await run(
      `mkdir ${path}; while test -e ${path}; do sleep 0.02; done; echo gone`,
    );
    expect(stdout).toBe("gone\n");
    expect(stderr).toContain(`[taken out by the sandbox: ${path} (`);
    expect((await run("find . -name '.handrail-tmp-*'")).stdout).toBe("");
  });
});

test("more repositories, settings and sockets than can be held are refused, and the command does not run", async () => {
  const root = await freshFolder("many");
  for (let n = 0; n <= heldEntries; n += 1) {
    mkdirSync(join(root, `d${n}`));
    writeFileSync(join(root, `d${n}`, ".envrc"), "");
  }
  const found = await new WorkspaceScanner(root).scan();
  const options = { root, mount: "/workspace", editors: false, named: [], ours: () => false };
  expect(() => hold(found, options)).toThrow(`more than ${heldEntries} repositories`);
  const fewer = { ...found, editors: found.editors.slice(1) };
  expect(hold(fewer, options).args).toHaveLength(3 * heldEntries);
});
