// Whatever a command writes into git's own files, no later command sees a folder of the machine.
// @module-tag long
import { execFileSync } from "node:child_process";
import { appendFile, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { GitValue } from "../../shared/git.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

const person = ["-c", "user.name=P", "-c", "user.email=p@example.org", "-c", "protocol.file.allow=always"];

function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", [...person, "-C", cwd, ...args], { encoding: "utf8", stdio: "pipe" });
}

/** A repository at `base/main` with a folder `app`, a linked worktree at `base/linked`, and a host folder with a secret. */
async function scene() {
  const base = await freshFolder("base");
  const main = join(base, "main");
  await mkdir(join(main, "app"), { recursive: true });
  await writeFile(join(main, "app", "a.txt"), "one\n");
  git(main, "init", "-q", "-b", "main");
  git(main, "add", "-A");
  git(main, "commit", "-qm", "first");
  git(main, "worktree", "add", "-q", join(base, "linked"));
  const host = join(base, "host");
  await mkdir(join(host, "objects"), { recursive: true });
  await mkdir(join(host, "refs"));
  await writeFile(join(host, "HEAD"), "ref: refs/heads/main\n");
  await writeFile(join(host, "config"), "[core]\n\tbare = false\n");
  await writeFile(join(host, "secret.txt"), "secret\n");
  return { base, main, linked: join(base, "linked"), host, names: join(main, ".git", "worktrees", "linked") };
}

async function serve(workspace: string, settings: { state?: string; source?: object } = {}) {
  const server = await RunningServer.start({
    workspace,
    ...(settings.state ? { state: settings.state } : {}),
  });
  const { id } = await server.client.create(settings.source ? { source: settings.source } : {});
  const run = async (command: string, sandbox = id) => {
    const { value, error } = await server.client.call(sandbox, "exec", { command }, "write");
    return error ? { exitCode: -1, stdout: "", stderr: error.code } : z.parse(ExecValue, value);
  };
  return { server, id, run };
}

/** Neither visible nor writable, whatever a command in the sandbox tries. */
async function expectHidden(host: string, run: (command: string) => Promise<{ stdout: string }>) {
  const before = await readdir(host);
  const { stdout } = await run(
    `cat ${host}/secret.txt; ls -A ${host}; touch ${host}/made ${host}/objects/made`,
  );
  expect(stdout).toBe("");
  expect(await readdir(host)).toEqual(before);
  expect(await readdir(join(host, "objects")).catch(() => [])).not.toContain("made");
}

afterAll(removeFolders);

describe("a linked worktree", () => {
  test.each(["commondir", "gitdir"])("whose `%s` a command rewrites", { tags: "long" }, async (name) => {
    const { linked, host, names } = await scene();
    const { server, run } = await serve(linked);
    const wrote = await run(
      `f=${names}/${name}; echo ${host} > $f; rm -f $f; echo ${host} > $f.new; mv $f.new $f`,
    );
    expect(wrote.exitCode).not.toBe(0);
    await expectHidden(host, run);
    expect((await run("git log --format=%s")).stdout).toBe("first\n");
    await server.stop();
  });

  test("whose `commondir` was rewritten before, by a command of an older version or by anybody", {
    tags: "long",
  }, async () => {
    const { linked, host, names } = await scene();
    const { server, id, run } = await serve(linked);
    await writeFile(join(names, "commondir"), `${host}\n`);
    await expectHidden(host, run);
    // Git looks for references where `commondir` says, which only makes the repository useless.
    const log = await server.client.value(GitValue, id, "git", { verb: "log" }, "readonly");
    expect(`${log.stdout}${log.stderr}`).not.toContain("secret");
    await server.stop();
  });

  test("whose `commondir` names the state folder shows no other session", async () => {
    const { linked, names } = await scene();
    const { server, run } = await serve(linked);
    const other = await server.client.create({ source: { sample: true } });
    await writeFile(join(names, "commondir"), `${server.state}/sandboxes\n`);
    expect((await run(`ls -A ${server.state}/sandboxes`)).stdout).toBe("");
    expect((await run(`cat ${server.state}/sandboxes/${other.id}/workspace/README.md`)).stdout).toBe("");
    await server.stop();
  });

  test("whose `.git` file a command redirects, a restart and a new sandbox included", {
    tags: "long",
  }, async () => {
    const { linked, host } = await scene();
    const { server, run } = await serve(linked);
    await writeFile(join(host, "gitdir"), `${linked}/.git\n`);
    await writeFile(join(host, "commondir"), ".\n");
    await run(`echo "gitdir: ${host}" > .git`);
    await expectHidden(host, run);
    await server.stop();
    const next = await serve(linked, { state: server.state });
    await expectHidden(host, next.run);
    await next.server.stop();
  });

  test("inside its repository's folder: without its `.git` file it does not belong to that repository", {
    tags: "long",
  }, async () => {
    const { main } = await scene();
    git(main, "worktree", "add", "-q", join(main, "made"));
    const { server, run } = await serve(join(main, "made"));
    await rm(join(main, "made", ".git"));
    expect((await run("cat ../app/a.txt; touch ../.git/made ../.git/refs/made.lock")).stdout).toBe("");
    expect(await readdir(join(main, ".git"))).not.toContain("made");
    await server.stop();
  });

  test("from state of version 0.2, which recorded no repository, is checked as strictly", {
    tags: "long",
  }, async () => {
    const { linked, host, names } = await scene();
    const { server, id } = await serve(linked);
    await server.stop();
    const folders = join(server.state, "folders");
    for (const name of await readdir(folders))
      await writeFile(join(folders, name, "folder.json"), JSON.stringify({ root: linked }));
    await writeFile(join(names, "commondir"), `${host}\n`);
    const next = await serve(linked, { state: server.state });
    await expectHidden(host, (command) => next.run(command, id));
    expect((await next.run("git --no-pager log --format=%s 2>&1; true", id)).stdout).not.toContain("secret");
    await next.server.stop();
  });

  test("of a repository in a dot folder of the home gets no access to it", { tags: "long" }, async () => {
    const { base } = await scene();
    const dots = join(base, ".dots");
    await mkdir(dots);
    await writeFile(join(dots, "token"), "secret\n");
    git(dots, "init", "-q", "-b", "main");
    git(dots, "add", "-A");
    git(dots, "commit", "-qm", "first");
    git(dots, "worktree", "add", "-q", join(base, "tree"));
    const server = await RunningServer.start({ workspace: join(base, "tree"), env: { HOME: base } });
    const { id } = await server.client.create();
    const ran = await server.client.value(ExecValue, id, "exec", { command: `ls -A ${dots} ${dots}/.git` });
    expect(ran.stdout).toBe("");
    await server.stop();
  });

  test("does not let a command write to the main worktree or other worktrees", async () => {
    const { base, main, linked } = await scene();
    git(main, "worktree", "add", "-q", join(base, "third"));
    const { server, run } = await serve(linked);
    const common = join(main, ".git");
    const before = git(main, "status", "--porcelain=v2", "--branch");
    for (const path of [
      ...["HEAD", "config", "config.worktree", "index", "commondir", "packed-refs", "hooks/pre-commit"],
      ...["info/attributes", "modules", "worktrees/third/HEAD", "worktrees/third/gitdir", "worktrees/fourth"],
    ])
      expect([path, (await run(`echo x >> ${common}/${path}`)).exitCode]).not.toEqual([path, 0]);
    expect(git(main, "status", "--porcelain=v2", "--branch")).toBe(before);
    await server.stop();
  });

  test("ordinary work succeeds: branches, tags, stash, merge, rebase, reset, reflog", async () => {
    const { linked, main } = await scene();
    const { server, run } = await serve(linked);
    const steps = [
      "git checkout -q -b topic && echo two >> app/a.txt && git commit -qam two && git tag v2",
      "echo three >> app/a.txt && git stash -q && git stash pop -q && git commit -qam three",
      "git checkout -q -b other HEAD~1 && echo b > b.txt && git add b.txt && git commit -qm b",
      "git -c rerere.enabled=false merge -q --no-edit topic && git reset -q --hard HEAD~1 && git rebase -q topic",
      "git cherry-pick --allow-empty v2 2>/dev/null || git cherry-pick --abort; git reflog | grep -c . && git fsck",
    ];
    for (const step of steps) expect(await run(step)).toMatchObject({ exitCode: 0 });
    expect(git(main, "log", "--format=%s", "other")).toBe("b\nthree\ntwo\nfirst\n");
    await server.stop();
  });
});

describe("a folder of a larger repository", () => {
  test("in which a command plants a `.git` file", { tags: "long" }, async () => {
    const { main, host } = await scene();
    const root = join(main, "app");
    const planted = join(main, ".git", "worktrees", "planted");
    const { server, run } = await serve(root);
    await run(
      `mkdir -p ${planted}; echo ${root}/.git > ${planted}/gitdir; echo ${host} > ${planted}/commondir; echo "ref: refs/heads/main" > ${planted}/HEAD; echo "gitdir: ${planted}" > .git`,
    );
    await expectHidden(host, run);
    await server.client.create();
    await expectHidden(host, run);
    await server.stop();
  });

  test("accepts commits, and neither configuration nor hooks can be written", async () => {
    const { main } = await scene();
    const { server, run } = await serve(join(main, "app"));
    expect(await run("echo two >> a.txt && git commit -qam two && git tag v2")).toMatchObject({
      exitCode: 0,
    });
    const dir = join(main, ".git");
    for (const name of ["config", "hooks/post-commit", "info/attributes", "worktrees/linked/commondir"])
      expect([name, (await run(`echo x >> ${dir}/${name}`)).exitCode]).not.toEqual([name, 0]);
    expect(git(main, "log", "-1", "--format=%s")).toBe("two\n");
    await server.stop();
  });
});

test("two sandboxes in one repository: what one writes reveals nothing to the other", async () => {
  const { base, host, names } = await scene();
  const { server, run } = await serve(base, { source: { path: "main" } });
  const { id: linked } = await server.client.create({ source: { path: "linked" } });
  await run(`chmod -R u+w .git/worktrees; echo ${host} > .git/worktrees/linked/commondir`);
  await writeFile(join(names, "commondir"), `${host}\n`);
  await expectHidden(host, (command) => run(command, linked));
  // The common folder itself, or parts of it, are links to a folder of the machine.
  for (const name of ["objects", "refs", "logs", "worktrees"]) {
    const path = join(base, "main", ".git", name);
    await rename(path, `${path}.aside`);
    await symlink(host, path);
    await expectHidden(host, (command) => run(command, linked));
    await rm(path);
    await rename(`${path}.aside`, path);
  }
  await rename(join(base, "main", ".git"), join(base, "main", "aside"));
  await symlink(host, join(base, "main", ".git"));
  await expectHidden(host, (command) => run(command, linked));
  await server.stop();
});

test("nested roots: a link that the outer one puts in place of the inner one opens nothing", {
  tags: "long",
}, async () => {
  const { main, host } = await scene();
  const { server, run } = await serve(main);
  const { id: inner } = await server.client.create({ source: { path: "app" } });
  expect((await run("cat a.txt", inner)).stdout).toBe("one\n");
  await run(`mv app aside && ln -s ${host} app`);
  expect(await run("cat secret.txt; ls -A", inner)).toMatchObject({ stdout: "" });
  for (const [op, args] of [
    ["list", {}],
    ["search", { pattern: "secret" }],
    ["snapshot", {}],
    ["git", { verb: "status" }],
  ] as const)
    expect(JSON.stringify(await server.client.call(inner, op, args, "write"))).not.toContain("secret");
  expect(await readdir(host)).toEqual(["HEAD", "config", "objects", "refs", "secret.txt"]);
  await server.stop();
});

test("a submodule whose settings and place only its parent may change", { tags: "long" }, async () => {
  const { base, main, host } = await scene();
  git(main, "clone", "-q", "--bare", main, join(base, "library.git"));
  git(main, "submodule", "--quiet", "add", join(base, "library.git"), "lib");
  const { server, run } = await serve(join(main, "lib"));
  expect(await run("echo two >> app/a.txt && git commit -qam two")).toMatchObject({ exitCode: 0 });
  const dir = join(main, ".git", "modules", "lib");
  expect((await run(`git config core.worktree ${host}; echo x >> ${dir}/config`)).exitCode).not.toBe(0);
  await appendFile(join(dir, "config"), `[core]\n\tworktree = ${host}\n`);
  await expectHidden(host, run);
  await server.stop();
});

test("a workspace whose common folder is not git's gets no repository", {
  tags: "long",
}, async () => {
  const { base, host } = await scene();
  const workspace = join(base, "fresh");
  await mkdir(join(base, "fake", "worktrees", "fresh"), { recursive: true });
  await mkdir(workspace);
  await writeFile(join(workspace, ".git"), `gitdir: ${base}/fake/worktrees/fresh\n`);
  await writeFile(join(base, "fake", "worktrees", "fresh", "gitdir"), `${workspace}/.git\n`);
  await writeFile(join(base, "fake", "worktrees", "fresh", "HEAD"), "ref: refs/heads/main\n");
  await writeFile(join(base, "fake", "secret.txt"), "secret\n");
  // With links to real parts, the folder looks like a common folder.
  for (const name of ["HEAD", "objects", "refs"]) await symlink(join(host, name), join(base, "fake", name));
  const { server, run } = await serve(workspace);
  await expectHidden(join(base, "fake"), run);
  await expectHidden(host, run);
  await server.stop();
});

test("a worktree that a command creates inside the workspace works", async () => {
  const { main } = await scene();
  const { server, run } = await serve(main);
  const commands = "git worktree add -q made && cd made && echo x > x && git add x && git commit -qm x";
  expect(await run(commands)).toMatchObject({ exitCode: 0 });
  expect(git(main, "log", "-1", "--format=%s", "made", "--")).toBe("x\n");
  expect(await readFile(join(main, "made", "x"), "utf8")).toBe("x\n");
  await server.stop();
});
