// Runs git so that it can reach other machines. A token reaches git's credential helper through a pipe and is
// in no file, argument or environment. It is given once, to the address for which git was started.
import { guarded } from "../exec/guarded.ts";
import type { ProcessSpec } from "../exec/run-process.ts";
import { bareGitEnvironment } from "../workspace/git-process.ts";

/** The helper ignores everything that git tells it later. */
const helper = `!f() { test "$1" = get && cat <&9; }; f`;

/**
 * `program`: git and its first arguments; `args`: the rest. `token`: USER:TOKEN. Without one, git uses the
 * access of the server's own user, such as ssh, and never prompts. Ends with this server.
 */
export function withToken(
  program: readonly string[],
  args: readonly string[],
  token: string | undefined,
): Pick<ProcessSpec, "file" | "args" | "guard" | "env" | "input"> {
  const known =
    token === undefined ? [] : ["-c", `credential.helper=${helper}`, "-c", "http.followRedirects=false"];
  const [user = "", ...password] = token?.split(":") ?? [];
  const run = ["/bin/sh", "-c", 'exec 9<&0 </dev/null; exec "$@"', "sh", ...program, ...known, ...args];
  const [file = "sh", ...rest] = guarded(run);
  const { SSH_AUTH_SOCK: agent, HOME = "/nonexistent" } = process.env;
  return {
    ...{ file, args: rest, guard: "group", input: `username=${user}\npassword=${password.join(":")}\n` },
    env: {
      ...{ ...bareGitEnvironment(), HOME, GIT_SSH_COMMAND: "ssh -o BatchMode=yes" },
      ...(agent ? { SSH_AUTH_SOCK: agent } : {}),
    },
  };
}
