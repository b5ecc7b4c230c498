// Starts a guardian process next to a command. It ends the command when this server is gone, even after
// SIGKILL. It reads a pipe (fd 3) that closes with the server; a line on the pipe asks a jail to end. This
// also covers the moment before bwrap has asked the kernel to let it die with the server.
import { randomBytes } from "node:crypto";
import * as limits from "../limits.ts";
import { findProgram } from "./environment.ts";

/** `bash` if it is present, otherwise `sh`. */
export function shellProgram(): string {
  return findProgram("bash") ?? findProgram("sh") ?? "/bin/sh";
}

/**
 * `group`: the guardian kills the process group. `all`: it kills every process that it can see, which in a
 * jail is every process of the jail.
 */
export type KillReach = "group" | "all";

/**
 * An environment variable that a command's processes inherit, so that those that leave its group can be
 * found.
 */
export const markName = "HANDRAIL_COMMAND";

export function newMark(): string {
  return randomBytes(12).toString("hex");
}

/**
 * If memory runs out, the kernel kills the command and not the server. No core files are written to the
 * workspace. The limit on processes is the kernel's own: without a jail it counts all processes of the user,
 * and it does not bind root.
 */
const lastInLine = `{ echo 1000 > /proc/self/oom_score_adj; ulimit -c 0; ulimit -u ${limits.userProcesses}; } 2>/dev/null`;
/**
 * Closes files that the server itself inherited and that the command must not get. Only bash does so, because
 * other shells accept only one digit as a file descriptor.
 */
const closed =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell variable.
  'if [ -n "$BASH_VERSION" ]; then for f in /proc/self/fd/*; do f=${f##*/}; if [ "$f" != "*" ] && [ "$f" -gt 3 ]; then eval "exec $f>&-"; fi; done; fi';
const endAll = "kill -9 -1";
/**
 * A guardian that kills everything it can see must be among the first processes of a PID namespace, as it is
 * when bubblewrap starts it. Otherwise the command does not begin.
 */
const ownNamespace = '[ "$$" -le 9 ] || exit 126; ';
/**
 * Reads with the shell's own `read` and starts no other program, because a jail that is full of processes
 * must still end.
 */
const listen = 'while read -r line; do trap "" TERM; kill -TERM -1; done <&3';
/** The guardian itself does not carry the mark. Without /proc, only the group can be found. */
const endGroup = `if [ -n "$1" ]; then for e in /proc/[0-9]*/environ; do grep -q "${markName}=$1" "$e" && p=\${e#/proc/} && kill -9 "\${p%/environ}"; done; fi; kill -9 0`;

// A subshell starts the guardian and exits, so the guardian is not a child of the command. It also holds none
// of the command's output open.
const script = (wait: string, end: string, first: string) =>
  `${lastInLine}; ${closed}; ${first}( ( exec env -u ${markName} sh -c '${wait}; ${end}' sh "$${markName}" ) >/dev/null 2>&1 & ); exec 3<&-; exec "$@"`;

/**
 * `command` wrapped for `runProcess({guard: reach})`. `first`: a line of shell that may end the process
 * before the command begins.
 */
export function guarded(command: readonly string[], reach: KillReach = "group", first?: string): string[] {
  const before = first === undefined ? "" : `${first}; `;
  const wrapped =
    reach === "group" ? script("cat <&3", endGroup, before) : script(listen, endAll, ownNamespace + before);
  return [shellProgram(), "-c", wrapped, "sh", ...command];
}

/**
 * `command` with the kernel's limit on the size of each file that it writes: a file that grows beyond it
 * causes SIGXFSZ. A watcher would be too slow for this. POSIX counts in blocks of 512 bytes, and so does bash
 * when it is called as sh.
 */
export function withFileLimit(command: readonly string[], bytes: number): string[] {
  if (!Number.isFinite(bytes)) return [...command];
  return ["/bin/sh", "-c", `ulimit -f ${Math.ceil(bytes / 512)} 2>/dev/null; exec "$@"`, "sh", ...command];
}
