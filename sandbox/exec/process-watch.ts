// Ends a command that takes more memory or processes than one command may. Without cgroups, the kernel has no
// such limit that applies to root, covers all processes together and does not break sanitizers. Linux only:
// elsewhere only the time limit applies.
import { readdirSync } from "node:fs";
import { readNow } from "../read-now.ts";
import { closeLedger, type MemoryLedger, memoryOf, openLedger } from "./command-memory.ts";

export interface Caps {
  /** Memory of all processes of a command together, without cached files. */
  memoryBytes: number;
  /** Processes and threads of a command together. */
  tasks: number;
  /** true = the kernel also limits the tasks, so that there is time to look at each process. */
  tasksCapped?: boolean;
  /** true = the kernel limits the memory. */
  memoryCapped?: boolean;
}

export type Excess = "memory" | "tasks" | "disk";

/**
 * Inspecting every process takes a few milliseconds; reading the machine's count of tasks takes almost no
 * time.
 */
const looksEveryMs = 50;
const looksUntilAll = 4;
/** Growth is measured over this many looks, which is one second. */
const growthLooks = 20;
/**
 * This many new tasks within a second are a fork bomb, which soon leaves no time to look at every process.
 */
const growthTasks = 1_024;

/**
 * How many commands are watched now. Growth of the machine's count is attributed to a command only if it is
 * the only one.
 */
let watched = 0;

/**
 * Calls `onExcess` once, when the processes that descend from `pid` exceed `caps`. The returned function ends
 * the watch.
 */
export function watchProcesses(pid: number, caps: Caps, onExcess: (excess: Excess) => void): () => void {
  if (process.platform !== "linux") return () => undefined;
  const counts = [tasksOfMachine()];
  let looks = 0;
  watched += 1;
  const ledger = openLedger();
  const timer = setInterval(() => {
    const now = tasksOfMachine();
    counts.push(now);
    const bomb = now - (counts[0] ?? now) > growthTasks;
    if (counts.length > growthLooks) counts.shift();
    looks += 1;
    if (looks % looksUntilAll !== 0 && !bomb) return;
    const excess =
      bomb && watched === 1 && !caps.tasksCapped ? "tasks" : excessOf(familyOf(pid), caps, ledger);
    if (excess === undefined) return;
    end();
    onExcess(excess);
  }, looksEveryMs);
  let ended = false;
  const end = () => {
    clearInterval(timer);
    closeLedger(ledger);
    if (!ended) watched -= 1;
    ended = true;
  };
  return end;
}

export interface DiskLook {
  /** Whether the command takes more disk space than it may. */
  isAbove(): Promise<boolean>;
  /** Call it once, when the watch ends. */
  end(): void;
}
/** `pids`: returns the processes of the watched command. */
export type DiskWatcher = (pids: () => readonly number[]) => DiskLook;

const disksEveryMs = 200;

/**
 * Like `watchProcesses`, for disk space. Looks never overlap, because one may have to walk through the
 * workspace.
 */
export function watchDisk(pid: number, watcher: DiskWatcher, onExcess: (excess: Excess) => void): () => void {
  const look = watcher(() => (process.platform === "linux" ? familyOf(pid).map((task) => task.pid) : []));
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  const next = async () => {
    const begun = performance.now();
    const exceeded = await look.isAbove().catch(() => false);
    if (ended) return;
    if (exceeded) onExcess("disk");
    // Wait at least twice as long as measuring took.
    else timer = setTimeout(() => void next(), disksEveryMs + 2 * (performance.now() - begun));
  };
  void next();
  return () => {
    ended = true;
    clearTimeout(timer);
    look.end();
  };
}

/**
 * https://man7.org/linux/man-pages/man5/proc_loadavg.5.html: in `0.20 0.18 0.12 1/80 11206` the machine has
 * 80 tasks.
 */
function tasksOfMachine(): number {
  return Number(/\/(\d+) /.exec(readNow("/proc/loadavg"))?.[1] ?? 0);
}

interface Task {
  pid: number;
  parent: number;
  group: number;
  threads: number;
}

/** The process, its group, and all their descendants. In a PID namespace no process can escape this. */
function familyOf(pid: number): Task[] {
  const tasks = readdirSync("/proc").flatMap((name) => (/^\d/.test(name) ? taskOf(name) : []));
  const children = new Map<number, Task[]>();
  for (const task of tasks) {
    const siblings = children.get(task.parent);
    if (siblings) siblings.push(task);
    else children.set(task.parent, [task]);
  }
  const family = new Map<number, Task>();
  const waiting = tasks.filter((task) => task.pid === pid || task.group === pid);
  for (let task = waiting.pop(); task; task = waiting.pop()) {
    if (family.has(task.pid)) continue;
    family.set(task.pid, task);
    waiting.push(...(children.get(task.pid) ?? []));
  }
  return [...family.values()];
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html. The name in brackets may contain anything. */
function taskOf(name: string): Task[] {
  const stat = readNow(`/proc/${name}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat === "") return [];
  return [
    { pid: Number(name), parent: Number(fields[1]), group: Number(fields[2]), threads: Number(fields[17]) },
  ];
}

function excessOf(
  family: readonly Task[],
  { memoryBytes, tasks, memoryCapped }: Caps,
  ledger: MemoryLedger,
): Excess | undefined {
  if (family.reduce((sum, { threads }) => sum + threads, 0) > tasks) return "tasks";
  if (memoryCapped) return undefined;
  const pids = family.map(({ pid }) => pid);
  return memoryOf(pids, ledger, memoryBytes) > memoryBytes ? "memory" : undefined;
}

/**
 * Ends every process that was started with `mark` in its environment, including those that left their group.
 */
export function endMarked(mark: string): void {
  if (process.platform !== "linux") return;
  // A process that starts another one during the search is found in the next round.
  for (let round = 0; round < 10; round++) {
    const found = readdirSync("/proc").filter(
      (name) => /^\d/.test(name) && readNow(`/proc/${name}/environ`).includes(mark),
    );
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        process.kill(Number(pid), "SIGKILL");
      } catch {
        // The process has ended already.
      }
    }
  }
}
