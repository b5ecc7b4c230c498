// The processes of this machine, from /proc if there is one (a slim image has no ps), otherwise from ps.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

export interface Process {
  pid: number;
  parent: number;
  group: number;
  /** One letter. Z = the process has ended and has not been reaped yet. */
  state: string;
  command: string;
}

export function listProcesses(): Process[] {
  return existsSync("/proc/self/stat") ? fromProc() : fromPs();
}

export function descendantsOf(pid: number): Process[] {
  const all = listProcesses();
  const below = (parent: number): Process[] =>
    all.filter((process) => process.parent === parent).flatMap((child) => [child, ...below(child.pid)]);
  return below(pid);
}

/** Resolves when none of them runs any more; otherwise the test's own time limit fails it. */
export async function allGone(processes: readonly Process[]): Promise<void> {
  const pids = new Set(processes.map(({ pid }) => pid));
  while (listProcesses().some(({ pid, state }) => pids.has(pid) && state !== "Z")) {
    // Often enough not to delay a test, and rarely enough to leave the CPU to the processes that have to end.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function fromProc(): Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The name in brackets may contain anything, even a bracket, so the fields begin after the last one.
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const [state = "", parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        return [{ pid: Number(name), parent: Number(parent), group: Number(group), state, command }];
      } catch {
        // The process ended after it was listed.
        return [];
      }
    });
}

function fromPs(): Process[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat=,args="], { encoding: "utf8" });
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const [pid, parent, group, state = "", ...command] = line.trim().split(/\s+/);
      return {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        state: state.slice(0, 1),
        command: command.join(" "),
      };
    });
}
