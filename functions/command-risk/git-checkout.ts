// What `git checkout` and `git switch` may discard. `git checkout NAME` restores the file of that name if there is no
// such branch. The edge sees neither branches nor files, so it asks about names that do not look like a revision.
import { isOn, type ReadArguments } from "./options.ts";

/** Names that are common for branches, tags and commits, and rare for files and folders. */
const revision =
  /^(-|@|(main|master|trunk|develop(ment)?|dev|staging|stable|production|gh-pages|next|canary)|v?\d+(\.\d+)*([-.+]?(x|(alpha|beta|rc|pre|dev|next)[\w.-]*))?|[0-9a-f]{7,40}|\w*HEAD|[A-Z]{2,}-\d+[\w.-]*|(add(?!-ons?$)|fix|remove|refactor|implement|improve|bump|rename|issue)-[\w-]+|[\w.-]+@[\d.]+[\w.-]*)$/;
/** The first part of branch names with a slash; folders rarely have such a name. */
const branchFolder =
  /^(refs|heads|tags|remotes|origin|upstream|fork|feat(ure)?|fix|bug(fix)?|hotfix|release|chore|refactor|perf|wip|spike|experiment|issue|issues|ticket|topic|task|dependabot|renovate|user|users|pr|pull|revert|backport|changeset-release|codex|claude|copilot|handrail)\/[^/:](?:[^:]*[^/:])?$/;
/** `HEAD~3`, `main^`, `main@{1}`: files rarely have such names. */
const counted = /^[\w./-]+([~^]\d*|@\{[^}]*\})+$/;
/** `$(git merge-base main HEAD)` */
const asksForCommit =
  /^git (?:(?:merge-base|rev-list|describe) [\w\s/.~^=-]+|rev-parse (?:--\w+ )*[\w/.-]*(?:HEAD|main|master|[~^])\d*)$/;

/** Git accepts abbreviated long options, and combined short ones. */
const discards = /^(-[a-zAC-Z]*?[fp]|-[ac-zAC-Z]*B|--(f|pa|ou|th|m|co)|--$)/;

export function checkoutLoses(options: readonly string[], read: ReadArguments): boolean {
  if (options.some((option) => discards.test(option) && !/^-[a-zAC-Z]*b/.test(option))) return true;
  if (isOn(read, ["-b", "--orphan", "-t", "--track", "-d", "--detach"])) return false;
  const [first, ...others] = read.operands;
  if (first === undefined) return false;
  if (others.length > 0) return true;
  if (first.unknown) return !(first.text === "$" && asksForCommit.test(first.scripts[0] ?? ""));
  return (
    first.pattern || !(revision.test(first.text) || branchFolder.test(first.text) || counted.test(first.text))
  );
}

/** `switch` accepts only branches. */
export function switchLoses(options: readonly string[]): boolean {
  return options.some((option) => /^(-[dmqt]*[fC]|--(f|di))/.test(option));
}
