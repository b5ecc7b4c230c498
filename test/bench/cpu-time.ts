// CPU time of another process, measured from outside: workerd's own clock stops while it computes. Linux only.
import { readdirSync, readFileSync } from "node:fs";

/** Nanoseconds of CPU that all threads of `pid` have used so far. https://docs.kernel.org/scheduler/sched-stats.html */
export function cpuNs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    try {
      return sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    } catch {
      // The thread has ended meanwhile.
      return sum;
    }
  }, 0);
}

/** The child of this process whose command is `name`, apart from those already known. */
export function childCalled(name: string, known: ReadonlySet<number>): number {
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry) || known.has(Number(entry))) continue;
    try {
      const [, command, parent] =
        /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, "utf8")) ?? [];
      if (command === name && Number(parent) === process.pid) return Number(entry);
    } catch {
      // It has ended meanwhile.
    }
  }
  throw new Error(`no child process ${name}`);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
