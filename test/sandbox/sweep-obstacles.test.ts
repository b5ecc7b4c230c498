// Obstacles to the sweep after a command affect nothing else, and no later command.
// @module-tag long
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { gitEverywhere, hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders, until } from "./running-server.ts";

/** Makes a repository in `sub` whose settings start a program. */
const planted = "git init -q sub; git -C sub config core.fsmonitor $PWD/evil";

describe("a command that leaves programs behind", () => {
  let server: RunningServer;
  let home: string;
  let workspace: string;
  let id: string;
  let mark: string;
  beforeEach(async () => {
    workspace = await freshFolder("workspace");
    home = newHome(dirname(workspace));
    mark = join(dirname(workspace), "mark");
    hostGit(home, workspace, "init", "-q");
    writeFileSync(join(workspace, "evil"), `#!/bin/sh\ntouch '${mark}'\n`);
    chmodSync(join(workspace, "evil"), 0o755);
    hostGit(home, workspace, "add", "-A");
    hostGit(home, workspace, "commit", "-qm", "first");
    server = await RunningServer.start({ workspace });
    id = (await server.client.create()).id;
  });
  afterEach(async () => {
    await server.stop();
    await removeFolders();
  });
  const run = (command: string) => server.client.value(ExecValue, id, "exec", { command });
  const nothingRan = async () => {
    gitEverywhere(home, workspace);
    expect(existsSync(mark)).toBe(false);
    expect((await run("echo next")).stdout).toBe("next\n");
  };

  test("and a settings section with the name of a property that every object has", async () => {
    await run(`${planted}; printf '[constructor]\\nx=1\\n' >> sub/.git/config`);
    await nothingRan();
  });

  test("and a folder deeper than any path can be", { tags: "long" }, async () => {
    const name = "d".repeat(200);
    await run(
      `${planted}; mkdir deep; cd deep; for i in $(seq 60); do mkdir ${name}; cd -P ${name}; done; git init -q`,
    );
    await nothingRan();
  });

  test("and removes a link's folder, or redirects it to the outside", { tags: "long" }, async () => {
    mkdirSync(join(workspace, "d"));
    const outside = await freshFolder("outside");
    symlinkSync("../evil", join(workspace, "d", ".vimrc"));
    await run(`${planted}; mv d d2; ln -s ${outside} d`);
    expect(existsSync(join(outside, ".vimrc"))).toBe(false);
    await nothingRan();
  });

  test("and a repository among git's objects, to which a `.git` file points", { tags: "long" }, async () => {
    await run(
      `git init -q x; git -C x config core.fsmonitor $PWD/evil; mkdir -p .git/objects/ab; mv x/.git .git/objects/ab/evil; mkdir sub; echo "gitdir: $PWD/.git/objects/ab/evil" > sub/.git`,
    );
    await nothingRan();
  });

  test("and a rebase list that is too long to be read", { tags: "long" }, async () => {
    const dir = ".git/rebase-merge";
    await run(
      `mkdir ${dir}; git rev-parse HEAD | tee ${dir}/onto > ${dir}/orig-head; echo refs/heads/main > ${dir}/head-name; touch ${dir}/interactive; { yes '# a line that says nothing' | head -n 60000; echo "exec $PWD/evil"; } > ${dir}/git-rebase-todo`,
    );
    await nothingRan();
  });

  test("while the person changes a git setting, which lifts the protection of the settings", {
    tags: "long",
  }, async () => {
    const running = run(
      `touch begun; until grep -q words .git/config; do sleep 0.05; done; printf '[core]\\nfsmonitor=%s/evil\\n' $PWD >> .git/config`,
    );
    // The host's git writes only after the command has begun and its settings are protected.
    await expect.poll(() => existsSync(join(workspace, "begun"))).toBe(true);
    hostGit(home, workspace, "config", "branch.main.description", "my words");
    await running;
    const settings = readFileSync(join(workspace, ".git", "config"), "utf8");
    expect(settings).toContain("my words");
    expect(settings).not.toContain("fsmonitor");
    await nothingRan();
  });
});

test("nobody waits for the removal of what a command nested too deep, and the next server finishes it", async () => {
  const workspace = await freshFolder("workspace");
  const state = await freshFolder("state");
  const tools = await freshFolder("tools");
  const go = join(dirname(tools), "go");
  writeFileSync(
    join(tools, "rm"),
    `#!/bin/sh\ncase "$*" in *removed-*) until [ -e '${go}' ]; do sleep 0.02; done;; esac\nexec /bin/rm "$@"\n`,
    { mode: 0o755 },
  );
  const left = () =>
    execFileSync("find", [state, "-maxdepth", "4", "-name", "taken-out*-*"], { encoding: "utf8" });
  const slow = await RunningServer.start({ workspace, state, env: { PATH: `${tools}:${process.env.PATH}` } });
  const { id } = await slow.client.create();
  const command = `perl -e 'for (1..3000) { mkdir "d"; chdir "d" }'`;
  const value = await slow.client.value(ExecValue, id, "exec", { command });
  expect(value.stderr).toContain("removed for good");
  expect(left()).not.toBe("");
  await slow.kill();
  const server = await RunningServer.start({ workspace, state });
  await until(() => left() === "");
  writeFileSync(go, "");
  await server.stop();
  await removeFolders();
});

test.runIf(process.getuid?.() === 0)(
  "a command cannot change the kernel, whoever runs the server",
  async () => {
    const server = await RunningServer.start();
    const { id } = await server.client.create();
    const files = ["sys/kernel/core_pattern", "sys/vm/overcommit_memory", "sys/kernel/pid_max", "mtrr"];
    // The files are opened for writing, but nothing is written.
    const command = files.map((name) => `(: >> /proc/${name}) 2>/dev/null && echo ${name}`).join("; ");
    for (const access of ["readonly", "write"] as const) {
      const { stdout } = await server.client.value(
        ExecValue,
        id,
        "exec",
        { command: `${command}; true` },
        access,
      );
      expect(stdout).toBe("");
    }
    await server.stop();
    await removeFolders();
  },
);

test("what a background command left is taken out even if its server was killed", async () => {
  const workspace = await freshFolder("workspace");
  const first = await RunningServer.start({ workspace });
  const { id } = await first.client.create();
  const command = `git init -q sub; git -C sub config core.fsmonitor $PWD/evil; mkdir sub/.zed; echo done; sleep 1000`;
  await first.client.value(ExecValue, id, "exec", { command, background: true });
  await until(() => existsSync(join(workspace, "sub", ".zed")));
  await first.kill();
  const next = await RunningServer.start({ workspace, state: first.state });
  const { stdout } = await next.client.value(ExecValue, id, "exec", {
    command: "cat sub/.git/config; ls -A sub",
  });
  expect(stdout).toMatch(/repositoryformatversion[\s\S]*\n\.git\n$/);
  expect(stdout).not.toContain("fsmonitor");
  await next.stop();
  await removeFolders();
});
