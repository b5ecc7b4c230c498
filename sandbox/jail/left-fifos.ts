// FIFOs that a command left: of no use once none of it runs, and masked for every later command, which could not tell
// them from the host's. They are put aside, unless a process of the host has them open.
import { lstatSync, readlinkSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { osPath } from "../paths/os-path.ts";
import { namesIn } from "../read-now.ts";
import type { FolderEntry } from "../workspace/looked-at.ts";

/** Those among `entries`, which are new, that are FIFOs of this server's user and that no process has open. */
export function leftFifos(root: string, entries: readonly FolderEntry[]): FolderEntry[] {
  return entries.filter(({ path, id }) => isOwnFifo(join(root, path)) && !isOpen(basename(path), id));
}

/** What another user made is not a command's. */
function isOwnFifo(path: string): boolean {
  try {
    const stat = lstatSync(osPath(path));
    return stat.isFIFO() && stat.uid === process.geteuid?.();
  } catch {
    return false;
  }
}

/**
 * As far as this user may inspect processes. A process that waits for the other end has no handle yet, and keeps its
 * FIFO.
 */
function isOpen(name: string, id: string): boolean {
  return namesIn("/proc").some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    const folder = `/proc/${pid}/fd`;
    return namesIn(folder).some((fd) => leadsTo(join(folder, fd), name, id));
  });
}

function leadsTo(handle: string, name: string, id: string): boolean {
  try {
    if (!readlinkSync(handle).endsWith(`/${name}`)) return false;
    const { dev, ino } = statSync(handle, { bigint: true });
    return `${dev}:${ino}` === id;
  } catch {
    return false;
  }
}
