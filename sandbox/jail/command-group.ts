// A cgroup of its own for each command, where this server may make one: the kernel counts every kind of memory, ends
// what takes too much, and lets others go first. https://docs.kernel.org/admin-guide/cgroup-v2.html
import { randomBytes } from "node:crypto";
import { existsSync, rmdirSync } from "node:fs";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Excess } from "../exec/process-watch.ts";
import * as limits from "../limits.ts";
import { isInside } from "../paths/inside.ts";
import { namesIn, readNow } from "../read-now.ts";

/** Groups of this server. They are named by its process id, which tells whether a group belongs to a dead server. */
const prefix = "handrail-";
const needed = ["memory", "pids"];
const wanted = [...needed, "cpu"];

/** How long the removal of a group waits for its last process to be gone, in steps. */
const removeMs = 2_000;
const stepMs = 20;

export interface GroupLimits {
  memoryBytes: number;
  tasks: number;
}

/** One command's group. */
export interface CommandGroup {
  /** Makes it and puts the process in it, with all that it will start. Rejects where that is not possible. */
  hold(pid: number): Promise<void>;
  /** After the command: what it was ended for, if the kernel did that. The group goes away by itself. */
  end(): Promise<Excess | undefined>;
}

/**
 * Folders that might take groups of this server, the likeliest first: beside its own group, as a user's systemd or a
 * unit with `Delegate=` allows it, then those above, up to the root, where only root may.
 */
export function groupParents(): string[] {
  const root = mountPoint();
  const own = /^0::(\/.*)$/m.exec(readNow("/proc/self/cgroup", "utf8"))?.[1];
  // A path that leads out of this namespace names no folder here.
  if (root === undefined || own === undefined || own.startsWith("/..")) return [];
  const parents: string[] = [];
  for (let at = dirname(join(root, own)); isInside(root, at); at = dirname(at)) parents.push(at);
  return parents.length > 0 ? parents : [root];
}

/** Whether children of a folder get the controllers, given to them if need be and if that is possible. */
export async function offersControllers(parent: string): Promise<boolean> {
  const file = join(parent, "cgroup.subtree_control");
  const offered = () => readNow(file).trim().split(" ");
  for (const name of wanted)
    if (!offered().includes(name)) await writeFile(file, `+${name}`).catch(() => undefined);
  return needed.every((name) => offered().includes(name));
}

/** Removes groups of dead servers. A group with a process in it stays. */
export function sweepGroups(parent: string): void {
  for (const name of namesIn(parent)) {
    const server = /^handrail-(\d+)-/.exec(name)?.[1];
    if (server === undefined || existsSync(`/proc/${server}`)) continue;
    try {
      rmdirSync(join(parent, name));
    } catch {
      // Its processes are about to end, or it is somebody else's.
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
      // A kernel without swap or an older one has not all of these; the first two are what it is about.
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
    // Since Linux 5.14; before, the end of its PID namespace has ended them already.
    await writeFile(join(path, "cgroup.kill"), "1").catch(() => undefined);
    await rmdir(path).catch(() => undefined);
    if (existsSync(path)) await wait(stepMs, undefined, { ref: false });
  }
}

/** https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html; hybrid machines have it beside version 1. */
function mountPoint(): string | undefined {
  for (const line of readNow("/proc/self/mountinfo", "utf8").split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const [, , , root, point] = before.split(" ");
    if (after.startsWith("cgroup2 ") && root === "/") return point;
  }
  return undefined;
}
