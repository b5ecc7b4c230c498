// One state folder has one server: two would write one journal. Says who may have the folder; see state-lease.ts for
// what a lock does not tell.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "./exec/environment.ts";
import { isLeased, leaseLocked, leaseState, type StateLock } from "./state-lease.ts";

/** A server that was just told to end gets this long: a command has 1 s to end, readers half a second. */
const waitMs = 5_000;
const againMs = 100;

/**
 * Resolves with the lock, or undefined if another server holds the folder. The kernel locks the folder itself, so
 * neither another container that mounts it nor deleting a file gets around it, and the lock ends with this process. A
 * lease is renewed as well: a server that cannot lock has to see this one, and this server has to see when its folder
 * was replaced. `onLost` is called when somebody else has taken the folder.
 */
export async function lockState(state: string, onLost: () => void): Promise<StateLock | undefined> {
  const program = lockProgram(state);
  for (let left = waitMs; program !== undefined; left -= againMs) {
    const folder = openSync(state, "r");
    if (lock(program, folder)) {
      // A server that cannot lock may have the folder all the same: it renews a lease.
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

/** Programs that take the lock of flock(2) on their file descriptor 3. It belongs to the open file, which is ours, and stays. */
const lockPrograms: readonly [name: string, ...args: string[]][] = [
  ["flock", "-n", "-x", "3"],
  // macOS has no flock; perl comes with it.
  ["perl", "-e", "open(my $f, '<&=', 3) or exit 2; exit(flock($f, 6) ? 0 : 1)"],
];

/** The first program that is seen to lock a file beside the journals: not every file system can. */
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
