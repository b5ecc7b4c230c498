// The kernel's own limit on the processes of one jail: since Linux 6.14 `kernel.pid_max` belongs to a PID
// namespace. Root sets it from outside while bubblewrap holds the command back. jail-trial.ts finds out
// whether that works here.
import { readFileSync } from "node:fs";
import { release } from "node:os";
import { type Readable, Writable } from "node:stream";
import { inNamespace } from "./in-namespace.ts";
import { hasEnded } from "./jail-end.ts";

/** Prepares a jail before its command begins. `pid`: the jail's first process, as this machine numbers it. */
export type Gate = (pid: number) => Promise<void>;

/** With these arguments, bubblewrap names the first process on one pipe and waits for the other. */
export const gateArguments: readonly string[] = ["--info-fd", "4", "--block-fd", "5"];

export const limitSetting = "/proc/sys/kernel/pid_max";

/** Whether it is safe to try the limit: an older kernel has only one, that of the whole machine. */
export function mayLimitJails(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return (
    process.platform === "linux" && process.getuid?.() === 0 && (major > 6 || (major === 6 && minor >= 14))
  );
}

/** The limit of this process's own PID namespace: the machine's, unless the server is in a container. */
export function machineLimit(): string {
  return readFileSync(limitSetting, "utf8").trim();
}

/**
 * A gate that limits a jail to `ids` process ids: forks beyond that fail with EAGAIN. Rejects where the limit
 * cannot be set.
 */
export function limitTo(ids: number): Gate {
  return (pid) => inNamespace("pid", pid, ["/bin/sh", "-c", `echo ${ids} > ${limitSetting}`]);
}

/**
 * Calls `gate` with the process that `info` names, then lets the command begin. Rejects if the gate fails. If
 * bubblewrap could not make the jail, it resolves: bubblewrap's exit code and message are the outcome then,
 * and may arrive after the pipe or that process has ended.
 */
export async function openGate(
  gate: Gate,
  [info, block]: readonly (Readable | Writable | null | undefined)[],
): Promise<void> {
  block?.on("error", () => undefined);
  const pid = await firstProcess(info);
  if (pid === undefined) return;
  try {
    await gate(pid);
  } catch (error) {
    if (hasEnded(pid)) return;
    throw error;
  }
  if (block instanceof Writable) block.end("x");
}

function firstProcess(info: Readable | Writable | null | undefined): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    let text = "";
    info?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const pid = /"child-pid": *(\d+)\s*[,}]/.exec(text)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
    info?.on("error", reject);
    info?.on("close", () => resolve(undefined));
  });
}
