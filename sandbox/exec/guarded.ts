// How a shell command runs where there is no jail: in its own process group, with a guardian that ends the group
// when this server is gone, even by SIGKILL. The guardian reads a pipe (fd 3) that nobody writes to.
import { findProgram } from "./environment.ts";

/** `sh` or, where it is present, `bash`. */
export function shellProgram(): string {
  return findProgram("bash") ?? findProgram("sh") ?? "/bin/sh";
}

// The guardian is no child of the command (it is started from a subshell that ends) and holds none of its output.
const script = '( ( cat <&3; kill -9 0 ) >/dev/null 2>&1 & ); exec 3<&-; exec "$@"';

/** `command` wrapped for `runProcess({guardPipe: true})`. */
export function guarded(command: readonly string[]): { file: string; args: string[] } {
  return { file: findProgram("sh") ?? "/bin/sh", args: ["-c", script, "sh", ...command] };
}
