// Around a command: what is held of a repository outside the workspace, and what follows the command's end.
// Without a jail: the mounts are what a jail would get.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { replacedExit } from "../../sandbox/jail/checked-binds.ts";
import { hasEnded } from "../../sandbox/jail/jail-end.ts";
import { Guard } from "../../sandbox/jail/protected-guard.ts";
import { beginGuards, checkStarted, guardedRun } from "../../sandbox/jail/protected-run.ts";
import { replaced } from "../../sandbox/paths/inside.ts";
import { freshFolder, removeFolders } from "./running-server.ts";
import { writers } from "./swept-folder.ts";

const mount = "/workspace";
const options = { writable: true, mount, repositories: [], editors: false };
const value = { exitCode: 0, signal: null, timedOut: false, stdout: "", stderr: "", truncated: false };
afterAll(removeFolders);

describe("of a linked worktree's repository", () => {
  let root: string;
  let common: string;
  let own: string;
  let state: string;
  const { put, repository } = writers(() => "/");
  beforeEach(async () => {
    [root, common, state] = [
      await freshFolder("part"),
      await freshFolder("common"),
      await freshFolder("state"),
    ];
    own = join(common, "worktrees", "w");
    repository(common);
    put(join(own, "HEAD"));
    put(join(own, "commondir"), "../..\n");
    for (const of of [own, common]) {
      repository(join(of, "modules", "lib"));
      put(join(of, "modules", "lib", "gitdir"));
    }
  });
  const guards = () =>
    [own, common].map((folder, index) => new Guard(folder, join(state, `outside${index}`)));
  const begun = (outsideGuards = guards()) =>
    beginGuards(
      {
        ...{ guard: new Guard(root, join(state, "own")), outsideGuards },
        outside: { gitDir: own, commonDir: common, top: root },
      },
      options,
    );

  test("the settings and hooks of its submodules are read-only, compared with what was found, and nothing else is", async () => {
    const { args, places, end } = await begun();
    await end();
    const module = join(own, "modules", "lib");
    const held = ["config", "hooks", "info"].map((name) => join(module, name));
    const mounted = args.flatMap((at, index) => (index % 3 === 2 ? [[args[index - 2], at]] : []));
    expect(mounted).toEqual([["--bind", module], ...held.map((at) => ["--ro-bind", at])]);
    expect(places.map(({ at }) => at)).toEqual([module, ...held]);
  });

  test("what its settings name in the workspace is read-only, its own settings included", async () => {
    put(join(common, "config"), "[core]\n\tfsmonitor = tools/x\n");
    put(join(own, "config.worktree"), "[core]\n\tpager = tools/pager\n");
    for (const name of ["x", "pager"]) put(join(root, "tools", name));
    const { args, end } = await begun();
    await end();
    for (const name of ["x", "pager"]) expect(args).toContain(join(mount, "tools", name));
  });

  test("each of its folders is swept, and the result tells of both", async () => {
    const { end } = await begun();
    put(join(common, "commondir"));
    put(join(own, "config.worktree"));
    const told = (await end()).join("\n");
    for (const path of [join(common, "commondir"), join(own, "config.worktree")]) {
      expect(told).toContain(path.slice(path.lastIndexOf("/") + 1));
      expect(existsSync(path)).toBe(false);
    }
  });

  test("one that cannot be guarded leaves no guard of the others begun", async () => {
    class Full extends Guard {
      override async begin(): Promise<never> {
        put(join(root, "sub", ".vscode", "tasks.json"));
        throw new Error("too much to hold");
      }
    }
    await expect(begun([new Full(own, join(state, "full"))])).rejects.toThrow("too much to hold");
    expect(existsSync(join(root, "sub", ".vscode"))).toBe(false);
  });
});

describe("the sweep begins when nothing of a command runs any more", () => {
  test.each([
    ["also if the command's own process ended before", () => Promise.resolve(value)],
    ["also if the command could not be run", () => Promise.reject(new Error("no such jail"))],
  ])("%s", async (_, result) => {
    const rest = spawn("sleep", ["1000"]);
    onTestFinished(() => void rest.kill("SIGKILL"));
    await once(rest, "spawn");
    const pid = rest.pid ?? 0;
    let ranAtEnd: boolean | undefined;
    const guard = {
      ...{ args: [], places: [] },
      end: async () => {
        ranAtEnd = !hasEnded(pid);
        return ["[swept]"];
      },
    };
    const done = guardedRun(guard, async (gate) => {
      await gate(pid);
      setImmediate(() => rest.kill("SIGKILL"));
      return result();
    });
    await done.then(
      ({ stderr }) => expect(stderr).toBe("[swept]\n"),
      (error) => expect(error).toEqual(new Error("no such jail")),
    );
    expect(ranAtEnd).toBe(false);
  });
});

describe("a command of whose jail only an error is left", () => {
  const failed = (exitCode: number, stderr: string) => ({ ...value, exitCode, stderr });
  test("did not run if a mounted place was replaced, and says so", () => {
    expect(() => checkStarted("true", failed(replacedExit, `${replaced}\n`))).toThrow(replaced);
  });
  test("did not run if bubblewrap says that it could not make one", () => {
    const one = failed(1, "bwrap: Creating new namespace failed\n");
    expect(() => checkStarted("true", one)).toThrow("its jail could not be made");
  });
  test("ran if it starts bubblewrap itself, printed something or ended differently", () => {
    const line = "bwrap: Creating new namespace failed\n";
    checkStarted("bwrap true", failed(1, line));
    checkStarted("true", { ...failed(1, line), stdout: "x" });
    checkStarted("true", failed(2, line));
    checkStarted("true", failed(1, `${line}more\n`));
    checkStarted("true", failed(replacedExit, "Permission denied\n"));
  });
});
