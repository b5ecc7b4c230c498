// Ends jails whose start was cut off. In bubblewrap.c, a jail's first process asks to die with its parent
// only after the parent told it to begin through an eventfd, and an eventfd does not report that its writer
// has died. If the server is killed in the milliseconds before that, the first process waits forever. Nothing
// of the command has run in it.
import { namesIn, readNow } from "../read-now.ts";
import { startsJail } from "./checked-binds.ts";

/** Ends the abandoned jails of every server on this machine: no server can use them any more. */
export function endAbandonedJails(): void {
  for (const name of namesIn("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || !isAbandoned(pid)) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process has ended already, or it belongs to another user.
    }
  }
}

function isAbandoned(pid: number): boolean {
  const status = readNow(`/proc/${pid}/status`);
  if (!isBubblewrap(status)) return false;
  // proc(5): the process's ids from this PID namespace to its innermost one. A jail's first process has id 1
  // in its own.
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
