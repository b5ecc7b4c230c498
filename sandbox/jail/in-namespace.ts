// Does something inside a namespace of a jail that is about to begin, and never in the server's own.
import { spawn } from "node:child_process";
import { readlinkSync } from "node:fs";
import { findProgram } from "../exec/environment.ts";

/** Looked at from within: a number that was given to another process meanwhile names another namespace. */
const onlyElsewhere = '[ "$(readlink "$1")" != "$2" ] && shift 2 && exec "$@"';

/**
 * Runs `command` in the namespace of the process `pid`. Rejects if it fails, and runs nothing if that namespace is this
 * server's own: the process has ended then, and its number is another's.
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
