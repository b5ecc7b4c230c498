// Knows when nothing of a jail runs any more. Bubblewrap itself ends as soon as the command has: what that left in the
// background is killed after it, with the first process of the jail's PID namespace.
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

const lookEveryMs = 1;

/** Called before the command begins; the answer resolves when the process `pid`, the first of a PID namespace, and with it all of that namespace, has ended. */
export function jailEnd(pid: number): () => Promise<void> {
  const began = stateOf(pid)?.began;
  return async () => {
    // The kernel lets the first process become a zombie only after it has ended all others: zap_pid_ns_processes().
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
    // proc(5): the name is in brackets and may hold anything; the state follows, and the start is field 22.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", began: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}
