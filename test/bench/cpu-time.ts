// Measures the CPU time of another process from outside, since workerd's own clock stops while it computes.
// Linux only.
import { readdirSync, readFileSync } from "node:fs";

/**
 * Nanoseconds of CPU that all threads of `pid` have used until now.
 * https://docs.kernel.org/scheduler/sched-stats.html
 */
export function cpuNs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    try {
      return sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    } catch {
      // The thread has ended in the meantime.
      return sum;
    }
  }, 0);
}

/** The id of this process's child with the command `name` that is not in `known`. */
export function childCalled(name: string, known: ReadonlySet<number>): number {
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry) || known.has(Number(entry))) continue;
    try {
      const [, command, parent] =
        /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, "utf8")) ?? [];
      if (command === name && Number(parent) === process.pid) return Number(entry);
    } catch {
      // The process has ended in the meantime.
    }
  }
  throw new Error(`no child process ${name}`);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
