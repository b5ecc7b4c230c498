// A guardian beside a command, which ends it when this server is gone, even by SIGKILL: it reads a pipe (fd 3) that
// nobody writes to. In the jail it closes a gap too: a server that dies before bwrap has asked to die with it.
import { findProgram } from "./environment.ts";

/** `sh` or, where it is present, `bash`. */
export function shellProgram(): string {
  return findProgram("bash") ?? findProgram("sh") ?? "/bin/sh";
}

/** `group`: the guardian ends its process group. `all`: everything it can see, which in a jail is the jail. */
type Reach = "group" | "all";

// The guardian is no child of the command (it is started from a subshell that ends) and holds none of its output.
const script = (target: string) =>
  `( ( cat <&3; kill -9 ${target} ) >/dev/null 2>&1 & ); exec 3<&-; exec "$@"`;

/** `command` wrapped for `runProcess({guardPipe: true})`. */
export function guarded(command: readonly string[], reach: Reach = "group"): string[] {
  return [findProgram("sh") ?? "/bin/sh", "-c", script(reach === "group" ? "0" : "-1"), "sh", ...command];
}
