// CPU time of another process, from outside: workerd's own clock stands still while it computes. Linux only.
import { readdirSync, readFileSync } from "node:fs";

/** Nanoseconds that all threads of `pid` have run so far. https://docs.kernel.org/scheduler/sched-stats.html */
export function cpuNs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    try {
      return sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    } catch {
      // The thread has ended since.
      return sum;
    }
  }, 0);
}

/** The child of this process whose command is `name`, beside those known. */
export function childCalled(name: string, known: ReadonlySet<number>): number {
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry) || known.has(Number(entry))) continue;
    try {
      const [, command, parent] =
        /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, "utf8")) ?? [];
      if (command === name && Number(parent) === process.pid) return Number(entry);
    } catch {
      // Gone since.
    }
  }
  throw new Error(`no child process ${name}`);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
