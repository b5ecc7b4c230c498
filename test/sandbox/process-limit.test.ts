// The kernel's limit on the processes of one jail, with a cap far below the real one. Where a kernel has none (before
// Linux 6.14, or without root) the watch is what there is: see jail-limits.test.ts.
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { guarded } from "../../sandbox/exec/guarded.ts";
import { runProcess } from "../../sandbox/exec/run-process.ts";
import { jailed } from "../../sandbox/jail/jail.ts";
import { type Gate, limitTo, mayLimitJails } from "../../sandbox/jail/process-limit.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

afterAll(removeFolders);

const machine = () => readFileSync("/proc/sys/kernel/pid_max", "utf8");

/** The least that a kernel takes is 301. */
const ids = 400;

async function inJail(command: string, gate: Gate, timeoutMs = 30_000, root?: string) {
  root ??= await freshFolder("workspace");
  const spec = {
    ...{ bwrap: findProgram("bwrap") ?? "bwrap", root, mount: "/workspace", cwd: "/workspace" },
    ...{ writable: true, network: false, tmpBytes: undefined, gated: true },
    tools: { places: [], path: [dirname(process.execPath), "/usr/bin", "/bin"], env: {} },
  };
  const { file, args, env } = jailed(spec, guarded(["/bin/sh", "-c", command], "all"));
  return runProcess({
    ...{ file, args, env, gate, guard: "all", cwd: root, timeoutMs, maxOutputBytes: 10_000 },
  });
}

/** Does nothing unless the limit holds where it runs. */
const onlyLimited = (command: string) =>
  `[ "$(cat /proc/sys/kernel/pid_max)" = ${ids} ] || exit 9; ${command}`;

test.runIf(mayLimitJails())(
  "a jail has its own limit, forks beyond it fail, the machine keeps its own",
  async () => {
    const before = machine();
    const value = await inJail(
      onlyLimited("i=0; while [ $i -lt 500 ]; do sleep 31405 & i=$((i+1)); echo $i; done"),
      limitTo(ids),
    );
    const started = value.stdout.trim().split("\n").length;
    expect(started).toBeGreaterThan(300);
    expect(started).toBeLessThan(ids);
    expect(value.stderr).toMatch(/fork/i);
    expect(machine()).toBe(before);
  },
);

test.runIf(mayLimitJails())(
  "a fork bomb stays within it and ends at the time limit, with all it started",
  async () => {
    const value = await inJail(
      onlyLimited("b() { b | b & }; b; while :; do sleep 31406; done"),
      limitTo(ids),
      1_500,
    );
    expect(value).toMatchObject({ timedOut: true });
  },
);

test.runIf(mayLimitJails())("where the limit cannot be set, the command does not begin", async () => {
  const root = await freshFolder("workspace");
  await expect(inJail("touch begun", () => Promise.reject(new Error("no")), 30_000, root)).rejects.toThrow(
    "no",
  );
  expect(await readdir(root)).toEqual([]);
});
