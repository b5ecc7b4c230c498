// Runs a program inside a namespace of a jail that is about to begin, and never in the server's own
// namespace.
import { spawn } from "node:child_process";
import { readlinkSync } from "node:fs";
import { findProgram } from "../exec/environment.ts";

/**
 * The shell compares the namespaces from within: the process number may belong to another process by the time
 * it is entered.
 */
const onlyElsewhere = '[ "$(readlink "$1")" != "$2" ] && shift 2 && exec "$@"';

/**
 * Runs `command` in the namespace of the process `pid`. Rejects if it fails. Runs nothing if that namespace
 * is the server's own, because then the process has ended and its number belongs to another one.
 */
export function inNamespace(
  kind: "net" | "pid",
  pid: number,
  command: readonly string[],
  input = "",
): Promise<void> {
  const own = `/proc/self/ns/${kind}`;
  const args = [`--${kind}=/proc/${pid}/ns/${kind}`, "/bin/sh", "-c", onlyElsewhere, "sh", own];
  return new Promise((resolve, reject) => {
    const entering = spawn(findProgram("nsenter") ?? "nsenter", [...args, readlinkSync(own), ...command], {
      stdio: ["pipe", "ignore", "ignore"],
      env: {},
    });
    entering.once("error", reject);
    entering.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`the jail's ${kind} namespace could not be set up`)),
    );
    entering.stdin.on("error", () => undefined);
    entering.stdin.end(input);
  });
}
