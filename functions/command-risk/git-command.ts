// What a git command may discard, send or run.
import { asCode } from "../../shared/as-code.ts";
import type { Finding } from "./finding.ts";
import { checkoutLoses, switchLoses } from "./git-checkout.ts";
import { git, loses, unknown } from "./git-findings.ts";
import { overwritesBranches } from "./git-refspecs.ts";
import {
  knownVerbs,
  leavesCommit,
  makesCommits,
  ownOptions,
  rewrites,
  riskySetting,
  runsOrTells,
  runsProgram,
  sends,
  verbOptions,
} from "./git-tables.ts";
import { namesOfPush } from "./grant-scope.ts";
import type { Invocation } from "./invocation.ts";
import { losesHistory } from "./no-way-back.ts";
import { isOn, type ReadArguments, readArguments, valuesOf } from "./options.ts";
import { leavesWorkspace } from "./outside-path.ts";
import { replaceReason } from "./path-kind.ts";
import type { Word } from "./shell-word.ts";

interface GitCall {
  verb: Word | undefined;
  /** Options before the verb. */
  own: ReadArguments;
  /** The words after the verb. */
  rest: readonly Word[];
  read: ReadArguments;
}

export function readGit(args: readonly Word[]): GitCall {
  const own = readArguments(args, ownOptions, "first");
  const [verb, ...rest] = own.operands;
  return { verb, own, rest, read: readArguments(rest, verbOptions.get(verb?.text ?? "") ?? "") };
}

/**
 * Verbs that discard work with some options. Every word is searched for danger, but only real options can make it a dry
 * run.
 */
const destroying: Record<string, (has: (pattern: RegExp) => boolean, call: GitCall) => boolean> = {
  // Git accepts abbreviated options.
  reset: (has) => has(/^--(h|me|k|s)|[~^]|@\{|^[0-9a-f]{7,40}$|^(origin|upstream)\//),
  clean: (_, { read }) => !isDry(read) && !isOn(read, ["-h", "--help"]),
  branch: (has) => has(/^(-[a-zA-Z]*[DMCf][a-zA-Z]*|--forc.*|--fo)$/),
  checkout: (_, { rest, read }) =>
    checkoutLoses(
      rest.map(({ text }) => text),
      read,
    ),
  switch: (_, { rest }) => switchLoses(rest.map(({ text }) => text)),
  restore: (_, { read }) =>
    !isOn(read, ["--staged", "-S"], ["--no-staged"]) || isOn(read, ["--worktree", "-W"]),
  stash: (has) => has(/^(drop|clear)$/) || (has(/^(-[a-zA-Z]*a|--all?)$/) && !has(/^(list|show)$/)),
  commit: (has) => has(/^--am/),
  tag: (has) => has(/^-[a-zA-Z]*[df]|^--(d|forc)/),
  mv: (has) => has(/^-[a-zA-Z]*f|^--f/),
  rm: (has, { read }) => has(/^(-[a-zA-Z]*[rf]|--f)/) && !isOn(read, ["--cached"]) && !isDry(read),
  gc: (has) => has(/^(--prune(=.*)?|--aggressive)$/),
  reflog: (has) => has(/^(expire|delete)$/),
  worktree: (has) => has(/^(remove|prune|move|-B)$/),
  "read-tree": (has) => has(/^(--reset|-\w*[um]\w*)$/),
  "symbolic-ref": (has, { read }) => read.operands.length > 1 || has(/^-d|--delete/),
  "update-index": (has) => has(/^--(assume|skip|cacheinfo|index-info|force-remove|remove|add|chmod)/),
  "sparse-checkout": (has) => has(/^(set|disable|reapply)$/),
  submodule: (has, { read }) => has(/^(deinit|absorbgitdirs|set-url)$/) || isOn(read, ["-f", "--force"]),
  fetch: (_, { read }) => overwritesBranches(read, 1),
  pull: (_, { read }) => overwritesBranches(read, 1),
  remote: (has) => has(/^(remove|rm|prune|rename)$/),
  lfs: (has) => has(/^(prune|migrate|uninstall|install)$/),
  notes: (has) => has(/^(remove|prune)$/),
  maintenance: (has) => has(/^(start|register)$/),
  bisect: (has) => has(/^(run|reset)$/),
  // Reversing a patch removes uncommitted changes, which then exist only in that patch.
  apply: (has) =>
    has(/^(-[a-zA-Z\d]*R|--rev)/) && (has(/^--app/) || !has(/^--(check|stat|numstat|summary|cached)$/)),
};

/** What a verb destroys, if it can be named more precisely than "work" or "history". */
const losses: Record<string, string> = {
  clean: "deletes files that git does not keep",
  reset: "throws away work that was not committed, or moves the branch",
  restore: "throws away changes that were not committed",
  checkout:
    "throws away changes that were not committed, where it names files (`git switch` takes branches only)",
  switch: "throws away changes that were not committed",
  apply: "may take back changes that were not committed",
  stash: "drops stashed work, or takes away files that git ignores",
};

export function gitRisks(invocation: Invocation): Finding[] {
  const { args } = invocation;
  const call = readGit(args);
  const { verb, own, rest, read } = call;
  const before = ownRisks(own);
  if (!verb) return before;
  const found = verbRisks(verb.text, call, [...rest], read);
  const pushed = verb.text === "push" ? namesOfPush(invocation, own, read) : undefined;
  return pushed === undefined
    ? [...before, ...found]
    : found.map((one) => ({ ...one, subcommand: `push ${pushed}`, named: true as const }));
}

function ownRisks(own: ReadArguments): Finding[] {
  const settings = [...valuesOf(own, "-c", "--config-env")];
  const risky = settings.find(
    ({ text, unknown: isMade }) => riskySetting.test(text) || (isMade && /^[$`]/.test(text)),
  );
  const elsewhere = own.options.find(({ name, value }) =>
    name === "--exec-path" && value !== undefined
      ? true
      : /^--(git-dir|work-tree)$/.test(name) && !/^(\.git|\.\.?|)$/.test(value?.text ?? ""),
  );
  return [
    ...(risky
      ? [unknown("git -c", `${git(`-c ${risky.text}`)} makes git run or reach something else.`, [risky])]
      : []),
    ...(elsewhere
      ? [
          unknown(
            elsewhere.name,
            `\`git ${elsewhere.name}\` takes settings from ${asCode(elsewhere.value?.text ?? "elsewhere")}.`,
            [],
          ),
        ]
      : []),
  ];
}

function verbRisks(verb: string, call: GitCall, rest: Word[], read: ReadArguments): Finding[] {
  const options = rest.map(({ text }) => text);
  const has = (pattern: RegExp) => options.some((option) => pattern.test(option));
  if (sends.has(verb) || (verb === "lfs" && options[0] === "push")) {
    if (verb === "push" && isDry(read) && !has(runsProgram)) return [];
    return [
      {
        risk: "remote",
        why: `\`git ${verb}\` sends data to another repository or machine.`,
        subcommand: verb,
      },
    ];
  }
  if (verb === "archive" && read.options.some(({ name }) => /^--(rem|exec)/.test(name)))
    return [
      {
        risk: "remote",
        why: "`git archive --remote` asks another repository.",
        subcommand: options.join(" "),
      },
    ];
  // A path names a repository beside the project's own remote.
  if (verb === "submodule" && options[0] === "add" && read.operands.some(({ text }) => /^[./]/.test(text)))
    return [
      {
        risk: "remote",
        why: "`git submodule add` takes in another repository.",
        subcommand: options.join(" "),
      },
    ];
  if (verb === "config") return configRisks(read);
  if (runsOrTells.has(verb))
    return [unknown(verb, `\`git ${verb}\` runs programs, or tells what git keeps.`, rest)];
  const written = output(verb, read, rest).flatMap((word) => replaceReason(word, true) ?? []);
  const found: Finding[] = written.map((why) => loses(verb, why));
  const named = options.find((option) => runsProgram.test(option));
  const isClone = (verb === "clone" || verb === "init") && has(/^(-c|-u|--config)/);
  const messages = /^(commit|tag|notes|log|stash|merge)$/.test(verb);
  if ((named !== undefined && !(messages && !/^(--ext|--exe|--open)/.test(named))) || isClone)
    found.push(unknown(verb, `${git(`${verb} ${named ?? ""}`)} names a program that git runs.`, rest));
  const throwsAway = rewrites.has(verb) || (Object.hasOwn(destroying, verb) && destroying[verb]?.(has, call));
  if (throwsAway)
    found.push({
      ...loses(verb, `\`git ${verb}\` ${losses[verb] ?? "throws away work or changes history"}.`),
      ...(losesHistory(verb, options) ? { lost: true as const } : {}),
    });
  else if (makesCommits.test(verb) && !options.some((option) => leavesCommit.test(`${verb} ${option}`)))
    found.push({ ...loses(verb, `\`git ${verb}\` makes a commit, and you asked for none.`), commits: true });
  if (!knownVerbs.has(verb) && !rewrites.has(verb))
    found.push(unknown(verb, `${git(verb)} is not known here: it may be an alias.`, rest));
  return found;
}

/** Allowed without asking: reading settings, and setting the author's name and address or the appearance of output. */
function configRisks(read: ReadArguments): Finding[] {
  const [first, ...others] = read.operands.map(({ text }) => text);
  const isVerb = /^(get|list|set|unset|rename-section|remove-section|edit|get-regexp)$/.test(first ?? "");
  const [name = "", ...values] = isVerb ? others : [first ?? "", ...others];
  const reads = isVerb
    ? /^(get|list|get-regexp)$/.test(first ?? "")
    : isOn(read, [
        "--get",
        "--get-all",
        "--get-regexp",
        "--get-urlmatch",
        "--get-color",
        "--get-colorbool",
        "-l",
        "--list",
      ]);
  if (reads || (values.length === 0 && read.options.length === 0 && !isVerb)) return [];
  if (isOn(read, ["-e", "--edit"]) || first === "edit")
    return [unknown("config", "Opens git's settings in an editor.", [])];
  const ofScope = /^(--(global|system|file|worktree)|-f)$/;
  const scope = read.options.find((option) => ofScope.test(option.name));
  const lost = /^--[gs]/.test(scope?.name ?? "") && ({ lost: true } as const);
  const outside = `Changes git's settings outside this repository (${scope?.name}).`;
  const aliased = /^alias\./i.test(name) ? /^!\s*(\S+)/.exec(values[0] ?? "")?.[1] : undefined;
  const risky =
    aliased !== undefined
      ? `Sets a git alias that runs ${asCode(aliased)}.`
      : riskySetting.test(name) && `${git(`config ${name}`)} makes git run or reach something else.`;
  return [
    ...(scope ? [{ ...loses("config", outside), ...lost }] : []),
    ...(risky ? [unknown("config", risky, read.operands)] : []),
  ];
}

/** Files that git writes to a path given on the command line. */
function output(verb: string, read: ReadArguments, rest: readonly Word[]): Word[] {
  if (verb === "archive") return valuesOf(read, "-o", "--output").filter(isNotPackage);
  if (verb === "bundle" && read.operands[0]?.text === "create")
    return read.operands.slice(1, 2).filter(isNotPackage);
  if (verb === "mailinfo") return read.operands;
  const marks = rest.flatMap((word) =>
    /^--(export-marks|build-fake-ancestor)=/.test(word.text)
      ? [{ ...word, text: word.text.replace(/^[^=]*=/, "") }]
      : [],
  );
  if (marks.length > 0) return marks;
  const separate = /^(diff|log|show|format-patch|diff-tree|diff-index|range-diff|whatchanged)$/.test(verb);
  return separate
    ? rest.flatMap((word, at) => {
        if (word.text === "--output") return rest[at + 1] ?? [];
        return /^--outp\w*=/.test(word.text) ? [{ ...word, text: word.text.replace(/^[^=]*=/, "") }] : [];
      })
    : [];
}

function isNotPackage({ text }: Word): boolean {
  return leavesWorkspace(text) || !/\.(tar|tgz|zip|bundle|tar\.\w+)$/.test(text);
}

/** A dry run that no later option cancels. */
function isDry({ operands, options }: ReadArguments): boolean {
  return isOn(
    { operands, options: options.filter(({ value }) => value === undefined) },
    ["-n", "--dry-run", ...prefixes("--dry-run", 3)],
    ["--no-dry-run", ...prefixes("--no-dry-run", 6)],
  );
}

function prefixes(name: string, from: number): string[] {
  return Array.from({ length: name.length - from }, (_, at) => name.slice(0, from + at));
}

/** Command lines that git is asked to run. */
export function gitScripts({ args }: Invocation): string[] {
  const { verb, rest } = readGit(args);
  const texts = rest.map(({ text }) => text);
  const after = (word: string) =>
    texts.includes(word)
      ? [
          texts
            .slice(texts.indexOf(word) + 1)
            .join(" ")
            .replace(/^(--recursive|-q|--quiet) /, ""),
        ]
      : [];
  return [
    ...(verb?.text === "submodule" ? after("foreach") : []),
    ...(verb?.text === "bisect" ? after("run") : []),
  ];
}
