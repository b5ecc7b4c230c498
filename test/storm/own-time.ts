// Measures the time that other work on the machine took from the servers, because a promise in seconds is
// about their own time.
import { readFileSync } from "node:fs";
import { descendantsOf } from "../harness/processes.ts";
import type { ServerProcess } from "./server-process.ts";

/**
 * How long the main thread of each server process, and of this one, was ready to run but had no core, in
 * milliseconds.
 */
export type Queued = ReadonlyMap<number, number>;

/** Empty if the kernel does not report it (not Linux, or no schedstats). */
export function queuedBy(servers: readonly ServerProcess[]): Queued {
  const pids = servers.flatMap(({ pid, runs }) =>
    runs ? [pid, ...descendantsOf(pid).map((process) => process.pid)] : [],
  );
  return new Map([process.pid, ...pids].map((pid) => [pid, queuedMs(pid)]));
}

/**
 * The longest time that one of them had no core since `before`, in milliseconds. A process that waits for a
 * timer, an answer or a lock is not ready to run, so a hang counts in full.
 */
export function waitedForCoreMs(servers: readonly ServerProcess[], before: Queued): number {
  return Math.max(0, ...[...queuedBy(servers)].map(([pid, ms]) => ms - (before.get(pid) ?? 0)));
}

/**
 * The second figure, in nanoseconds: https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat
 */
function queuedMs(pid: number): number {
  try {
    const [, queuedNs] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return Number(queuedNs ?? 0) / 1e6;
  } catch {
    return 0;
  }
}
