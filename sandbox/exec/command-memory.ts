// Measures a command's memory from outside if it has no cgroup: private and shared memory of its processes, their
// page tables, buffers of its sockets, and files in memory-backed folders or in segments that no process has mapped.
import { statfsSync } from "node:fs";
import { readNow } from "../read-now.ts";
import { socketBytesOf } from "./socket-memory.ts";

/** The memory of one command when last measured. Each measurement updates it. */
export interface MemoryLedger {
  /** Shared memory that is known to belong to this command. */
  sharedBytes: number;
}

/** Commands that are measured now. Shared memory that belongs to none of them is split equally among them. */
const ledgers = new Set<MemoryLedger>();
/** Shared memory of the machine when the first of these commands began. */
let sharedBefore = 0;

export function openLedger(): MemoryLedger {
  if (ledgers.size === 0) sharedBefore = sharedOfMachine();
  const ledger = { sharedBytes: 0 };
  ledgers.add(ledger);
  return ledger;
}

export function closeLedger(ledger: MemoryLedger): void {
  ledgers.delete(ledger);
}

/**
 * Bytes that the processes `pids` hold together. A result up to `enough` may be too high: the exact figure
 * needs a walk through the processes' page tables, which is made only above `enough`.
 */
export function memoryOf(pids: readonly number[], ledger: MemoryLedger, enough: number): number {
  const inSockets = socketBytesOf(pids);
  const inFolders = tmpfsOf(pids).reduce((sum, path) => sum + bytesIn(path), 0);
  const grown = Math.max(0, sharedOfMachine() - sharedBefore);
  const statuses = pids.map((pid) => bytesNamed(readNow(`/proc/${pid}/status`)));
  // Address space that is only read takes tables and no other memory.
  const inTables = statuses.reduce((sum, bytes) => sum + (bytes("VmPTE") ?? 0), 0);
  const atMost = statuses.reduce((sum, bytes) => sum + (bytes("VmRSS") ?? 0), inSockets + inTables);
  if (atMost + Math.max(inFolders, grown) <= enough) return atMost + Math.max(inFolders, grown);
  let own = inSockets + inTables;
  let shared = 0;
  for (const [index, pid] of pids.entries()) {
    // Each shared page is divided by the number of processes that share it. Missing before Linux 5.4.
    const proportional = bytesNamed(readNow(`/proc/${pid}/smaps_rollup`));
    own += proportional("Pss_Anon") ?? statuses[index]?.("RssAnon") ?? 0;
    shared += proportional("Pss_Shmem") ?? 0;
  }
  // A file in such a folder may also be mapped, so the larger of the two counts, not the sum.
  ledger.sharedBytes = Math.max(inFolders, shared);
  const known = [...ledgers].reduce((sum, { sharedBytes }) => sum + sharedBytes, 0);
  return own + ledger.sharedBytes + Math.max(0, grown - known) / Math.max(1, ledgers.size);
}

/** https://docs.kernel.org/filesystems/proc.html: rows such as `VmRSS:    1024 kB`. */
function bytesNamed(text: string): (name: string) => number | undefined {
  return (name) => {
    const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  };
}

/** tmpfs, memfd, shared mappings and System V segments of the whole machine. */
function sharedOfMachine(): number {
  return bytesNamed(readNow("/proc/meminfo"))("Shmem") ?? 0;
}

/**
 * Writable in-memory folders that one of the processes sees and this server does not: those of its jail,
 * reached through that process.
 */
function tmpfsOf(pids: readonly number[]): string[] {
  const ours = new Set(mountsOf("self").map(({ device }) => device));
  for (const pid of pids) {
    const own = mountsOf(String(pid)).filter(
      ({ device, type, writable }) => type === "tmpfs" && writable && !ours.has(device),
    );
    // One mount of each file system is enough.
    const places = new Map(own.map(({ device, path }) => [device, `/proc/${pid}/root${path}`]));
    if (places.size > 0) return [...places.values()];
  }
  return [];
}

/** https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html: `36 35 98:0 /root /point rw,noatime - type source options` */
function mountsOf(pid: string) {
  return readNow(`/proc/${pid}/mountinfo`)
    .split("\n")
    .flatMap((line) => {
      const [before = "", after = ""] = line.split(" - ");
      const [, , device, , point, options] = before.split(" ");
      if (device === undefined || point === undefined || options === undefined) return [];
      const path = point.replace(/\\(\d{3})/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 8)),
      );
      return [{ device, path, type: after.split(" ")[0], writable: options.split(",").includes("rw") }];
    });
}

function bytesIn(folder: string): number {
  try {
    const { blocks, bfree, bsize } = statfsSync(folder);
    return (blocks - bfree) * bsize;
  } catch {
    return 0;
  }
}
