// How much memory a command uses, counted from outside if there is no cgroup for it: private and shared memory of its
// processes, and files in memory-backed folders or in segments that nobody has mapped.
import { statfsSync } from "node:fs";
import { readNow } from "../read-now.ts";

const pageBytes = 4_096;

/** Memory of one command as last seen; given to each look at it. */
export interface MemoryLedger {
  /** Shared memory that could be laid at its door. */
  sharedBytes: number;
}

/** Commands that are counted now: shared memory that none of them accounts for is everybody's in equal parts. */
const ledgers = new Set<MemoryLedger>();
/** Shared memory of the machine when the first of them began. */
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
 * Bytes that the processes `pids` hold together. Up to `enough` it may be more than the truth, which is only then worth
 * the walk through their page tables that the exact figure costs.
 */
export function memoryOf(pids: readonly number[], ledger: MemoryLedger, enough: number): number {
  const inFolders = tmpfsOf(pids).reduce((sum, path) => sum + bytesIn(path), 0);
  const grown = Math.max(0, sharedOfMachine() - sharedBefore);
  const statm = pids.map((pid) => readNow(`/proc/${pid}/statm`).split(" ").map(Number));
  const atMost = statm.reduce((sum, [, resident = 0]) => sum + resident * pageBytes, 0);
  if (atMost + Math.max(inFolders, grown) <= enough) return atMost + Math.max(inFolders, grown);
  let own = 0;
  let shared = 0;
  for (const [index, pid] of pids.entries()) {
    const proportional = proportionalOf(pid);
    const [, resident = 0, mapped = 0] = statm[index] ?? [];
    own += proportional?.anonymous ?? (resident - mapped) * pageBytes;
    shared += proportional?.shared ?? 0;
  }
  // A file in such a folder may also be mapped: count the larger of both, not the sum.
  ledger.sharedBytes = Math.max(inFolders, shared);
  const known = [...ledgers].reduce((sum, { sharedBytes }) => sum + sharedBytes, 0);
  return own + ledger.sharedBytes + Math.max(0, grown - known) / Math.max(1, ledgers.size);
}

/** https://docs.kernel.org/filesystems/proc.html: shared pages divided by those who share them. Missing before Linux 5.4. */
function proportionalOf(pid: number): { anonymous: number; shared: number } | undefined {
  const text = readNow(`/proc/${pid}/smaps_rollup`);
  const kibibytes = (name: string) => new RegExp(`^${name}: +(\\d+) kB`, "m").exec(text)?.[1];
  const [anonymous, shared] = [kibibytes("Pss_Anon"), kibibytes("Pss_Shmem")];
  if (anonymous === undefined || shared === undefined) return undefined;
  return { anonymous: Number(anonymous) * 1024, shared: Number(shared) * 1024 };
}

/** tmpfs, memfd, shared mappings and System V segments of the whole machine. */
function sharedOfMachine(): number {
  return Number(/^Shmem: +(\d+) kB/m.exec(readNow("/proc/meminfo"))?.[1] ?? 0) * 1024;
}

/**
 * Folders in memory that one of the processes may write to and this one does not have: those of its jail, seen through
 * that process.
 */
function tmpfsOf(pids: readonly number[]): string[] {
  const ours = new Set(mountsOf("self").map(({ device }) => device));
  for (const pid of pids) {
    const own = mountsOf(String(pid)).filter(
      ({ device, type, writable }) => type === "tmpfs" && writable && !ours.has(device),
    );
    // One mount of a file system that is mounted twice is enough.
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
