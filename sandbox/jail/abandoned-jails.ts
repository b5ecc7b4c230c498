// Ends jails that nobody can start any more. In bubblewrap.c a jail's first process asks to die with its parent only
// after it was told to begin, by an eventfd, which says nothing about the end of its writer. If the server is killed in
// the milliseconds before, the parent dies and that process waits for ever. Nothing of the command has run in it.
import { namesIn, readNow } from "../read-now.ts";
import { startsJail } from "./checked-binds.ts";

/** Ends those of every server on this machine: none of them is of use to anybody. */
export function endAbandonedJails(): void {
  for (const name of namesIn("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || !isAbandoned(pid)) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself, or is another user's.
    }
  }
}

function isAbandoned(pid: number): boolean {
  const status = readNow(`/proc/${pid}/status`);
  if (!isBubblewrap(status)) return false;
  // proc(5): its ids from this namespace to its own. The first of a jail's own is 1.
  const ids = /^NSpid:\s*(.*)$/m.exec(status)?.[1]?.split(/\s+/) ?? [];
  if (ids.length < 2 || ids.at(-1) !== "1") return false;
  const args = readNow(`/proc/${pid}/cmdline`).split("\0");
  if (!args.includes("--die-with-parent") || !startsJail(args)) return false;
  const parent = /^PPid:\s*(\d+)$/m.exec(status)?.[1] ?? "";
  return !isBubblewrap(readNow(`/proc/${Number(parent)}/status`));
}

function isBubblewrap(status: string): boolean {
  return /^Name:\s*bwrap$/m.test(status);
}
