// Losses that no snapshot of the workspace can undo, so that auto mode asks too: git's history, and files that
// snapshots do not contain. The edge does not see .gitignore, so it knows caches, and data that repositories leave out,
// by their usual names.
import type { Invocation } from "./invocation.ts";
import { leavesWorkspace } from "./outside-path.ts";
import { inGitFolder } from "./path-kind.ts";
import type { Word } from "./shell-word.ts";
import { possibleWords } from "./variables.ts";

/** Verbs that discard only files, the index or a setting; a snapshot contains the files as they were. */
const filesOnly = new Set(
  "restore checkout switch rm mv apply read-tree update-index sparse-checkout bisect remote submodule maintenance".split(
    " ",
  ),
);

/** Whether a git verb that discards something also discards history, or files that git does not track. */
export function losesHistory(verb: string, options: readonly string[]): boolean {
  if (!filesOnly.has(verb)) return true;
  return /^(checkout|switch)$/.test(verb) && options.some((text) => /^(-\w*[BC]|--force-c\w*)$/.test(text));
}

/** Folders with data and secrets that projects keep out of git. */
const kept =
  /(^|\/)(data|uploads?|storage|backups?|secrets?|certs?|volumes?|pgdata|\.ssh|\.gnupg|\.aws|media)$/i;
/** Everything in a folder, including git's own and ignored files. */
const wide = /^(\.{0,2}\/?|\.?\/?(\*\*?|\.\[!\.\]\*)|.*\/\.\.)$/;

/** Whether a deletion may be permanent. The `text` of a word that is known only at run time is not conclusive. */
export function goneForGood({ args, command }: Invocation): boolean {
  return args
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

/** `/tmp/*` also contains the folders of other programs. */
const everybodysTemporary = /^\/(var\/)?tmp\/[^\w.]/;

/** Whether only temporary folders are named, whose loss does no harm: `/tmp/x`, `$(mktemp -d)`. */
export function isTemporary({ args, moreArgs, command }: Invocation): boolean {
  const targets = args
    .filter(({ text }) => !text.startsWith("-"))
    .flatMap((word): Word[] => possibleWords(word, command));
  return (
    !moreArgs &&
    targets.length > 0 &&
    targets.every(
      ({ text, unknown, pattern }) => !unknown && !pattern && /^\/(var\/)?tmp\/[\w][^$`]*$/.test(text),
    )
  );
}
