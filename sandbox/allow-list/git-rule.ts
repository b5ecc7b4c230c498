// The git commands that may run read-only without a jail: a list of subcommands and options that only read.
import { checkArguments } from "./check-options.ts";
import { notAllowed } from "./parse-command.ts";
import { type ProgramRule, words } from "./rules.ts";

const showing = words(
  "stat shortstat numstat name-only name-status summary patch no-patch cached staged unified color no-color word-diff ignore-all-space ignore-space-change ignore-blank-lines find-renames no-renames diff-filter raw abbrev-commit abbrev check minimal patience histogram quiet exit-code relative dirstat merge-base no-prefix text",
);
const walking = words(
  "oneline pretty format graph decorate no-decorate all branches tags remotes max-count skip since until after before author committer grep follow first-parent merges no-merges reverse date date-order topo-order left-right cherry-pick no-walk simplify-by-decoration",
);
const diffShort = { short: "pswbUMCGSzR", takesValue: "UGS" };

const rules: Record<string, ProgramRule> = {
  status: {
    short: "sbuz",
    takesValue: "u",
    long: words("short branch porcelain long untracked-files ignored show-stash ahead-behind no-renames"),
  },
  diff: { ...diffShort, long: showing },
  log: { short: `${diffShort.short}nLiEF`, takesValue: "UGSnL", long: [...showing, ...walking] },
  show: { ...diffShort, long: [...showing, ...walking] },
  blame: {
    short: "LlstewfnMCb",
    takesValue: "L",
    long: words("porcelain line-porcelain root date show-email"),
  },
  "ls-files": {
    short: "cdmoistzv",
    long: words("cached deleted modified others ignored stage unmerged exclude-standard full-name"),
  },
  "ls-tree": { short: "drtlz", long: words("name-only name-status full-name full-tree long") },
  "rev-parse": {
    short: "q",
    long: words("abbrev-ref short verify show-toplevel is-inside-work-tree git-dir show-prefix quiet"),
  },
  "rev-list": { short: "n", takesValue: "n", long: ["count", ...walking] },
  "merge-base": { short: "a", long: ["all", "is-ancestor"] },
  describe: { long: words("tags always all long abbrev match") },
  shortlog: { short: "sne", long: words("summary numbered email all") },
  branch: {
    short: "arvl",
    long: words("all remotes list verbose show-current contains merged no-merged sort"),
    operands: 0,
  },
  tag: { short: "l", long: ["list", "sort"], operands: 0 },
  remote: { short: "v", long: ["verbose"], operands: 0 },
  "cat-file": { short: "pte" },
  grep: {
    short: "EFGPivwlLcnhHqIoeABC",
    takesValue: "eABC",
    long: words(
      "extended-regexp fixed-strings perl-regexp ignore-case word-regexp files-with-matches count line-number untracked cached context heading break show-function",
    ),
  },
};

/** Throws `readonly` unless `git args…` only reads. Any option before the subcommand is refused. */
export function checkGit(args: readonly string[]): void {
  const [subcommand, ...rest] = args;
  if (subcommand === undefined) throw notAllowed("git without a subcommand");
  if (subcommand.startsWith("-")) throw notAllowed(`git ${subcommand}`);
  const rule = Object.hasOwn(rules, subcommand) ? rules[subcommand] : undefined;
  if (!rule) throw notAllowed(`git ${subcommand}`);
  if (rest.some((arg) => arg.includes("%G"))) throw notAllowed("a format that verifies signatures");
  checkArguments(`git ${subcommand}`, rest, rule);
}
