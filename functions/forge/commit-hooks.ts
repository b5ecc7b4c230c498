// Hooks of a commit, if the person allowed them: pre-commit and commit-msg run as a command of the session, with an index of
// exactly what will be committed. The commit itself is made as usual.
import type { CommitRequest } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";

const changed = 97;

/**
 * The message after the hooks ran. Throws `invalid_request` with a hook's output if it refused, or if it changed the
 * files to be committed: the person has not seen those changes.
 */
export async function messageAfterHooks(
  args: CommitRequest,
  run: (command: string) => Promise<{ exitCode: number | null; stdout: string; stderr: string }>,
): Promise<string> {
  if (args.paths === undefined && args.hunks === undefined)
    throw new HandrailError(
      "invalid_request",
      "hooks: name the paths or hunks that are committed with them.",
    );
  const { exitCode, stdout, stderr } = await run(script(args));
  if (exitCode === 0) return stdout;
  const said = stderr.trim().slice(-600);
  const words =
    exitCode === changed
      ? "A hook changed what was to be committed. Nothing is committed: look at the changes, then commit again."
      : `A hook refused the commit, so there is none. It said: ${said || "nothing"}`;
  throw new HandrailError("invalid_request", words, { details: { reason: "hook", said } });
}

/**
 * Uses its own index, so the person's stays unchanged. Prints the message. Built from the request alone, because a
 * repeated call must be identical under its key.
 */
function script({ message, amend, paths = [], hunks = [] }: CommitRequest): string {
  const chosen = new Map<string, number[]>();
  for (const { path, hunk } of hunks)
    if (hunk !== undefined) chosen.set(path, [...(chosen.get(path) ?? []), hunk]);
  const whole = [...paths, ...hunks.filter(({ hunk }) => hunk === undefined).map(({ path }) => path)];
  const files = whole.map(quoted).join(" ");
  return [
    "set -e",
    "folder=$(mktemp -d)",
    "trap 'rm -rf \"$folder\"' EXIT",
    'export GIT_INDEX_FILE="$folder/index" GIT_LITERAL_PATHSPECS=1',
    "git read-tree HEAD 2>/dev/null || git read-tree --empty",
    ...(files === "" ? [] : [`git add --all -- ${files}`]),
    ...[...chosen].map(([path, numbers]) => parts(path, numbers)),
    "git update-index -q --refresh || true",
    "tree=$(git write-tree)",
    "git hook run --ignore-missing pre-commit 1>&2",
    `[ "$(git write-tree)" = "$tree" ] || exit ${changed}`,
    ...(files === "" ? [] : [`git diff --quiet -- ${files} || exit ${changed}`]),
    // An amended commit keeps its message if there is no new one.
    `${amend && message.trim() === "" ? messageOf(amend) : `printf %s ${quoted(message)}`} > "$folder/message"`,
    'git hook run --ignore-missing commit-msg -- "$folder/message" 1>&2',
    'cat "$folder/message"',
  ].join("\n");
}

function messageOf(commit: string): string {
  return `git cat-file commit ${quoted(`${commit}^{commit}`)} | sed '1,/^$/d'`;
}

/** Diff as the person saw it, whatever the repository's diff settings are. */
const plainDiff = [
  "git diff -U3 --inter-hunk-context=0 --diff-algorithm=myers --indent-heuristic --no-relative",
  "--src-prefix=a/ --dst-prefix=b/ --no-ext-diff --no-textconv --no-color --no-renames --full-index",
].join(" ");

/** Some hunks of one file, by their numbers in the diff. A new file has one hunk. */
function parts(path: string, numbers: readonly number[]): string {
  const file = quoted(path);
  const wanted = quoted(` ${numbers.join(" ")} `);
  const awk = `awk -v wanted=${wanted} '/^@@ / { n++; on = index(wanted, " " n " ") } n == 0 || on'`;
  const diff = `${plainDiff} -- ${file}`;
  return [
    `if git cat-file -e HEAD:./${file} 2>/dev/null; then`,
    `${diff} | ${awk} | git apply --cached --whitespace=nowarn -`,
    `else git add -- ${file}; fi`,
  ].join("\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
