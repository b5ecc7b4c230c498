// Code given to an interpreter on its command line: the shell commands that its text plainly shows, and whether it
// hides what it does. Script files are not seen. Most such code reads or computes; only the jail protects against
// code that deceives these rules.
import * as codePatterns from "./code-patterns.ts";
import { isOddlyMarked } from "./file-tool.ts";
import type { Invocation } from "./invocation.ts";
import { asModule } from "./module-call.ts";
import { readArguments, valuesOf } from "./options.ts";
import { leavesWorkspace } from "./outside-path.ts";
import { madeUpFolder, pathKind } from "./path-kind.ts";
import type { Word } from "./shell-word.ts";

const interpreter =
  /^(i?python|pypy|py|node(js)?|tsx|ts-node|deno|bun|perl|ruby|php|lua|luajit|julia|R|Rscript|osascript|tclsh|elixir|iex|erl|groovy|ghc|guile|sbcl|clojure|clj|bb|scala|kotlin|racket|swift|crystal|raku|ocaml|octave|([gmn]|original-)?awk)[\d.]*$/;
/** The option that contains the code or precedes it. awk's code is its first argument. */
const codeOption = /^(?:-[a-zA-Z0-9]*[eEcr]|-pe?|--?eval=?|--print|--execute=?|eval)([\s\S]*)$/;
/** https://www.php.net/manual/en/features.commandline.options.php */
const phpCode = /^(?:-[BRE]|--run=?|--process-(?:begin|code|end)=?)([\s\S]*)$/;
/** For these programs, `-r` loads a module and `-c` checks a file. */
const notCode = /^(node|nodejs|tsx|ts-node|ruby[\d.]*) -[rc]/;

export interface InlineScript {
  /** Equivalent command lines; empty for code that only reads. */
  scripts: string[];
  /** It runs text, or uses names, that it puts together at run time. */
  hides: boolean;
}

/** The first group: code in the same word. */
function codeIn(program: string, text: string): RegExpExecArray | null {
  if (notCode.test(`${program} ${text}`)) return null;
  return codeOption.exec(text) ?? (program.startsWith("php") ? phpCode.exec(text) : null);
}

/** The arguments that are code. */
export function codeWords({ program, args }: Invocation): Word[] {
  if (!interpreter.test(program)) return [];
  if (program.endsWith("awk")) return [...args];
  return args.flatMap((word, at) => {
    const found = codeIn(program, word.text);
    const next = args[at + 1];
    return found ? (next ? [word, next] : [word]) : [];
  });
}

export function inlineCode(call: Invocation): InlineScript {
  const { program, args, command } = call;
  if (!interpreter.test(program)) return { scripts: [], hides: false };
  const texts = args.map(({ text }) => text);
  const given = texts.flatMap((text, at) => {
    const found = codeIn(program, text);
    return found ? [found[1] ?? "", texts[at + 1] ?? ""] : [];
  });
  given.push(...codeInOptions(call));
  const isAwk = program.endsWith("awk");
  const said = command.upstream?.words.map(({ text }) => text) ?? [];
  const awk = awkCode(args);
  const readsCode = isAwk ? awkReadsProgram(awk) : readsProgram(call);
  const code = [...command.input, ...(readsCode ? said : []), ...(isAwk ? texts : given)].join("\n");
  // awk programs often begin with a field, which looks like a variable of the shell: `$1 ~ x`.
  const madeUp = isAwk ? /^\s*\$(\{|[@*]|\w*\s*$)/ : /^\s*\$/;
  const programs = isAwk ? awk.programs : codeWords(call);
  const isMadeUp = programs.some(({ unknown, text }) => unknown && madeUp.test(text));
  const file = args.find(({ text }) => !text.startsWith("-"));
  const isSubstituted = file !== undefined && isSubstitution(file);
  const hidesInput =
    isSubstituted ||
    (readsCode && command.input.length === 0 && (comesFromElsewhere(call) || program === "osascript")) ||
    // `<<< "$CODE"`
    (readsCode && command.input.some((text) => /^\s*\$\{?\w*\}?\s*$/.test(text)));
  return { scripts: scriptsOf(code, isAwk), hides: isMadeUp || hidesInput || hidesWhatItDoes(program, code) };
}

/** `node <(…)`; `node $(cat x)`, whose words may be options with code, other than `node $(which x)`. */
function isSubstitution({ text, quoted, scripts }: Word): boolean {
  const isFound = scripts.every((script) => /^(which|command -v) [\w-]+$/.test(script));
  return !quoted && /^(<|\$$)/.test(text) && !isFound;
}

interface AwkCode {
  programs: Word[];
  /** Files with code, which are not seen, like those of other interpreters. */
  files: Word[];
}

/** awk's code: its first operand, or the value of `-e`. The other words are files, separators and variables. */
function awkCode(args: readonly Word[]): AwkCode {
  const read = readArguments(
    args,
    "F:v:f:e:E:i:l:assign:field-separator:file:source:exec:include:load:",
    "first",
  );
  const programs = [...read.operands.slice(0, 1), ...valuesOf(read, "-e", "--source")];
  return { programs, files: valuesOf(read, "-f", "--file", "-E", "--exec", "-i", "--include") };
}

/** `awk -f - < x`, `xargs awk` */
function awkReadsProgram({ programs, files }: AwkCode): boolean {
  const isInput = files.some(({ text }) => /^(-$|\/dev\/|\/proc\/)/.test(text));
  return isInput || programs.length + files.length === 0;
}

/** Modules that options load, code in a `data:` address, and the code that `python -m timeit` runs. */
function codeInOptions({ program, args }: Invocation): string[] {
  const texts = args.map(({ text }) => text);
  if (/py/.test(program)) {
    const own = asModule({ program, args });
    return /^(timeit|pdb|cProfile|profile|trace)$/.test(own.program) ? own.args.map(({ text }) => text) : [];
  }
  return texts.flatMap((text, at) => {
    if (program.startsWith("perl")) return /^-[a-zA-Z0-9]*[Mm]-?([A-Z][\w:]+|ojo)/.exec(text)?.[1] ?? [];
    if (program.startsWith("ruby"))
      return text === "-r"
        ? [`require "${texts[at + 1] ?? ""}"`]
        : text.startsWith("-r")
          ? [text.slice(2)]
          : [];
    const data = /^(?:--?[\w-]+=)?data:([^,]*),([\s\S]*)$/.exec(text);
    if (!data) return [];
    if (/base64/.test(data[1] ?? "") || /%/.test(data[2] ?? "")) return ["eval(hidden)"];
    return [data[2] ?? ""];
  });
}

/**
 * Whether the program itself comes from the input, because neither a file nor code is among the arguments.
 */
function readsProgram(call: Invocation): boolean {
  const { program, args, moreArgs } = call;
  const texts = args.map(({ text }) => text);
  // What `xargs node x.js` adds comes after the script's name.
  if (moreArgs) return isOddlyMarked(call) || !/^[\w./][\w./-]*\.\w+$/.test(texts[0] ?? "");
  if (/^(deno|bun)$/.test(program)) return texts.includes("-");
  const isNamed = texts.some((text, at) => {
    if (codeIn(program, text)) return true;
    if (/^-[a-zA-Z]*m/.test(text)) return true;
    return !text.startsWith("-") && !/^-[WXrI]$/.test(texts[at - 1] ?? "") && !text.startsWith("/dev/");
  });
  // `python -v` is verbose.
  const tells = /py/.test(program) ? /^-(-?version|V|-?help|h)$/ : /^-(-?version|V|-?help|h|v)$/;
  return !isNamed && !texts.some((text) => tells.test(text));
}

/** Input piped or redirected from a source that the line does not show. */
function comesFromElsewhere({ command, args }: Invocation): boolean {
  const first = command.upstream?.words[0]?.text ?? "";
  const isShown = /^(echo|printf)$/.test(first) && !command.upstream?.words.some(({ unknown }) => unknown);
  if (command.upstream) return !isShown;
  return command.redirects.some(({ to }) => !to) || args.some(({ text }) => text.startsWith("/dev/"));
}

function scriptsOf(code: string, isAwk: boolean): string[] {
  const strings = [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`]*)`/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  );
  const urls = strings.filter((text) => /^[a-z]+:\/\//.test(text));
  const same = codePatterns.equivalents.flatMap(([pattern, line]) => {
    if (!pattern.test(code)) return [];
    return line === "curl" ? [urls.length > 0 ? urlLine(urls) : `curl ${codePatterns.unnamedHost}`] : [line];
  });
  const removed = strings.filter((text) => !/\s/.test(text));
  const removal = codePatterns.removes.test(code)
    ? [
        codePatterns.removesPlainly.test(code) &&
        removed.length > 0 &&
        !removed.some((text) => /[$`]/.test(text))
          ? `rm ${removed.map(quoted).join(" ")}`
          : 'rm "$made_up"',
      ]
    : [];
  const outside = codePatterns.writes.test(code)
    ? strings
        .filter(
          (text) =>
            /^(\/|~|\.\.\/|\.git\/)[\w~./-]+$/.test(text) && (text[1] === "g" || leavesWorkspace(text)),
        )
        // The end of a path whose beginning is known only at run time.
        .map((text) => (isJoined(code, text) ? `${madeUpFolder}${text}` : text))
    : [];
  const emptied = [...code.matchAll(codePatterns.empties)]
    .flatMap((match) => match[1] ?? match[2] ?? [])
    .filter((path) => pathKind(path) === "kept");
  const named = [...code.matchAll(codePatterns.emptiesPath)].map((match) => match[1] ?? "");
  const isFound = codePatterns.emptiesFound.test(code.replaceAll(codePatterns.emptiesPath, " "));
  const files = isAwk ? [...code.matchAll(/>\s*"([^"|]+)"/g)].map((match) => match[1] ?? "") : [];
  const overwritten = [...code.matchAll(codePatterns.opensForWriting)]
    .map((match) => match.slice(1).find((path) => path !== undefined) ?? "")
    .filter((path) => pathKind(path) === "kept");
  const opened = [...code.matchAll(codePatterns.opens)].map((match) => match[1] ?? "");
  const moves = [...code.matchAll(codePatterns.moves)].map(
    (match) => `mv ${quoted(match[1] ?? "")} ${quoted(match[2] ?? "")}`,
  );
  // In JavaScript, regular expressions also have a method `exec`.
  const callsShell = isAwk || /shelljs|\bzx\b|Deno|Bun|os\.exec|Kernel/.test(code);
  const runsShell =
    codePatterns.runsShell.test(callsShell ? code : code.replaceAll(/\.exec\s*\(/g, "(")) ||
    (isAwk && /\|\s*&?\s*"|"\s*\|\s*&?\s*getline/.test(code));
  return [
    ...same,
    ...removal,
    ...[...outside, ...opened].map((path) => `touch ${quoted(path)}`),
    ...moves,
    ...(isFound ? [': > "$made_up"'] : []),
    ...[...emptied, ...overwritten, ...named].map((path) => `: > ${quoted(path)}`),
    ...files.map((path) => `echo x > ${quoted(path)}`),
    // A list of arguments is also read as the command that it forms.
    ...(runsShell ? [...strings, strings.join(" ")] : []),
  ];
}

/** Whether a shell, an evaluator or a function that needs a name gets anything but plain text. */
function hidesWhatItDoes(program: string, code: string): boolean {
  if (/awk$/.test(program)) return codePatterns.awkHides.test(code.replaceAll(codePatterns.awkPlain, ""));
  const rest = code.replaceAll(codePatterns.plainCall, " ");
  const isPython = /py/.test(program);
  const isNode = /^(node|tsx|ts-node|deno|bun)/.test(program);
  const own = isPython
    ? codePatterns.pythonHides
    : isNode
      ? codePatterns.nodeHides
      : codePatterns.scriptHides;
  return own.test(rest);
}

function isJoined(code: string, text: string): boolean {
  return [`+"${text}`, `+'${text}`].some((end) => code.replaceAll(/\s/g, "").includes(end));
}

function urlLine(urls: readonly string[]): string {
  return `curl ${urls.map(quoted).join(" ")}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "")}'`;
}
