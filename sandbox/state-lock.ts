// Makes sure that one state folder has one server: two would write to one journal. See state-lease.ts for the
// cases that a lock cannot cover.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "./exec/environment.ts";
import { isLeased, leaseLocked, leaseState, type StateLock } from "./state-lease.ts";

/** How long a server that was just told to end may take: a command has 1 s to end, readers half a second. */
const waitMs = 5_000;
const againMs = 100;

/**
 * Resolves with the lock, or undefined if another server holds the folder. The kernel locks the folder
 * itself. So another container that mounts it cannot get around the lock, nor can deleting a file, and the
 * lock ends with this process. A lease is renewed as well, because a server that cannot lock has to see this
 * one, and this server has to notice when its folder is replaced. `onLost` is called when another server has
 * taken the folder.
 */
export async function lockState(state: string, onLost: () => void): Promise<StateLock | undefined> {
  const program = lockProgram(state);
  for (let left = waitMs; program !== undefined; left -= againMs) {
    const folder = openSync(state, "r");
    if (lock(program, folder)) {
      // A server that cannot lock may still have the folder. It renews a lease.
      if (!(await isLeased(state, "ours"))) return locked(folder, await leaseLocked(state, onLost));
      closeSync(folder);
      return undefined;
    }
    closeSync(folder);
    if (left <= 0) return undefined;
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
  return leaseState(state, onLost);
}

function locked(folder: number, lease: StateLock): StateLock {
  return {
    check: () => lease.check(),
    async release() {
      await lease.release();
      closeSync(folder);
    },
  };
}

/**
 * Programs that take the flock(2) lock of their file descriptor 3. The lock belongs to our open file, so it
 * stays when the program exits.
 */
const lockPrograms: readonly [name: string, ...args: string[]][] = [
  ["flock", "-n", "-x", "3"],
  // macOS has no flock; perl comes with it.
  ["perl", "-e", "open(my $f, '<&=', 3) or exit 2; exit(flock($f, 6) ? 0 : 1)"],
];

/** The first program that can lock a file in the state folder. Not every file system supports locks. */
function lockProgram(state: string): string[] | undefined {
  if (process.env.HANDRAIL_NO_LOCK === "1") return undefined;
  const path = join(state, `lock-trial-${randomBytes(8).toString("hex")}`);
  const [trial, again] = [openSync(path, "w", 0o600), openSync(path, "r")];
  try {
    for (const [name, ...args] of lockPrograms) {
      const file = findProgram(name);
      if (file && lock([file, ...args], trial) && !lock([file, ...args], again)) return [file, ...args];
    }
    return undefined;
  } finally {
    closeSync(trial);
    closeSync(again);
    rmSync(path, { force: true });
  }
}

function lock([file = "", ...args]: readonly string[], descriptor: number): boolean {
  return spawnSync(file, args, { stdio: ["ignore", "ignore", "ignore", descriptor] }).status === 0;
}
