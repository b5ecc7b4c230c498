// Finds FIFOs that a command left. They are of no use once it has ended, but nothing distinguishes them from
// the host's, so they would be masked for every later command. They are taken out unless a process of the
// host has them open.
import { lstatSync, readlinkSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { osPath } from "../paths/os-path.ts";
import { namesIn } from "../read-now.ts";
import type { FolderEntry } from "../workspace/looked-at.ts";

/** Those of the new `entries` that are FIFOs of this server's user and that no process has open. */
export function leftFifos(root: string, entries: readonly FolderEntry[]): FolderEntry[] {
  return entries.filter(({ path, id }) => isOwnFifo(join(root, path)) && !isOpen(basename(path), id));
}

/** A FIFO of another user does not come from a command. */
function isOwnFifo(path: string): boolean {
  try {
    const stat = lstatSync(osPath(path));
    return stat.isFIFO() && stat.uid === process.geteuid?.();
  } catch {
    return false;
  }
}

/**
 * Looks only at the processes that this user may inspect. A process that still waits for the other end has no
 * handle yet, so its FIFO does not count as open.
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
