// Tells when nothing of a jail runs any more. Bubblewrap exits as soon as the command does. Processes that
// the command left in the background are killed after that, with the first process of the jail's PID
// namespace.
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

const lookEveryMs = 1;

/**
 * Call it before the command begins. The returned function resolves when the process `pid`, the first of a
 * PID namespace, has ended, and with it every process of that namespace.
 */
export function jailEnd(pid: number): () => Promise<void> {
  const began = stateOf(pid)?.began;
  return async () => {
    // The kernel makes the first process a zombie only after it has ended all others: zap_pid_ns_processes().
    for (let now = stateOf(pid); now && now.began === began && !isOver(now); now = stateOf(pid))
      await setTimeout(lookEveryMs);
  };
}

/** Whether a process is gone, or a zombie. */
export function hasEnded(pid: number): boolean {
  const now = stateOf(pid);
  return now === undefined || isOver(now);
}

function isOver({ state }: { state: string }): boolean {
  return state === "Z" || state === "X";
}

function stateOf(pid: number): { state: string; began: string } | undefined {
  try {
    // proc(5): the name is in brackets and may contain anything. The state follows it; the start time is
    // field 22.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", began: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}
