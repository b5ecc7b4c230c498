// What the guard of a folder remembers from one command to the next, also if its server is killed meanwhile.
// Without a jail: a change here is what a command would do between the guard's beginning and its end.
// @module-tag long
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { Guard } from "../../sandbox/jail/protected-guard.ts";
import { isSteady } from "../../sandbox/jail/running-holds.ts";
import { heldEntries, takenOutEntries } from "../../sandbox/limits.ts";
import { mustBeSteady } from "../../sandbox/worktrees/repository-git.ts";
import { freshFolder, removeFolders, until } from "./running-server.ts";
import { writers } from "./swept-folder.ts";

const mount = "/workspace";
let root: string;
let state: string;
let guard: Guard;
beforeEach(async () => {
  [root, state] = [await freshFolder("workspace"), await freshFolder("state")];
  guard = new Guard(root, state);
});
afterAll(removeFolders);

const { at, put, repository } = writers(() => root, "{}\n");
const options = { writable: true, mount, repositories: [], editors: false };
/** What a command leaves; returns the lines about what was taken out. */
async function command(change: () => void | Promise<void>, more: object = {}) {
  const run = await guard.begin({ ...options, ...more });
  await change();
  return (await run.end()).join("\n");
}
/** The paths that a command cannot write now. */
async function held(more: object = {}) {
  const { args, end } = await guard.begin({ ...options, ...more });
  await end();
  return args.flatMap((arg, n) => (arg === "--ro-bind" ? [args[n + 2]?.slice(mount.length + 1)] : [])).sort();
}

test("what a command must not leave is taken out, and its result says so", async () => {
  expect(await command(() => put("sub/.vscode/tasks.json"))).toContain("sub/.vscode");
  expect([existsSync(at("sub/.vscode")), await guard.takenOut()]).toMatchObject([
    false,
    [{ path: "sub/.vscode" }],
  ]);
});

test("no more is kept of it than a person can look through", async () => {
  await command(() => {
    for (let n = 0; n <= takenOutEntries; n += 1) put(`${n}/.vscode/tasks.json`);
  });
  expect(await guard.takenOut()).toHaveLength(takenOutEntries);
});

describe("after a server was killed while a command ran,", () => {
  test.each([
    ["the next command", {}, (next: Guard) => next.begin({ ...options, writable: false })],
    ["the next one after a background command", { background: true }, (next: Guard) => next.recover()],
    ["who puts something back", {}, (next: Guard) => next.putBack("none").catch(() => undefined)],
  ])("%s finds the workspace swept", async (_, how, first) => {
    const run = await guard.begin({ ...options, ...how });
    put("sub/.vscode/tasks.json");
    const next = new Guard(root, state);
    await first(next);
    expect(existsSync(at("sub/.vscode"))).toBe(false);
    // This is done once.
    put("sub/.vscode/tasks.json");
    await new Guard(root, state).recover();
    expect(existsSync(at("sub/.vscode"))).toBe(true);
    await run.end();
  });

  test("a background command that still runs in this server is not swept yet", async () => {
    const run = await guard.begin({ ...options, background: true });
    put("sub/.vscode/tasks.json");
    await guard.recover();
    expect(existsSync(at("sub/.vscode"))).toBe(true);
    await run.end();
    expect(existsSync(at("sub/.vscode"))).toBe(false);
  });
});

test("settings directly in the workspace are put aside while the command runs, and the end waits for that", async () => {
  const told = await command(async () => {
    put(".vscode/tasks.json");
    await until(() => !existsSync(at(".vscode")));
  });
  expect(told).toContain(".vscode");
  expect((await guard.takenOut()).map(({ path }) => path)).toEqual([".vscode"]);
});

describe("while a command runs,", () => {
  /** Runs `change`, and resolves when the watch has seen it. */
  async function during(change: () => void, more: object = {}) {
    let entries: string[] = [];
    await command(async () => {
      change();
      put(".git/gitdir");
      await until(() => !existsSync(at(".git/gitdir")));
      entries = ["", ".git"].flatMap((folder) => readdirSync(at(folder)));
    }, more);
    return entries;
  }
  beforeEach(() => repository(".git"));

  test("settings of editors that the person had, or allows, stay", async () => {
    put(".envrc");
    expect(await during(() => appendFileSync(at(".envrc"), "more\n"))).toContain(".envrc");
    expect(await during(() => put(".vscode/tasks.json"), { editors: true })).toContain(".vscode");
  });

  test("the person's own git replaces what the repository had", async () => {
    put(".git/config.worktree");
    const replace = () => {
      // A name of its own keeps the inode from being given to another file.
      linkSync(at(".git/config.worktree"), at("former"));
      put(".git/config.worktree.lock");
      renameSync(at(".git/config.worktree.lock"), at(".git/config.worktree"));
    };
    expect(await during(replace)).toContain("config.worktree");
  });

  test("what is put aside is renamed once, whatever it is called", async () => {
    const entries = await during(() => put("x.code-workspace"));
    const aside = entries.filter((name) => name.endsWith("x.code-workspace"));
    expect(aside).toEqual([expect.stringMatching(/^\.handrail-tmp-out-[0-9a-f]{12}-x\.code-workspace$/)]);
  });
});

describe("of what a command made, a later one may change", () => {
  test("a repository, until the person changes its settings", async () => {
    await command(() => repository("n/.git"));
    expect(await held()).toEqual([]);
    appendFileSync(at("n/.git/config"), "[user]\n");
    expect(await held()).toContain("n/.git/config");
  });

  test("a copy of the person's settings, until the person changes it", async () => {
    put(".vscode/tasks.json");
    await command(() => put("sub/.vscode/tasks.json"));
    expect(await held()).toEqual([".vscode"]);
    writeFileSync(at("sub/.vscode/tasks.json"), "[]\n");
    expect(await held()).toEqual([".vscode", "sub/.vscode"]);
  });

  test("no repository in the workspace itself", async () => {
    await command(() => repository(".git"));
    expect(await held()).toContain(".git/config");
  });

  test("no bare repository there either", async () => {
    await command(() => repository(""));
    expect(await held()).toContain("config");
  });

  test("nothing that was there before, nor what the person allowed", async () => {
    repository("own/.git");
    put("linked/.git", "gitdir: ../own/.git\n");
    put(".vscode/tasks.json");
    await command(() => put("a.txt"));
    const before = await held();
    expect(before).toEqual(expect.arrayContaining([".vscode", "linked/.git", "own/.git/config"]));
    await command(() => put("sub/.idea/x"), { editors: true });
    expect(await held()).toEqual([...before, "sub/.idea"].sort());
  });
});

describe("sockets and FIFOs of the machine stay out of reach", () => {
  const socket = (name: string) => {
    const leave = `require("net").createServer().listen(${JSON.stringify(name)}, () => process.kill(process.pid, 9))`;
    try {
      execFileSync(process.execPath, ["-e", leave], { cwd: root });
    } catch {}
  };

  test("in plan mode too, whatever ran before, and even if nobody listens there", async () => {
    execFileSync("mkfifo", [at("f")]);
    socket("s");
    await command(() => put("a.txt"));
    for (const writable of [true, false]) expect(await held({ writable })).toEqual(["f", "s"]);
  });

  test("but a socket that a command left and on which nobody listens may be removed", async () => {
    await command(() => socket("s"));
    await command(() => put("a.txt"));
    for (const writable of [true, false]) expect(await held({ writable })).toEqual([]);
  });
});

test("a read-only command is refused where more sockets and FIFOs are than can be masked", async () => {
  const fifos = Array.from({ length: heldEntries + 1 }, (_, n) => at(`f${n}`));
  execFileSync("mkfifo", fifos);
  const begin = () => guard.begin({ mount, writable: false, repositories: [], editors: false });
  await expect(begin()).rejects.toMatchObject({ code: "too_large" });
  rmSync(at("f0"));
  expect((await begin()).args).toHaveLength(heldEntries * 3);
});

test("a command in the background cannot replace a worktree that is made while it runs", async () => {
  repository(".git");
  const before = at(".git/worktrees/before");
  for (const name of ["HEAD", "commondir", "gitdir"]) put(`.git/worktrees/before/${name}`);
  const { args, end } = await guard.begin({ ...options, background: true });
  const how = (path: string) => args[args.lastIndexOf(`${mount}/${path}`) - 2];
  expect([how(".git/worktrees"), how(".git/worktrees/before")]).toEqual(["--ro-bind", "--bind"]);
  expect(isSteady(at(".git/worktrees/later"))).toBe(true);
  // It may still write within a worktree that it has seen.
  expect([before, join(before, "gitdir"), join(before, "index")].map(isSteady)).toEqual([true, true, false]);
  await end();
});

test("git writes in a linked worktree beside a background command, unless that could exchange the worktrees' folder", async () => {
  repository(".git");
  const whole = { top: root, gitDir: at(".git"), commonDir: at(".git") };
  const linked = { ...whole, gitDir: at(".git/worktrees/w") };
  const run = await guard.begin({ ...options, background: true });
  expect(() => mustBeSteady(linked)).not.toThrow();
  // A program of the machine replaces it, which ends the mount that holds it.
  renameSync(at(".git/worktrees"), at(".git/moved"));
  mkdirSync(at(".git/worktrees"));
  expect(() => mustBeSteady(linked)).toThrow(expect.objectContaining({ code: "forbidden" }));
  expect(() => mustBeSteady(whole)).not.toThrow();
  await run.end();
  expect(() => mustBeSteady(linked)).not.toThrow();
});
