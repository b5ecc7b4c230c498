// How far a grant for the session reaches. It covers the exact command line in its folder. A few plain requests are
// also covered on other lines, if the program, the verb and every host or remote are the same.
import type { ExactCommand } from "../../shared/grant.ts";
import { isLoopbackUrl, nameOf } from "./address.ts";
import { parseCommandLine } from "./command-line.ts";
import type { Invocation } from "./invocation.ts";
import { type ReadArguments, valuesOf } from "./options.ts";
import type { SimpleCommand } from "./simple-command.ts";

/** After one of these, a program's name, its settings or the folder may differ from what the line shows. */
const changesShell = new Set(
  "cd pushd popd chdir export declare typeset readonly local setenv alias unalias source . eval set shopt hash enable exec trap builtin command function for select let getopts read readarray mapfile printf unset env".split(
    " ",
  ),
);
const assigns = /^[A-Za-z_]\w*(\[[^=]*\])?\+?=/;
const keyword = /^(if|then|else|elif|while|until|do|!|[{}]|time|coproc)$/;

/** Whether the line runs in the workspace's own folder and nothing on it changes what its commands mean. */
export function meansTheSame({ command, cwd }: ExactCommand): boolean {
  if (cwd !== "" || /\(\s*\)/.test(command)) return false;
  const { ok, commands } = parseCommandLine(command);
  return ok && commands.every((one) => !changes(one));
}

function changes({ words }: SimpleCommand): boolean {
  const first = words.find(({ text }) => !keyword.test(text));
  return first !== undefined && (first.unknown || changesShell.has(first.text) || assigns.test(first.text));
}

/**
 * Whether the line alone says what runs, without variables, wrappers, input or arguments from elsewhere, and without a
 * path: `./git` may be any program.
 */
function isWrittenOut({ program, written, args, wrappers, moreArgs, command }: Invocation): boolean {
  const { upstream, input, redirects } = command;
  return (
    written === program &&
    !moreArgs &&
    wrappers.length === 0 &&
    upstream === undefined &&
    input.length === 0 &&
    redirects.every(({ to }) => to) &&
    args.every(({ unknown, pattern }) => !unknown && !pattern)
  );
}

/** Options that neither send anything nor name another host. */
const quietly: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "curl",
    new Set(
      "-s -S -f -L -i -I -v -o -m --silent --show-error --fail --location --include --head --verbose --output --max-time --connect-timeout --retry --compressed --url".split(
        " ",
      ),
    ),
  ],
  ["wget", new Set("-q -O -t -T --quiet --output-document --tries --timeout".split(" "))],
]);
/** A literal address without a user, patterns or another protocol. */
const plainAddress = /^(?:https?:\/\/)?[\w.-]+(?::\d+)?(?:[/?#][^{}[\]\\]*)?$/i;

/** The hosts of a plain download, as one text; undefined if the call does more than that. */
export function hostsOfDownload(call: Invocation, read: ReadArguments): string | undefined {
  const known = quietly.get(call.program);
  const addresses = [...read.operands, ...valuesOf(read, "--url")].map(({ text }) => text);
  if (!known || !isWrittenOut(call) || !read.options.every(({ name }) => known.has(name))) return undefined;
  if (!addresses.every((text) => plainAddress.test(text))) return undefined;
  const away = addresses.filter((text) => !isLoopbackUrl(text));
  // Without encryption, another host could answer, so a grant for `https:` does not cover `http:`.
  const hosts = away.map((text) => (/^https:/i.test(text) ? "" : "http://") + nameOf(text).toLowerCase());
  return [...new Set(hosts)].sort().join(", ");
}

const quietPush = new Set("-u --set-upstream -q --quiet -v --verbose --progress".split(" "));

/** `REMOTE BRANCH…` of a push that neither forces nor deletes nor renames; undefined for any other push. */
export function namesOfPush(call: Invocation, own: ReadArguments, read: ReadArguments): string | undefined {
  const [remote = "", ...branches] = read.operands.map(({ text }) => text);
  const isPlain =
    isWrittenOut(call) &&
    own.options.length === 0 &&
    read.options.every(({ name }) => quietPush.has(name)) &&
    /^[A-Za-z0-9][\w-]*$/.test(remote) &&
    branches.length > 0 &&
    branches.every((name) => /^[A-Za-z0-9][\w./-]*$/.test(name) && !/^(\w+_)?HEAD$/.test(name));
  return isPlain ? [remote, ...branches].join(" ") : undefined;
}
