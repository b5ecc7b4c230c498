// Code in languages that are not parsed here, given by an option or as input. Only the names that it contains are
// examined.
import { otherHost } from "./address.ts";
import type { Finding } from "./finding.ts";
import type { Invocation } from "./invocation.ts";

const languages =
  /^(julia|R|Rscript|tclsh|wish|jimsh|elixir|iex|erl|groovy|ghc|runghc|ghci|guile|csi|sbcl|ecl|clisp|clojure|clj|bb|scala|scala-cli|kotlin|kotlinc|racket|swift|jshell|crystal|raku|ocaml|utop|octave|octave-cli|matlab|gnuplot|g?m4|dc|nim|qjs|janet|fennel|swipl|gprolog|gp|maxima|sage|pike|gforth|wolframscript|ipython3?|sqlite-utils|pylint|django-admin|rails|drush|wp|mlr|zx|jrunscript|mix|stack|lein|sbt|rake|visidata|vd|nix(-\w+)?|osqueryi?|clickhouse(-local)?)[\d.-]*$/;
const javascript = /^(bun|deno|node|nodejs|tsx)$/;

/** The names that those languages have for a shell, for running a program, and for deleting files. */
const names = new RegExp(
  [
    // Words specific to one language.
    /\b(system2?|executable|callCommand|shell\w*|e?syscmd|popen\w*|exec(ute)?(Cmd\w*|Process|[vl]\w*)?|spawn\w*|(ba|z|da)?sh|rmdir|rmDir|rmtree|rm_rf|unlink|urlread|urlwrite|webread|websave|curl|wget|scp|ssh)\b/,
    // R's `rm(list = …)` only deletes variables.
    /\brm\b(?!\s*\(\s*list)/,
    // Functions of modules, by the module's name.
    /\b(Sys\.(command|remove)|Unix\.\w|std\.remove|sys\.process|ProcessBuilder|run-program|open-(input-|output-)?pipe|open_pipe|pipe\s*\()/,
    /\b(file|File|Dir|fs|path|os)\w*[\s.:/]+\w*(delete|remove|unlink)\w*/,
    /\b(delete|remove)[-_]?(file|dir|tree|recursive|File|Dir|Tree)\w*|\bdelete\s*\(\s*["']/,
  ]
    .map(({ source }) => source)
    .join("|"),
);
/** Characters that begin a command in some languages. */
const signs: ReadonlyMap<string, RegExp> = new Map([
  // `!<`, `!=` and `!>` are comparisons: https://www.gnu.org/software/bc/manual/dc-1.05/html_mono/dc.html
  ["dc", /!(?!\s*[<>=])/],
  // http://gnuplot.info/docs/ "Piped data", "Substitution", "Shell"
  ["gnuplot", /(^|[;\n])\s*!|["']\s*[<|]|`/],
  ["ipython", /(^|[;\n=])\s*[!%]/],
  ["tclsh", /\bopen\s+["{]?\s*\|/],
  ["jimsh", /\bopen\s+["{]?\s*\|/],
]);
/** Lines that are shell commands and not JavaScript. */
const shellLine = /(^|\n)\s*(sudo\s+)?(rm|mv|curl|wget|git|ssh|scp|(ba|z)?sh|npm|npx)\s+[\w./~-]/;

export function foreignCode(call: Invocation): Finding[] {
  const { program } = call;
  const code = javascript.test(program) ? inputOf(call) : languages.test(program) ? allCode(call) : "";
  const isTold = javascript.test(program)
    ? shellLine.test(code)
    : names.test(code) || signs.get(program)?.test(code) || otherHost(code, false) !== undefined;
  if (!isTold) return [];
  return [
    {
      risk: "destructive",
      unknown: true,
      why: `\`${program}\` is given code that names a command, a removal or an address.`,
      subcommand: code,
    },
  ];
}

/** Arguments that may be code rather than file names or options, and the input as far as the line shows it. */
function allCode(call: Invocation): string {
  const given = call.args.map(({ text }) => text).filter((text) => /[\s(!`]/.test(text));
  return [...given, inputOf(call)].join("\n").trim();
}

function inputOf({ command }: Invocation): string {
  const words = command.upstream?.words.map(({ text }) => text) ?? [];
  // The parser keeps keywords as words of the command: `then echo x`.
  const at = words.findIndex((text) => /^(echo|printf)$/.test(text));
  const printed = at < 0 ? [] : words.slice(at + 1).filter((text) => !/^-\w+$/.test(text));
  return [...command.input, ...printed].join("\n");
}
