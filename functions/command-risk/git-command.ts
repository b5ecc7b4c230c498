// What a git command may throw away or send out.

import type { Finding } from "./finding.ts";
import type { Invocation } from "./invocation.ts";

/** Verbs that keep what there is, or that are judged by their options below. Another verb may be an alias for anything. */
const known = new Set(
  `add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout cherry cherry-pick
  clean clone commit config count-objects describe diff diff-files diff-index diff-tree difftool fetch format-patch fsck gc
  grep hash-object help init lfs log ls-files ls-remote ls-tree maintenance merge merge-base merge-tree mv name-rev notes
  pull range-diff read-tree reflog remote reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref
  sparse-checkout stash status submodule switch symbolic-ref tag var verify-commit version whatchanged worktree write-tree`.split(
    /\s+/,
  ),
);

const rewrites = new Set([
  "rebase",
  "filter-branch",
  "filter-repo",
  "update-ref",
  "prune",
  "replace",
  "fast-import",
]);
const sends = new Set(["push", "send-email", "request-pull", "send-pack", "http-push", "svn", "p4"]);
/** Settings whose value git runs as a command. */
const runsValue =
  /^(alias\.|core\.(sshcommand|editor|pager|fsmonitor|hookspath|askpass|gitproxy)|credential\.|diff\.(external|.*\.(command|textconv))|merge\..*\.driver|filter\.|gpg\.|pager\.|include|sequence\.editor|protocol\.ext|uploadpack\.|remote\..*\.(receive|upload)pack)/i;

/** Options and addresses that name a program. */
const runsProgram =
  /^(--(exec-path=|upload-p|receive-p|extcmd|open-files|exec\b|ext-diff|template)|ext::|-O.)/;

/** Verbs of an option that throws work away. */
const destroying: Record<string, (has: (pattern: RegExp) => boolean) => boolean> = {
  // Git takes the beginning of an option for the whole.
  reset: (has) => has(/^--(h|me|k|s)|[~^]/),
  clean: (has) => !has(/^(-[a-zA-Z]*n[a-zA-Z]*|--dry-run|-[hi])$/),
  branch: (has) => has(/^(-[a-zA-Z]*[DMCf][a-zA-Z]*|--forc.*)$/),
  // A bare file name cannot be told from a branch's: not seen.
  checkout: (has) => has(/^(-f|-B|--forc.*|--|\.|\.\/.*|\*|:\/.*)$/),
  switch: (has) => has(/^(-f|-C|--(forc|disc).*)$/),
  restore: (has) => !has(/^(--staged|-S)$/) || has(/^(--worktree|-W)$/),
  stash: (has) => has(/^(drop|clear)$/),
  commit: (has) => has(/^--am/),
  tag: (has) => has(/^-[a-zA-Z]*[df]|^--(del|forc)/),
  rm: (has) => has(/^-[a-zA-Z]*[rf]/) && !has(/^--cached$/),
  gc: (has) => has(/^(--prune(=.*)?|--aggressive)$/),
  reflog: (has) => has(/^(expire|delete)$/),
  worktree: (has) => has(/^(remove|prune)$/),
  "read-tree": (has) => has(/^(--reset|-u)$/),
};

export function gitRisk({ args }: Invocation): Finding | undefined {
  const texts = args.map(({ text }) => text);
  let at = 0;
  while (texts[at]?.startsWith("-")) {
    const option = texts[at] ?? "";
    const setting =
      option === "-c" ? (texts[at + 1] ?? "") : option.startsWith("--config-env=") ? option.slice(13) : "";
    if (runsValue.test(setting))
      return loses("git -c", `\`git -c ${setting.split("=")[0]}\` runs a command of its own.`);
    at += /^(-c|-C|--git-dir|--work-tree|--namespace|--attr-source|--config-env)$/.test(option) ? 2 : 1;
  }
  const verb = texts[at] ?? "";
  const options = texts.slice(at + 1);
  if (verb === "") return undefined;
  const has = (pattern: RegExp) => options.some((option) => pattern.test(option));
  if (args[at]?.unknown) return loses(verb, "What git does is made up at run time.");
  if (sends.has(verb) || (verb === "lfs" && options[0] === "push")) {
    return verb === "push" && options.some((option) => /^(-n|--dry-run)$/.test(option)) && !has(/^--no-d/)
      ? undefined
      : {
          risk: "remote",
          why: `\`git ${verb}\` sends data to another repository or machine.`,
          subcommand: verb,
        };
  }
  if (
    verb === "config" &&
    options.some((option) => runsValue.test(option)) &&
    options.filter((option) => !option.startsWith("-")).length > 1
  ) {
    return loses(verb, "It makes git run a command of its own later.");
  }
  if (texts.some((text) => runsProgram.test(text))) return loses(verb, "It names a program that git runs.");
  const throwsAway = rewrites.has(verb) || (Object.hasOwn(destroying, verb) && destroying[verb]?.(has));
  if (throwsAway) return loses(verb, `\`git ${verb}\` throws away work or rewrites history.`);
  return known.has(verb)
    ? undefined
    : {
        ...loses(verb, `\`git ${verb}\` is not known here; it may be an alias for anything.`),
        unknown: true,
      };
}

function loses(subcommand: string, why: string): Finding {
  return { risk: "destructive", why, subcommand };
}

/** Command lines that git is told to run. */
export function gitScripts({ args }: Invocation): string[] {
  const texts = args.map(({ text }) => text);
  const alias = texts.flatMap((text) => /^alias\.[^=]*=(!?)([\s\S]*)/.exec(text) ?? [])[2];
  if (alias !== undefined) return [alias, `git ${alias}`];
  const foreach = texts.indexOf("foreach");
  if (texts.includes("submodule") && foreach >= 0) return [texts.slice(foreach + 1).join(" ")];
  const run = texts.indexOf("run");
  return texts.includes("bisect") && run >= 0 ? [texts.slice(run + 1).join(" ")] : [];
}
