// The kernel's limit on the processes of one jail, with a limit far below the real one. On kernels without it
// (before Linux 6.14, or without root) there is only the watch: see jail-limits.test.ts.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { runProcess } from "../../sandbox/exec/run-process.ts";
import { inNamespace } from "../../sandbox/jail/in-namespace.ts";
import { jailedProcess } from "../../sandbox/jail/jailed-process.ts";
import { type Gate, limitTo, mayLimitJails } from "../../sandbox/jail/process-limit.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

afterAll(removeFolders);

const machine = () => readFileSync("/proc/sys/kernel/pid_max", "utf8");

/** Kernels accept no value below 301. */
const ids = 400;

async function inJail(command: string, { gate, timeoutMs = 30_000, root }: Run = {}) {
  root ??= await freshFolder("workspace");
  const jail = {
    ...{ bwrap: findProgram("bwrap") ?? "bwrap", tmpBytes: undefined, taskIds: ids, state: "/nonexistent" },
    ...{ hidesFirst: true, groups: undefined, memoryBytes: 2 ** 30, filters: undefined },
    tools: { places: [], hidden: [], path: [dirname(process.execPath), "/usr/bin", "/bin"], env: {} },
  };
  const started = jailedProcess(jail, {
    ...{ root, mount: "/workspace", cwd: "/workspace", writable: true },
    ...{ command: ["/bin/sh", "-c", command], foreign: true },
  });
  return runProcess({ ...started, ...(gate ? { gate } : {}), timeoutMs, maxOutputBytes: 10_000 });
}

interface Run {
  gate?: Gate;
  timeoutMs?: number;
  root?: string;
}

/** Exits at once if the limit does not work here. */
const onlyLimited = (command: string) =>
  `[ "$(cat /proc/sys/kernel/pid_max)" = ${ids} ] || exit 9; ${command}`;

test.runIf(mayLimitJails())(
  "a jail has its own limit, forks beyond it fail, the machine's own limit is unchanged",
  async () => {
    const before = machine();
    const value = await inJail(
      onlyLimited("i=0; while [ $i -lt 500 ]; do sleep 31405 & i=$((i+1)); echo $i; done"),
    );
    const started = value.stdout.trim().split("\n").length;
    expect(started).toBeGreaterThan(300);
    expect(started).toBeLessThan(ids);
    expect(value.stderr).toMatch(/fork/i);
    expect(machine()).toBe(before);
  },
);

test.runIf(mayLimitJails())(
  "a fork bomb stays within it and ends at the time limit, with everything it started",
  async () => {
    // The first shell forks only once. If the bomb has taken the last process id by then, a second fork would
    // fail and end the shell.
    const value = await inJail(onlyLimited("{ b() { b | b & }; b; } & exec sleep 31406"), {
      timeoutMs: 1_500,
    });
    expect(value).toMatchObject({ timedOut: true });
  },
);

test.runIf(mayLimitJails())("a process outside a jail sets no limit", async () => {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  onTestFinished(() => void child.kill());
  const own = Number(machine());
  await expect(limitTo(own)(child.pid ?? 0)).rejects.toThrow("pid namespace");
  await expect(inNamespace("net", child.pid ?? 0, ["/bin/true"])).rejects.toThrow("net namespace");
  expect(Number(machine())).toBe(own);
});

test.runIf(mayLimitJails())("where the limit cannot be set, the command does not start", async () => {
  const root = await freshFolder("workspace");
  const gate = () => Promise.reject(new Error("no"));
  await expect(inJail("touch begun", { gate, root })).rejects.toThrow("no");
  expect(await readdir(root)).toEqual([]);
});

test.each([
  ["before its first process is named", ""],
  ["while the limit is set", `sh -c 'exit 0' & echo "{\\"child-pid\\": $! }" >&4; wait;`],
])("where bubblewrap ends %s, its exit code and message are the result", async (_, begin) => {
  // Stands in for bubblewrap: its pipe and its first process end well before it does.
  const script = `${begin} exec 4>&- 5<&-; sleep 0.3; echo "bwrap: no" >&2; exit 1`;
  const gate: Gate = (pid) =>
    new Promise((_resolve, reject) => {
      const look = setInterval(() => {
        if (existsSync(`/proc/${pid}`)) return;
        clearInterval(look);
        reject(new Error("no such process"));
      }, 5);
    });
  const spec = { file: "/bin/sh", args: ["-c", script], cwd: "/", env: { PATH: "/usr/bin:/bin" }, gate };
  const value = await runProcess({ ...spec, timeoutMs: 30_000, maxOutputBytes: 10_000 });
  expect(value).toMatchObject({ exitCode: 1, stderr: "bwrap: no\n" });
});

test("a program that kills all visible processes is not started where it would see the machine's processes", async () => {
  const harmless = {
    file: "/bin/echo",
    args: ["x"],
    cwd: "/",
    env: {},
    timeoutMs: 5_000,
    maxOutputBytes: 100,
  };
  await expect(runProcess({ ...harmless, guard: "all" })).rejects.toThrow("no jail");
});
