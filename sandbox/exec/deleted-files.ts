// Finds files that processes hold open after their last name was deleted. They take disk space until the last
// process closes them, and no walk through a folder finds them. Linux only.
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";

/** Bytes of such files on the disks of `folders` that one of the processes `pids` has open or mapped. */
export function deletedBytesOf(pids: readonly number[], folders: readonly string[]): number {
  const devices = new Set(folders.map((folder) => statSync(folder, { throwIfNoEntry: false })?.dev));
  return [...devices].reduce<number>((sum, dev) => sum + (dev === undefined ? 0 : deletedOn(dev, pids)), 0);
}

function deletedOn(dev: number, pids: readonly number[]): number {
  const sizes = new Map<number, number>();
  for (const pid of pids) {
    for (const { inode, bytes } of mappedBy(pid, dev)) sizes.set(inode, (sizes.get(inode) ?? 0) + bytes);
    // An open file has a size. For a file that is only mapped, only the size of the mapping is known.
    for (const { inode, bytes } of openIn(pid, dev)) sizes.set(inode, bytes);
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

function openIn(pid: number, dev: number): { inode: number; bytes: number }[] {
  const folder = `/proc/${pid}/fd`;
  return quietly(() => readdirSync(folder), []).flatMap((name) => {
    const path = `${folder}/${name}`;
    // Links to pipes and sockets do not begin with a slash.
    if (!quietly(() => readlinkSync(path), "").startsWith("/")) return [];
    const found = quietly(() => statSync(path), undefined);
    if (!found || found.nlink > 0 || found.dev !== dev) return [];
    return [{ inode: found.ino, bytes: found.blocks * 512 }];
  });
}

/** https://man7.org/linux/man-pages/man5/proc_pid_maps.5.html: `08048000-08056000 rw-s 00000000 03:0c 64593 /path (deleted)` */
function mappedBy(pid: number, dev: number): { inode: number; bytes: number }[] {
  const device = `${hex((dev >>> 8) & 0xfff)}:${hex((dev & 0xff) | ((dev >>> 12) & 0xfff00))}`;
  const lines = quietly(() => readFileSync(`/proc/${pid}/maps`, "latin1"), "").split("\n");
  return lines.flatMap((line) => {
    const [range = "", , , where, inode] = line.split(/ +/);
    if (where !== device || !line.endsWith(" (deleted)")) return [];
    const [from = 0, to = 0] = range.split("-").map((address) => Number.parseInt(address, 16));
    return [{ inode: Number(inode), bytes: to - from }];
  });
}

function hex(value: number): string {
  return value.toString(16).padStart(2, "0");
}

/** Processes may end while they are inspected. */
function quietly<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
