// Arguments and programs that make a command run another one, which the line only names.
import { commandOptions, interactive, runsOperands } from "./command-options.ts";
import { type Finding, unseen } from "./finding.ts";
import type { Invocation } from "./invocation.ts";
import { readArguments } from "./options.ts";
import { readSedScript, sedArguments } from "./sed-script.ts";
import { inVariables } from "./set-variables.ts";
import type { Word } from "./shell-word.ts";

/** Tools that install hooks in the repository. */
const installsHooks =
  /^(pre-commit (install|autoupdate|init-templatedir)|husky |lefthook (install|add)|simple-git-hooks|overcommit (--install|-i)|git-secrets --install)/;

/** Programs that run a part of their arguments, and how to recognise it. */
const runsText: readonly (readonly [RegExp, RegExp])[] = [
  [/^less$/, /(^| )(\+|-[kP]|--lesskey)/],
  [/^man$/, /(^| )(-\w*[PHC]|--(pager|html|config))/],
  [/^g?make$/, /(^| )(SHELL|\.SHELLFLAGS|MAKE)[:?+]?=/],
  [
    /^(g?make|bmake|remake|just|task|go-task)$/,
    /(^| )(-[ft] ?|--(make|just|task)?file[= ])(-|\/dev\/(stdin|fd\S*))( |$)/,
  ],
  [/^(ba)?sh$/, /(^| )--(rc|init-)f/],
  [/^(p|file-)?rename$/, /`|\b(system|exec|unlink|qx|open)\b/],
  [/tex$|^latexmk$/, /-shell-escape|write18|\\input\s*\{?\s*"?\||(^| )-e /],
  [/^(convert|magick|identify|montage|composite|gs)$/, /(^| )\||%pipe%/],
];

const givenProgram = (program: string) => `\`${program}\` is given a program to run.`;

/** Programs that run commands from a file that an option names. */
const runsItsFile = /^(g?make|g?sed|cmake|ninja|just|psql|mysql|mariadb|mongosh|redis-cli|gnuplot|g?m4)$/;

/** Options of `env`. */
const splitString = ["-S", "--split-string"];

/** Command lines that the arguments contain. */
export function scriptsInArguments(call: Invocation): string[] {
  const { program, args, wrappers } = call;
  const own = byOptions(
    program,
    args.map((word) => word),
  );
  const inWrappers = wrappers.flatMap(({ name, read }) => {
    const run = commandOptions.get(name.split(" ")[0] ?? "")?.run;
    const split = name === "env" ? splitString : [];
    return read.options.flatMap(({ name: option, value }) =>
      value && (run?.has(option) || split.includes(option)) ? [value.text] : [],
    );
  });
  const operands =
    runsOperands.has(program) ||
    wrappers.some(({ name }) => name.startsWith("tmux") || name.startsWith("screen"))
      ? args.filter(({ text }) => /\s/.test(text)).map(({ text }) => text)
      : [];
  const values = /^g?make$/.test(program)
    ? args.flatMap(({ text }) =>
        /^[A-Za-z_]\w*[:?+]?=/.test(text) ? [text.slice(text.indexOf("=") + 1)] : [],
      )
    : [];
  return [...own, ...inWrappers, ...operands, ...values, ...sedRuns(call)];
}

function byOptions(program: string, args: Invocation["args"]): string[] {
  const rule = commandOptions.get(program);
  if (!rule) return [];
  const { options } = readArguments(singleDash(program, args), rule.spec);
  return options.flatMap(({ name, value }) => {
    if (!value || !(rule.run.has(name) || rule.run.has(name.slice(1)))) return [];
    return [value.text];
  });
}

/** Treats options with one dash and several letters (`-ex`, `-TT`, `-wrapper`) as long options. */
function singleDash(program: string, args: Invocation["args"]): Invocation["args"] {
  if (!/^(zip|gcc|g\+\+|go|ld)$/.test(program)) return args;
  return args.flatMap((word) => {
    const found = /^-(exec|toolexec|vettool|wrapper|plugin|TT)(=?)([\s\S]*)$/.exec(word.text);
    if (!found) return [word];
    const [, name = "", , rest = ""] = found;
    return rest === "" ? [{ ...word, text: `--${name}` }] : [{ ...word, text: `--${name}=${rest}` }];
  });
}

function sedRuns({ program, args }: Invocation): string[] {
  if (!/^g?sed$/.test(program)) return [];
  return sedArguments(args).scripts.flatMap(({ text }) => readSedScript(text).runs);
}

/**
 * Calls that always need permission: programs that run text that is not shown, and variables that run commands or load
 * code.
 */
export function runsUnseen(call: Invocation): Finding[] {
  return [...inProgram(call), ...inVariables(call), ...inWrappers(call)];
}

function inProgram(call: Invocation): Finding[] {
  const { program, args, command, wrappers } = call;
  const texts = args.map(({ text }) => text);
  const asksOnly = texts.length === 1 && /^(--version|--help|-V|-h)$/.test(texts[0] ?? "");
  const said = texts.join(" ");
  // `sg` is also ast-grep, which only searches and rewrites.
  const isAstGrep =
    program === "sg" &&
    /^(run|scan|test|new|lsp|completions|help|-p|--pattern)\b/.test(said) &&
    !texts.includes("-c");
  if (interactive.has(program) && !asksOnly && !isAstGrep)
    return [unseen(program, said, `\`${program}\` can run any command from its own.`)];
  if (/^g?sed$/.test(program)) {
    const read = sedArguments(args).scripts.map((word) => ({ word, script: readSedScript(word.text) }));
    if (read.some(({ script }) => script.runs.length > 0))
      return [unseen("sed", said, "This sed script runs commands.")];
    if (read.some(({ script, word }) => (word.unknown ? isWhollyUnknown(word) : !script.ok)))
      return [unseen("sed", said, "This sed script is not understood.")];
  }
  if (program === "find" && args.some((word, at) => addsToExpression(word, args.slice(0, at))))
    return [unseen(program, said, "What `find` does is only known when it runs.")];
  if (
    (runsItsFile.test(program) && args.some(({ text, unknown }) => unknown && text.startsWith("<"))) ||
    runsText.some(([name, text]) => name.test(program) && text.test(said))
  )
    return [unseen(program, said, givenProgram(program))];
  if (
    /^(enable|hash|bind|tclsh|wish|osascript)$/.test(program) &&
    texts.some((text) => /^-[fpxec]|^[^-]/.test(text))
  )
    return program === "hash" && !texts.some((text) => /^-\w*p/.test(text))
      ? []
      : [unseen(program, said, `\`${program}\` makes another program run.`)];
  if (
    /^(npm|pnpm|yarn) ((config|c) )?set .*\b(shell|editor|viewer|git|node-options|prefix|userconfig|globalconfig|cafile|strict-ssl|onload-script)\b/.test(
      `${program} ${said}`,
    )
  )
    return [unseen(program, said, `Makes \`${program}\` run or trust something else later.`)];
  if (
    /^(cp|ln|mv|install)$/.test(program) &&
    /(^|[ `(])(\/(usr\/)?(local\/)?s?bin\/\w|(which|command -v|type -\w) )/.test(
      args.flatMap(({ text, scripts }) => [text, ...scripts]).join(" "),
    )
  )
    return [unseen(program, said, "Gives a program of this machine another name.")];
  if (/^(yarn|pnpm|bun) link [^-]/.test(`${program} ${said}`))
    return [unseen(program, said, "Puts a package from elsewhere on this machine in place of its own.")];
  if (installsHooks.test(`${program} ${said}`))
    return [unseen(program, said, "Sets up hooks that git runs by itself later.")];
  if (
    /^(gpg2?|ssh-keygen|ssh-add|keytool|security)$/.test(program) &&
    !asksOnly &&
    !/^-(l|L|k|K|lf|F)\b|^--(list|verify|fingerprint)/.test(said)
  )
    return [unseen(program, said, `\`${program}\` uses or changes keys.`)];
  if (program === "fc" || (program === "history" && texts.includes("-s")))
    return [unseen(program, said, "Runs or changes earlier commands.")];
  if (/^(powershell|pwsh|cmd|wscript|cscript|mshta|rundll32)(\.exe)?$/.test(program) && !asksOnly)
    return [unseen(program, said, `What \`${program}\` runs is not read here.`)];
  if (
    /^(tar|bsdtar|zip|rsync|split|sort|rg|tcpdump|go|cargo|gcc|g\+\+|ld|pytest|ctags|npm|pnpm)$/.test(
      program,
    ) &&
    namesProgram(call)
  )
    return [unseen(program, said, givenProgram(program))];
  const listed = wrappers.find(({ name }) => name === "parallel");
  if (
    listed &&
    (program === "" || program === ":::") &&
    (program === ":::" ||
      command.upstream ||
      command.input.length > 0 ||
      listed.read.options.some(({ name }) => /^-(a|-arg-file)$/.test(name)))
  )
    return [unseen("parallel", said, "`parallel` runs lines that it is given.")];
  if (/^\{.*\}$/.test(program))
    return [unseen(program, said, "Runs names that are only known when it runs.")];
  return [];
}

/** `$X`, `$(…)`: nothing of the word is written out. */
function isWhollyUnknown({ text, scripts }: Word): boolean {
  return scripts.length > 0 ? /^\$+$/.test(text) : /^\$\{?\w+\}?$/.test(text);
}

/** `find . $(cat x)`: the shell splits it, and its words may be `-delete`. A variable may also be one more folder. */
function addsToExpression(word: Word, before: readonly Word[]): boolean {
  const last = before.at(-1)?.text ?? "-";
  const isValue = last.startsWith("-") && !/^-(o|a|not|print0?|depth|prune)$/.test(last);
  if (word.quoted || isValue || !isWhollyUnknown(word)) return false;
  return word.scripts.length > 0 || before.some(({ text }) => text.startsWith("-"));
}

function namesProgram({ program, args }: Invocation): boolean {
  const rule = commandOptions.get(program);
  if (!rule) return false;
  return readArguments(singleDash(program, args), rule.spec).options.some(({ name, value }) => {
    const runs = rule.run.has(name) || rule.run.has(name.slice(1));
    const own = /^(gzip|pigz|zstd|xz|bzip2|lz4|lbzip2|pixz)( -\S+)*$/.test(value?.text ?? "");
    if (program === "cargo")
      return runs && /runner|rustc|linker|wrapper|index|credential|registry|replace/.test(value?.text ?? "");
    if (program === "pytest" || program === "npm" || program === "pnpm")
      return (
        runs &&
        !/^no:|^-?c$/.test(value?.text ?? "") &&
        name !== "-c" &&
        name !== "--call" &&
        !/^(xdist|asyncio|cov|randomly|timeout)/.test(value?.text ?? "")
      );
    return runs && !own;
  });
}

function inWrappers({ wrappers, command }: Invocation): Finding[] {
  const said = command.words.map(({ text }) => text).join(" ");
  return wrappers.flatMap(({ name, read }): Finding[] => {
    if (
      /^(sudo|doas|pkexec|runuser|gosu|setpriv|chroot|nsenter|unshare|systemd-run)$/.test(name) &&
      !read.options.some((option) => /^--(version|help)$/.test(option.name))
    )
      return [
        {
          risk: "destructive",
          lost: true,
          why: `\`${name}\` runs it as another user or outside this sandbox.`,
          subcommand: said,
        },
      ];
    if (name === "parallel" && read.options.some((option) => /^-(S|-slf|-ssh)/.test(option.name)))
      return [unseen(name, said, "`parallel` runs it on other machines.")];
    // `env -S rm -r x` runs `rm -r x`: the words after the value are its arguments.
    const isSplit = name === "env" && read.options.some((option) => splitString.includes(option.name));
    return isSplit && read.options.length + read.operands.length > 1
      ? [unseen(name, said, "`env -S` puts a command together.")]
      : [];
  });
}
