// A workspace whose git repository is elsewhere: linked worktrees, submodules, folders of a larger repository.
// @module-tag long
import { execFileSync } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GitValue } from "../../shared/git.ts";
import { ExecValue, ListValue, SearchValue } from "../../shared/sandbox.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { fileExists, freshFolder, RunningServer, removeFolders } from "./running-server.ts";

const person = ["-c", "user.name=P", "-c", "user.email=p@example.org", "-c", "protocol.file.allow=always"];

function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", [...person, "-C", cwd, ...args], { encoding: "utf8", stdio: "pipe" });
}

async function repository(path: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  git(path, "init", "-q", "-b", "main");
  git(path, "add", "-A");
  git(path, "commit", "-qm", "first");
}

/** Each makes a workspace with a committed file `a.txt`, and returns the place of its repository. */
const places: { name: string; make(base: string): Promise<{ workspace: string; repo: string }> }[] = [
  {
    name: "a linked worktree",
    async make(base) {
      await repository(join(base, "main"), { "a.txt": "one\n" });
      git(join(base, "main"), "worktree", "add", "-q", join(base, "linked"));
      return { workspace: join(base, "linked"), repo: join(base, "main") };
    },
  },
  {
    name: "a submodule",
    async make(base) {
      await repository(join(base, "library"), { "a.txt": "one\n" });
      await repository(join(base, "main"), { "b.txt": "b\n" });
      git(join(base, "main"), "submodule", "--quiet", "add", join(base, "library"), "lib");
      return { workspace: join(base, "main", "lib"), repo: join(base, "main", "lib") };
    },
  },
  {
    name: "a folder of a larger repository",
    async make(base) {
      await repository(join(base, "main"), {
        "root.txt": "root\n",
        "packages/app/a.txt": "one\n",
        ".gitignore": "packages/*/made\n*.log\n",
      });
      return { workspace: join(base, "main", "packages", "app"), repo: join(base, "main") };
    },
  },
];

const machines = [
  { machine: "in the jail", env: {} },
  { machine: "without a jail", env: { HANDRAIL_NO_BWRAP: "1", HANDRAIL_NO_RG: "1" } },
];

afterAll(removeFolders);

describe.each(machines)("$machine", ({ machine, env }) => {
  describe.each(places)("$name", ({ name, make }) => {
    let server: RunningServer;
    let workspace: string;
    let repo: string;
    let id: string;
    const run = (command: string, access: "readonly" | "write" = "write") =>
      server.client.value(ExecValue, id, "exec", { command }, access);
    const verb = (args: Record<string, unknown>, access: "readonly" | "write" = "write") =>
      server.client.value(GitValue, id, "git", args, access);

    beforeAll(async () => {
      ({ workspace, repo } = await make(await freshFolder("base")));
      server = await RunningServer.start({ workspace, env });
      id = (await server.client.create()).id;
    });
    afterAll(async () => {
      await server.stop();
    });

    test("git can be read and not written", async () => {
      await writeFile(join(workspace, "a.txt"), "two\n");
      expect((await run("git log --oneline", "readonly")).stdout).toContain("first");
      expect((await run("git diff", "readonly")).stdout).toContain("+two");
      expect((await verb({ verb: "diff" }, "readonly")).stdout).toContain("+++ b/a.txt");
      expect((await verb({ verb: "status" }, "readonly")).stdout).toContain(" M a.txt");
      const refused = await server.client.call(id, "exec", { command: "git commit -qam no" }, "readonly");
      expect(refused.ok && refused.value && (refused.value as ExecValue).exitCode === 0).toBe(false);
      expect(git(repo, "log", "--oneline", "--all")).not.toContain("no");
    });

    test("a command and the op `git` commit", async () => {
      await writeFile(join(workspace, "a.txt"), "three\n");
      await writeFile(join(workspace, "new.txt"), "new\n");
      const identity = machine === "in the jail" ? "" : `${person.slice(0, 4).join(" ")} `;
      expect(await run(`git add a.txt && git ${identity}commit -qm by-command`)).toMatchObject({
        exitCode: 0,
      });
      expect((await verb({ verb: "add" })).exitCode).toBe(0);
      expect(await verb({ verb: "commit", message: "by-op" })).toMatchObject({ exitCode: 0 });
      expect(git(workspace, "log", "--format=%s")).toBe("by-op\nby-command\nfirst\n");
      expect(git(workspace, "status", "--short")).toBe("");
    });

    test("no command gives the repository a hook or a setting that runs a program", async () => {
      if (machine === "without a jail") return;
      await run(
        'd=$(git rev-parse --git-common-dir); echo "touch owned" > $d/hooks/post-commit; chmod +x $d/hooks/post-commit; git config core.fsmonitor ./evil; git config --worktree core.fsmonitor ./evil; mv $d/hooks $d/old; mkdir -p $d/hooks && echo x > $d/hooks/pre-commit',
      );
      const dir = git(workspace, "rev-parse", "--path-format=absolute", "--git-common-dir").trim();
      expect(fileExists(join(dir, "hooks", "post-commit"))).toBe(false);
      expect(fileExists(join(dir, "hooks", "pre-commit"))).toBe(false);
      expect(await readFile(join(dir, "config"), "utf8")).not.toContain("evil");
    });

    test("a restore returns its files and leaves index and refs alone", async () => {
      const { snapshot } = await server.client.value(SnapshotValue, id, "snapshot", {});
      const before = [git(repo, "show-ref"), git(workspace, "ls-files", "-s")];
      await run("rm a.txt; echo more > more.txt");
      await server.client.value(SnapshotValue, id, "restore", { snapshot });
      expect((await run("cat a.txt; ls")).stdout).toBe("three\na.txt\nnew.txt\n");
      expect([git(repo, "show-ref"), git(workspace, "ls-files", "-s")]).toEqual(before);
    });

    if (name !== "a folder of a larger repository") return;

    test("only the workspace counts: nothing beside it is shown as changed, staged or committed", async () => {
      await writeFile(join(repo, "root.txt"), "the person's\n");
      git(repo, "add", "root.txt");
      await writeFile(join(workspace, "a.txt"), "four\n");
      expect((await verb({ verb: "status" }, "readonly")).stdout).not.toContain("root.txt");
      expect((await verb({ verb: "diff" }, "readonly")).stdout).not.toContain("root.txt");
      await verb({ verb: "add" });
      await verb({ verb: "commit", message: "mine" });
      expect(git(repo, "show", "--name-only", "--format=", "HEAD")).toBe("packages/app/a.txt\n");
      expect(git(repo, "status", "--short")).toBe("M  root.txt\n");
      // A model would type this command. The whole larger repository is visible, so nothing looks deleted.
      const identity = machine === "in the jail" ? "" : `${person.slice(0, 4).join(" ")} `;
      await run(`git add -A && git ${identity}commit -qm all`);
      expect(git(repo, "show", "--name-status", "--format=", "HEAD")).toBe("M\troot.txt\n");
    });

    test("parent folders can be read by commands and, in the jail, written by none", async () => {
      if (machine === "without a jail") return;
      expect((await run("cat ../../root.txt")).stdout).toBe("the person's\n");
      expect((await run("echo x > ../../root.txt; touch ../../new")).exitCode).not.toBe(0);
      expect((await server.client.failure(id, "read", { path: "../../root.txt" })).code).toBe("path_escape");
    });

    test("what parent .gitignore files name is in no list, search or snapshot, and a restore leaves it", async () => {
      await mkdir(join(workspace, "made"));
      await writeFile(join(workspace, "made", "big.txt"), "needle\n");
      await writeFile(join(workspace, "x.log"), "needle\n");
      await writeFile(join(workspace, "new.txt"), "needle\n");
      // Above the repository, no ignore rules apply.
      await writeFile(join(dirname(repo), ".gitignore"), "new.txt\n");
      const { entries } = await server.client.value(ListValue, id, "list", {});
      expect(entries.map(({ path }) => path)).toEqual(["a.txt", "new.txt"]);
      const { matches } = await server.client.value(SearchValue, id, "search", { pattern: "needle" });
      expect(matches.map(({ path }) => path)).toEqual(["new.txt"]);
      const { snapshot } = await server.client.value(SnapshotValue, id, "snapshot", {});
      await run("echo later > x.log");
      await server.client.value(SnapshotValue, id, "restore", { snapshot });
      expect((await run("cat x.log made/big.txt")).stdout).toBe("later\nneedle\n");
    });
  });
});

test("a .git that points to somebody else's repository opens nothing", async () => {
  const base = await freshFolder("base");
  await repository(join(base, "theirs"), { "secret.txt": "secret\n" });
  for (const [name, put] of [
    ["file", (path: string) => writeFile(path, `gitdir: ${join(base, "theirs", ".git")}\n`)],
    ["link", (path: string) => symlink(join(base, "theirs", ".git"), path)],
  ] as const) {
    const workspace = join(base, name);
    await mkdir(workspace);
    await put(join(workspace, ".git"));
    const server = await RunningServer.start({ workspace });
    const { id } = await server.client.create();
    const shown = await server.client.value(GitValue, id, "git", { verb: "show", rev: "HEAD" });
    expect(shown).toMatchObject({ exitCode: 128, stdout: "" });
    const ran = await server.client.value(ExecValue, id, "exec", {
      command: `git show HEAD; cat ${join(base, "theirs", "secret.txt")}; touch ${join(base, "theirs", ".git", "x")}`,
    });
    expect(ran.stdout).toBe("");
    expect(ran.exitCode).not.toBe(0);
    expect(fileExists(join(base, "theirs", ".git", "x"))).toBe(false);
    await server.stop();
  }
});

test("a home folder that is itself a repository is not shown just for git", async () => {
  const home = await freshFolder("home");
  await repository(home, { ".secret": "secret\n", "project/a.txt": "one\n" });
  const server = await RunningServer.start({ workspace: join(home, "project"), env: { HOME: home } });
  const { id } = await server.client.create();
  const ran = await server.client.value(ExecValue, id, "exec", { command: "cat ../.secret; git log" });
  expect(ran.stdout).toBe("");
  expect(await server.client.value(GitValue, id, "git", { verb: "log" })).toMatchObject({ exitCode: 128 });
  await server.stop();
});

test("a state folder inside the larger repository stays hidden", async () => {
  const base = await freshFolder("base");
  await repository(base, { "app/a.txt": "one\n", ".gitignore": ".handrail\n" });
  const state = join(base, ".handrail");
  await mkdir(state);
  const server = await RunningServer.start({ workspace: join(base, "app"), state });
  const { id } = await server.client.create();
  const ran = await server.client.value(ExecValue, id, "exec", {
    command: `git log --oneline && ls -A ${state} && cat ${state}/gitconfig`,
  });
  expect(ran.stdout).toMatch(/^\w+ first\n$/);
  expect(ran.exitCode).not.toBe(0);
  await server.stop();
});

test.each(machines)("$machine, git's error messages name no path of the machine", async ({ env }) => {
  const workspace = await freshFolder("workspace");
  await mkdir(join(workspace, ".git"));
  const server = await RunningServer.start({ workspace, env });
  const { id } = await server.client.create();
  const status = await server.client.value(GitValue, id, "git", { verb: "status" });
  expect(status.exitCode).toBe(128);
  expect(status.stderr).toMatch(/^fatal: not a git repository: '(workspace\/)?\.git'$/m);
  expect(status.stderr).not.toContain(dirname(workspace));
  await server.stop();
});
