// What no snapshot of the workspace brings back, so that auto mode asks too: git's history, and files that snapshots do
// not hold. The edge sees no .gitignore: caches are known by their names, and so is data that repositories leave out.
import type { Invocation } from "./invocation.ts";
import { leavesWorkspace } from "./outside-path.ts";
import { inGitFolder } from "./path-kind.ts";
import type { Word } from "./shell-word.ts";
import { possibleWords } from "./variables.ts";

/** Verbs that throw away files, the index or a setting only: a snapshot holds the files as they were. */
const filesOnly = new Set(
  "restore checkout switch rm mv apply read-tree update-index sparse-checkout bisect remote submodule maintenance".split(
    " ",
  ),
);

/** Whether a git verb that throws something away takes history with it, or files that git does not keep. */
export function losesHistory(verb: string, options: readonly string[]): boolean {
  if (!filesOnly.has(verb)) return true;
  return /^(checkout|switch)$/.test(verb) && options.some((text) => /^(-\w*[BC]|--force-c\w*)$/.test(text));
}

/** Data and secrets that projects keep out of git. */
const kept =
  /(^|\/)(data|uploads?|storage|backups?|secrets?|certs?|volumes?|pgdata|\.ssh|\.gnupg|\.aws|media)$/i;
/** All of a folder, git's own and ignored files with it. */
const wide = /^(\.{0,2}\/?|\*|\.\*|\{\*,\.\*\}|\.?\/?(\*\*?|\.\*|\.\[!\.\]\*)|.*\/\.\.)$/;

/** Whether what a deletion names may be gone for good. `text` of a word that is only known at run time says nothing. */
export function goneForGood({ args, moreArgs, command }: Invocation): boolean {
  if (moreArgs) return false;
  const targets = args.filter(({ text }) => !text.startsWith("-") || /^--?$/.test(text));
  return targets
    .flatMap((word) => possibleWords(word, command))
    .some(
      (word) =>
        word.unknown ||
        wide.test(word.text) ||
        everybodysTemporary.test(word.text) ||
        inGitFolder(word) ||
        leavesWorkspace(word.text) ||
        kept.test(word.text.replace(/\/+$/, "")),
    );
}

/** `/tmp/*`: other programs' folders, too. */
const everybodysTemporary = /^\/(var\/)?tmp\/[^\w.]/;

/** Everything named is a temporary folder, which nobody misses: `/tmp/x`, `$(mktemp -d)`. */
export function isTemporary({ args, moreArgs, command }: Invocation): boolean {
  const targets = args
    .filter(({ text }) => !text.startsWith("-"))
    .flatMap((word): Word[] => possibleWords(word, command));
  return (
    !moreArgs &&
    targets.length > 0 &&
    targets.every(
      ({ text, unknown, pattern }) =>
        !unknown && !pattern && /^\/(var\/)?tmp\/[\w][^$`]*$/.test(text) && !text.includes(".."),
    )
  );
}
