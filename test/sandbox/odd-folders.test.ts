// Folders that are hard to read hide nothing from the sweep after a command: names that are not UTF-8, and
// folders that can be entered but not listed by a server that is not root.
// @module-tag long
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit, newHome } from "./host-git.ts";
import { builtServer, freshFolder, RunningServer, removeFolders } from "./running-server.ts";

/** A user id that need not exist on this machine. */
const stranger = 54_321;
const isRoot = process.getuid?.() === 0;
let server: RunningServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
  await removeFolders();
});

interface Scene {
  uid?: number;
  prepare?: (root: string) => void;
  /** The server's state folder, if it is not next to the workspace. */
  elsewhere?: string;
}

async function scene({ uid, prepare, elsewhere }: Scene = {}) {
  const workspace = await freshFolder("workspace");
  const base = dirname(workspace);
  const home = newHome(base);
  const mark = join(base, "mark");
  hostGit(home, workspace, "init", "-q");
  writeFileSync(join(workspace, "evil"), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  prepare?.(workspace);
  const state = elsewhere ?? join(base, "state");
  mkdirSync(state, { recursive: true });
  const file = join(base, "sandbox.mjs");
  cpSync(await builtServer(), file);
  if (uid !== undefined) execFileSync("chown", ["-R", `${uid}:${uid}`, base]);
  const started = await RunningServer.start({
    ...{ workspace, state, file, env: { HOME: home } },
    ...(uid === undefined ? {} : { uid }),
  });
  server = started;
  const { id } = await started.client.create();
  const run = (command: string) => started.client.value(ExecValue, id, "exec", { command });
  /** The host's git, in a folder that only a shell can name. */
  const status = (folder: string) => {
    const user = uid === undefined ? {} : { uid, gid: uid };
    const env = { PATH: process.env.PATH ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
    const script = `cd "$(printf '${folder}')" && { git status; git commit -qm x --allow-empty; }; true`;
    execFileSync("bash", ["-c", script], { cwd: workspace, env, stdio: "ignore", ...user });
    return existsSync(mark);
  };
  return { workspace, state, run, status };
}

const planted = (folder: string) =>
  `git init -q "${folder}" && printf '[core]\\nfsmonitor=%s/evil\\n' $PWD >> "${folder}/.git/config"; cp evil "${folder}/.git/hooks/pre-commit"`;

describe("a folder whose name is not UTF-8", () => {
  test("hides no repository, no `.git` file and no editor settings", async () => {
    const { workspace, run, status } = await scene();
    const { stderr } = await run(
      `D=$(printf 'e\\377'); ${planted("$D")}; mkdir -p "$D/.vscode" sub; echo x > "$D/.vscode/tasks.json"; printf 'gitdir: ../e\\377/.git\\n' > sub/.git`,
    );
    expect(stderr).toContain("[taken out by the sandbox: e?/.git/config (");
    expect(stderr).toContain("[taken out by the sandbox: e?/.vscode (");
    expect(status("e\\377")).toBe(false);
    expect(status("sub")).toBe(false);
    const path = Buffer.concat([Buffer.from(`${workspace}/e`), Buffer.from([0xff])]);
    expect(readdirSync(path)).toEqual([".git"]);
    expect((await run("echo next")).stdout).toBe("next\n");
  });

  test("keeps the person's repository and settings unchanged, and a command changes neither", async () => {
    const { workspace, run, status } = await scene({
      prepare: (root) => {
        const set = `D=$(printf 'e\\377'); git init -q "$D"; git -C "$D" config alias.st status; printf '#!/bin/sh\\n' > "$D/.git/hooks/post-commit"; mkdir "$D/.idea"; echo mine > "$D/.idea/x"`;
        execFileSync("bash", ["-c", set], { cwd: root });
      },
    });
    const text = () =>
      execFileSync("bash", ["-c", `cat e*/.git/config e*/.git/hooks/post-commit e*/.idea/x`], {
        cwd: workspace,
      }).toString();
    const before = text();
    expect((await run("echo x > a.txt")).stderr).toBe("");
    expect(text()).toBe(before);
    await run(`D=$(printf 'e\\377'); ${planted("$D")}; echo evil > "$D/.idea/y"`);
    expect(status("e\\377")).toBe(false);
    expect(readdirSync(Buffer.from(`${workspace}/e\xff`, "latin1"))).toEqual([".git"]);
  });

  test("is taken out whole to a state folder on another disk", async () => {
    const elsewhere = mkdtempSync("/dev/shm/handrail-test-");
    onTestFinished(() => rmSync(elsewhere, { recursive: true }));
    const { workspace, run, state } = await scene({ elsewhere });
    expect(statSync(state).dev).not.toBe(statSync(workspace).dev);
    await run(
      `mkdir v; echo x > v/$(printf 'f\\376'); echo y > v/plain; touch -- v/-rf "v/$(printf 'a\\nb')"; mv v .vscode`,
    );
    expect(existsSync(join(workspace, ".vscode"))).toBe(false);
    const kept = execFileSync("find", [state, "-path", "*/taken-out/*/it/*"]).toString("latin1");
    for (const name of ["f\xfe", "plain", "-rf", "a\nb"]) expect(kept).toContain(`/it/${name}`);
  });
});

describe.runIf(isRoot)("for a server that is not root", () => {
  test.each([
    ["a git folder that cannot be listed", `${planted("sub")}; chmod 0311 sub/.git`],
    [
      "a folder above it that cannot be listed",
      `mkdir p; ${planted("p/sub")}; mkdir p/.vscode; echo x > p/.vscode/t; chmod 0311 p p/sub`,
    ],
    [
      "one that can be listed and not entered",
      `${planted("sub")}; mkdir q; ${planted("q/sub")}; chmod 0444 q/sub q; chmod 0111 sub`,
    ],
    ["hooks that cannot be listed", `${planted("sub")}; chmod 0311 sub/.git/hooks`],
  ])("%s hides nothing", async (_, command) => {
    const { workspace, run, status } = await scene({ uid: stranger });
    await run(command);
    for (const folder of ["sub", "p/sub"]) expect(status(folder)).toBe(false);
    expect(existsSync(join(workspace, "p", ".vscode"))).toBe(false);
    expect((await run("echo next")).stdout).toBe("next\n");
  });

  test("another user's folder that cannot be listed is read-only", async () => {
    const { workspace, run } = await scene({ uid: stranger });
    const open = join(workspace, "theirs", "open");
    mkdirSync(open, { recursive: true });
    chmodSync(open, 0o777);
    chmodSync(dirname(open), 0o711);
    expect((await run("mkdir theirs/open/.vscode")).exitCode).not.toBe(0);
    expect(readdirSync(open)).toEqual([]);
    expect(statSync(dirname(open)).mode & 0o777).toBe(0o711);
  });
});
