// A guardian beside a command, which ends it when this server is gone, even by SIGKILL: it reads a pipe (fd 3). A line
// on it asks a jail to end. It closes a gap there too: a server that dies before bwrap has asked to die with it.
import { randomBytes } from "node:crypto";
import * as limits from "../limits.ts";
import { findProgram } from "./environment.ts";

/** `sh` or, if it is present, `bash`. */
export function shellProgram(): string {
  return findProgram("bash") ?? findProgram("sh") ?? "/bin/sh";
}

/** `group`: the guardian kills the process group. `all`: it kills every process it can see, which in a jail is the whole jail. */
export type KillReach = "group" | "all";

/** A variable that a command's processes inherit, so that those which leave its group are found again. */
export const markName = "HANDRAIL_COMMAND";

export function newMark(): string {
  return randomBytes(12).toString("hex");
}

/**
 * Memory that runs out is taken from the command and not from the server; no core files in the workspace. The limit of
 * processes is the kernel's own, counts all of the user's if there is no jail, and does not bind root.
 */
const lastInLine = `{ echo 1000 > /proc/self/oom_score_adj; ulimit -c 0; ulimit -u ${limits.userProcesses}; } 2>/dev/null`;
/** Open files that the server was itself started with are nobody's business here. Other shells know one digit only. */
const closed =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell variable.
  'if [ -n "$BASH_VERSION" ]; then for f in /proc/self/fd/*; do f=${f##*/}; if [ "$f" != "*" ] && [ "$f" -gt 3 ]; then eval "exec $f>&-"; fi; done; fi';
const endAll = "kill -9 -1";
/** What ends all that it can see must be among the first processes of a PID namespace, as after bubblewrap: elsewhere nothing begins. */
const ownNamespace = '[ "$$" -le 9 ] || exit 126; ';
/** Reads by itself, without another program: a jail that is full of processes must still end. */
const listen = 'while read -r line; do trap "" TERM; kill -TERM -1; done <&3';
/** The guardian itself does not carry the mark. If there is no /proc, the group is what can be found. */
const endGroup = `if [ -n "$1" ]; then for e in /proc/[0-9]*/environ; do grep -q "${markName}=$1" "$e" && p=\${e#/proc/} && kill -9 "\${p%/environ}"; done; fi; kill -9 0`;

// The guardian is no child of the command (it is started from a subshell that ends) and holds none of its output.
const script = (wait: string, end: string, first: string) =>
  `${lastInLine}; ${closed}; ${first}( ( exec env -u ${markName} sh -c '${wait}; ${end}' sh "$${markName}" ) >/dev/null 2>&1 & ); exec 3<&-; exec "$@"`;

/** `command` wrapped for `runProcess({guard: reach})`. `first`: a line of shell that may end it before it begins. */
export function guarded(command: readonly string[], reach: KillReach = "group", first?: string): string[] {
  const before = first === undefined ? "" : `${first}; `;
  const wrapped =
    reach === "group" ? script("cat <&3", endGroup, before) : script(listen, endAll, ownNamespace + before);
  return [shellProgram(), "-c", wrapped, "sh", ...command];
}

/**
 * `command`, with the kernel's own limit on the size of each file it writes: a file that grows beyond it causes SIGXFSZ,
 * because no watcher could be quick enough. POSIX counts in blocks of 512 bytes; bash does so when it is called sh.
 */
export function withFileLimit(command: readonly string[], bytes: number): string[] {
  if (!Number.isFinite(bytes)) return [...command];
  return ["/bin/sh", "-c", `ulimit -f ${Math.ceil(bytes / 512)} 2>/dev/null; exec "$@"`, "sh", ...command];
}
