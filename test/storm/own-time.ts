// What other work on the machine took from the servers: a promise in seconds is one about their own time.
import { readFileSync } from "node:fs";
import { descendantsOf } from "../harness/processes.ts";
import type { ServerProcess } from "./server-process.ts";

/**
 * How long the main threads of these servers, and of this process, were ready to run and had no core, in ms. A request
 * passes through all of them, one after another, so their times add up. A server that waits for a timer, an answer or
 * a lock is not ready to run: a standstill counts in full. 0 where the kernel does not say (not Linux, no schedstats).
 */
export function waitedForCoreMs(servers: readonly ServerProcess[]): number {
  const pids = servers.flatMap(({ pid, runs }) =>
    runs ? [pid, ...descendantsOf(pid).map((process) => process.pid)] : [],
  );
  return [process.pid, ...pids].reduce((sum, pid) => sum + queuedMs(pid), 0);
}

/** The second figure, in ns: https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat */
function queuedMs(pid: number): number {
  try {
    const [, queuedNs] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return Number(queuedNs ?? 0) / 1e6;
  } catch {
    return 0;
  }
}
