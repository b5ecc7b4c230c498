// Git that reaches other machines. A token comes to its credential helper by a pipe: it is in no file, no argument and no
// environment, and is told once, to the address that git was started for.
import { guarded } from "../exec/guarded.ts";
import type { ProcessSpec } from "../exec/run-process.ts";
import { bareGitEnvironment } from "../workspace/git-process.ts";

/** What git tells it later it does not hear. */
const helper = `!f() { test "$1" = get && cat <&9; }; f`;

/**
 * `program`: git and its first arguments; `args`: the rest. `token`: USER:TOKEN; without one git is known as the server's
 * user is, over ssh for example, and never asks anybody. Ends with this server.
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
