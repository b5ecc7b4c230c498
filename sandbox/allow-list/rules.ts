// The programs that may run read-only without a jail, with their allowed options. Everything else is refused.
import { notAllowed } from "./parse-command.ts";

/**
 * `short`: letters of allowed short options. `long`: names of allowed long options. `takesValue`: short
 * options that are followed by a value. `operands`: the highest number of operands.
 */
export interface ProgramRule {
  short?: string;
  takesValue?: string;
  long?: readonly string[];
  operands?: number;
  /** Checks what lists of options cannot express. Throws a refusal. */
  check?(args: readonly string[]): void;
  /** true = every option is allowed, because the program has none that writes or runs something. */
  anyOption?: boolean;
}

/** Names separated by spaces. */
export function words(text: string): string[] {
  return text.split(" ");
}

/** Options that leave the workspace: they follow links while walking, or read names from a file. */
const leaving = ["dereference", "dereference-args", "files0-from", "check"];

/** Programs none of whose options writes or runs anything. */
const harmless: ProgramRule = {
  anyOption: true,
  check(args) {
    for (const arg of args) {
      const option = /^--([a-z0-9-]+)/.exec(arg)?.[1];
      // An abbreviation counts as every option that it could mean.
      if (option !== undefined && leaving.some((name) => name.startsWith(option) || option.startsWith(name)))
        throw notAllowed(`--${option}`);
    }
  },
};
/** The option -c of these programs reads the names of files from a file. */
const sums: ProgramRule = {
  anyOption: true,
  check(args) {
    harmless.check?.(args);
    if (args.some((arg) => /^-[a-z]*c/.test(arg))) throw notAllowed("-c, which reads names from a file");
  },
};
/** Like `harmless`, for programs that walk folders. */
const walking: ProgramRule = {
  anyOption: true,
  check(args) {
    harmless.check?.(args);
    const follows = args.find((arg) => /^-[A-Za-z]*[LHD]/.test(arg));
    if (follows) throw notAllowed(`${follows}, which follows links`);
  },
};

const grep: ProgramRule = {
  short: "EFGPivwxcloqshnHLABCmrIaezUbTyf",
  takesValue: "ABCmef",
  long: words(
    "extended-regexp fixed-strings basic-regexp perl-regexp regexp file ignore-case no-ignore-case invert-match word-regexp line-regexp count color colour files-with-matches files-without-match max-count only-matching quiet silent no-messages byte-offset with-filename no-filename line-number initial-tab null after-context before-context context text binary-files directories exclude exclude-dir include recursive",
  ),
};

const ripgrep: ProgramRule = {
  short: "ABCMTUaceFgHhiIjlmnNopPqrsStuvVwx0.",
  takesValue: "ABCMTegjmrtE",
  long: words(
    "after-context before-context context case-sensitive color column count count-matches crlf files files-with-matches files-without-match fixed-strings glob iglob heading no-heading hidden ignore-case invert-match json line-number no-line-number line-regexp max-columns max-count max-depth max-filesize multiline multiline-dotall no-filename with-filename no-ignore no-ignore-vcs no-messages only-matching passthru pcre2 quiet regexp replace smart-case sort sortr stats text trim type type-not type-list unrestricted vimgrep word-regexp version",
  ),
};

const findWords = new Set(
  words(
    "-name -iname -path -ipath -wholename -regex -iregex -type -size -mtime -mmin -newer -atime -ctime -amin -cmin -empty -maxdepth -mindepth -depth -prune -print -print0 -o -or -a -and -not -true -false -perm -user -group -links -executable -readable -writable -regextype -xdev -mount -quit -P -noleaf -samefile -ls",
  ),
);

const find: ProgramRule = {
  anyOption: true,
  check(args) {
    for (const arg of args) {
      if (arg.startsWith("-") && !/^-\d/.test(arg) && !findWords.has(arg)) throw notAllowed(`find ${arg}`);
    }
  },
};

const sed: ProgramRule = {
  short: "nE",
  check(args) {
    const script = args.find((arg) => !arg.startsWith("-")) ?? "";
    if (!args.includes("-n") || !/^(\d+|\$)(,(\d+|\$|\+\d+))?p$/.test(script)) {
      throw notAllowed("sed other than `sed -n 'A,Bp'`");
    }
  },
};

const onlyVersion: ProgramRule = { short: "v", long: ["version"], operands: 0 };

const table: Record<string, ProgramRule> = {
  pwd: harmless,
  ls: walking,
  cat: harmless,
  head: harmless,
  wc: harmless,
  stat: harmless,
  du: walking,
  echo: harmless,
  basename: harmless,
  dirname: harmless,
  realpath: harmless,
  readlink: harmless,
  cut: harmless,
  tr: harmless,
  nl: harmless,
  rev: harmless,
  tac: harmless,
  cmp: harmless,
  comm: harmless,
  paste: harmless,
  fold: harmless,
  expand: harmless,
  od: harmless,
  cksum: sums,
  md5sum: sums,
  sha1sum: sums,
  sha256sum: sums,
  sha512sum: sums,
  uname: harmless,
  true: harmless,
  false: harmless,
  test: harmless,
  printf: harmless,
  id: harmless,
  whoami: harmless,
  nproc: harmless,
  column: harmless,
  grep,
  egrep: grep,
  fgrep: grep,
  rg: ripgrep,
  find,
  sed,
  tail: {
    short: "ncqvz0123456789",
    takesValue: "nc",
    long: words("lines bytes quiet silent verbose zero-terminated"),
  },
  sort: {
    short: "bdfghiMnRrVcCmsuzkt",
    takesValue: "kt",
    long: words(
      "reverse numeric-sort unique key field-separator ignore-case version-sort human-numeric-sort stable check",
    ),
  },
  uniq: {
    short: "cdDfisuwz",
    takesValue: "fsw",
    long: words("count repeated unique ignore-case"),
    operands: 1,
  },
  diff: {
    short: "abBcdeEinNpqrstTuUwyW",
    takesValue: "UW",
    long: words(
      "unified brief recursive ignore-all-space ignore-space-change ignore-blank-lines side-by-side color new-file text report-identical-files",
    ),
  },
  file: {
    short: "bikhN0",
    long: words("brief mime mime-type mime-encoding no-dereference"),
  },
  tree: {
    short: "adfishpugDCLPI",
    takesValue: "LPI",
    long: words("dirsfirst noreport gitignore prune filelimit"),
  },
  jq: {
    short: "rcMSjaense",
    long: words("arg argjson raw-output compact-output sort-keys null-input exit-status slurp tab indent"),
    check(args) {
      // A module is a file, and its path may lead anywhere.
      if (args.some((arg) => /\b(import|include)\b/.test(arg))) throw notAllowed("jq with a module");
    },
  },
  date: { short: "uI", long: ["utc", "iso-8601"], check: (args) => dateFormatsOnly(args) },
  which: harmless,
  node: onlyVersion,
};

function dateFormatsOnly(args: readonly string[]): void {
  const setter = args.find((arg) => !arg.startsWith("-") && !arg.startsWith("+"));
  if (setter !== undefined) throw notAllowed("setting the date");
}

export function ruleOf(program: string): ProgramRule | undefined {
  return Object.hasOwn(table, program) ? table[program] : undefined;
}
