// Gives each command a cgroup of its own where this server may make one. The kernel then counts every kind of
// memory, kills a command that takes too much, and prefers other processes when the CPU is busy.
// https://docs.kernel.org/admin-guide/cgroup-v2.html
import { randomBytes } from "node:crypto";
import { existsSync, rmdirSync } from "node:fs";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Excess } from "../exec/process-watch.ts";
import * as limits from "../limits.ts";
import { isInside } from "../paths/inside.ts";
import { namesIn, readNow } from "../read-now.ts";

/**
 * Prefix of the groups of any Handrail server. The server's process id follows it, which tells whether the
 * group belongs to a dead server.
 */
const prefix = "handrail-";
const needed = ["memory", "pids"];
const wanted = [...needed, "cpu"];

/** How long the removal of a group waits for its last process to end, and how often it tries. */
const removeMs = 2_000;
const stepMs = 20;

export interface GroupLimits {
  memoryBytes: number;
  tasks: number;
}

/** One command's group. */
export interface CommandGroup {
  /**
   * Makes the group and puts the process in it, with everything that the process will start. Rejects where
   * that is not possible.
   */
  hold(pid: number): Promise<void>;
  /**
   * Call it after the command. Returns the limit for which the kernel killed the command, if it did. The
   * group is then removed in the background.
   */
  end(): Promise<Excess | undefined>;
}

/**
 * Folders that may accept groups of this server, the likeliest first: the one that contains its own group, as
 * a user's systemd or a unit with `Delegate=` allows, then those above it, up to the root, where only the
 * user root may make groups.
 */
export function groupParents(): string[] {
  const root = mountPoint();
  const own = /^0::(\/.*)$/m.exec(readNow("/proc/self/cgroup", "utf8"))?.[1];
  // Such a path leads out of this cgroup namespace and names no folder here.
  if (root === undefined || own === undefined || own.startsWith("/..")) return [];
  const parents: string[] = [];
  for (let at = dirname(join(root, own)); isInside(root, at); at = dirname(at)) parents.push(at);
  return parents.length > 0 ? parents : [root];
}

/** Whether the child groups of a folder get the controllers. Enables them there if necessary and possible. */
export async function offersControllers(parent: string): Promise<boolean> {
  const file = join(parent, "cgroup.subtree_control");
  const offered = () => readNow(file).trim().split(" ");
  for (const name of wanted)
    if (!offered().includes(name)) await writeFile(file, `+${name}`).catch(() => undefined);
  return needed.every((name) => offered().includes(name));
}

/** Removes groups of dead servers. A group that still has a process stays. */
export function sweepGroups(parent: string): void {
  for (const name of namesIn(parent)) {
    const server = /^handrail-(\d+)-/.exec(name)?.[1];
    if (server === undefined || existsSync(`/proc/${server}`)) continue;
    try {
      rmdirSync(join(parent, name));
    } catch {
      // The group's processes have not ended yet, or the group belongs to another user.
    }
  }
}

export function commandGroup(parent: string, { memoryBytes, tasks }: GroupLimits): CommandGroup {
  const path = join(parent, `${prefix}${process.pid}-${randomBytes(6).toString("hex")}`);
  const set = (name: string, value: string) => writeFile(join(path, name), value);
  return {
    async hold(pid) {
      await mkdir(path);
      await set("memory.max", String(memoryBytes));
      await set("pids.max", String(tasks));
      // Kernels without swap and older kernels lack some of these. Only the two limits above are essential.
      await Promise.all([
        set("memory.swap.max", "0").catch(() => undefined),
        set("memory.oom.group", "1").catch(() => undefined),
        set("cpu.weight", String(limits.execCpuWeight)).catch(() => undefined),
      ]);
      await set("cgroup.procs", String(pid));
    },
    async end() {
      const events = await readFile(join(path, "memory.events"), "utf8").catch(() => "");
      void remove(path).catch(() => undefined);
      return /^oom_kill [1-9]/m.test(events) ? "memory" : undefined;
    },
  };
}

async function remove(path: string): Promise<void> {
  for (let waited = 0; waited < removeMs && existsSync(path); waited += stepMs) {
    // Since Linux 5.14. On older kernels the end of the PID namespace has already ended the processes.
    await writeFile(join(path, "cgroup.kill"), "1").catch(() => undefined);
    await rmdir(path).catch(() => undefined);
    if (existsSync(path)) await wait(stepMs, undefined, { ref: false });
  }
}

/**
 * https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html. On hybrid machines cgroup version 2 is
 * mounted beside version 1.
 */
function mountPoint(): string | undefined {
  for (const line of readNow("/proc/self/mountinfo", "utf8").split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const [, , , root, point] = before.split(" ");
    if (after.startsWith("cgroup2 ") && root === "/") return point;
  }
  return undefined;
}
