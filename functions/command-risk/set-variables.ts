// Variables that a command sets and that make a program run or load something, including a PATH with other programs.

import { asCode } from "../../shared/as-code.ts";
import {
  harmlessHook,
  hookVariable,
  loaderVariable,
  optionVariables,
  settingsFile,
  toolVariable,
} from "./command-options.ts";
import { type Finding, unseen } from "./finding.ts";
import type { Invocation } from "./invocation.ts";
import { readArguments, valuesOf } from "./options.ts";
import type { Word } from "./shell-word.ts";
import type { SimpleCommand } from "./simple-command.ts";
import { possibleWords } from "./variables.ts";

/**
 * The arguments with which a builtin names the variables that it fills: `read PAGER`, `printf -v PAGER x`, `declare -n
 * x=PAGER`.
 */
function filledBy({ program, args }: Invocation): readonly Word[] {
  if (/^(for|select)$/.test(program)) return args.slice(0, 1);
  if (program === "getopts") return args.slice(1, 2);
  if (/^(printf|wait)$/.test(program)) return valuesOf(readArguments(args, "v:p:", "first"), "-v", "-p");
  if (/^(declare|local|typeset)$/.test(program) && args.some(({ text }) => /^-\w*n/.test(text)))
    return args.map((word) => ({ ...word, text: word.text.replace(/^\w+=/, "") }));
  if (!/^(read|mapfile|readarray)$/.test(program)) return [];
  const read = readArguments(args, program === "read" ? "a:d:i:n:N:p:t:u:" : "C:c:d:n:O:s:u:");
  return [...read.operands, ...valuesOf(read, "-a")];
}

/**
 * All variables that the call fills, as assignments, including `${NAME:=…}` and `exec {NAME}<file`. Their values are a
 * loop's words, or unknown.
 */
function filled(call: Invocation): Word[] {
  const set = call.command.words.flatMap((word) =>
    [...word.text.matchAll(/\$\{(\w+):?=|^\{(\w+)\}$/g)].map((match) => ({
      ...word,
      text: match[1] ?? match[2] ?? "",
    })),
  );
  const [name, within, ...words] = call.args;
  const isLoop = /^(for|select)$/.test(call.program) && name && within?.text === "in";
  const named = isLoop ? [] : filledBy(call).flatMap((word) => possibleWords(word, call.command));
  return [
    ...(isLoop ? words.map((word) => ({ ...word, text: `${name.text}=${word.text}` })) : []),
    ...[...set, ...named].map((word) => ({ ...word, text: `${word.text}=…`, unknown: true })),
  ];
}

/**
 * A substitution that creates a folder's path, other than the folder of an installed program: `dirname "$(which
 * node)"`.
 */
const makesFolder =
  /(^|[\s;&|(/])(pwd|realpath|mktemp|echo|printf|git rev-parse|dirname(?!\s+["$(`]+(which|command -v) [\w-]+[)"`]))\b/;

/**
 * A folder of the workspace or for temporary files, where commands may write, unless package managers fill it. An
 * absolute path may be one where people keep projects. What a substitution prints is a folder of programs if it is
 * called so: `$(brew --prefix)/bin`.
 */
const ownFolder =
  /^(?!~|\/(?!workspace|srv|tmp|var\/tmp|dev|proc|\.|(home|Users)\/[^/]+\/(?!\.|go\/))|\$(?!\{?(OLD)?PWD|\{?TMP|\/(?!(.*\/)?(s?bin|shims)\/?$)))(?!.*(^|\/)(node_modules\/\.bin|vendor\/bin|\.[\w-]+\/s?bin|v?env[\w.-]*\/bin)\/?$)/;

/** `~/../x`, `/usr/../x`, `$HOME/../x`: the folder that it names first says nothing about where it leads. */
const goesUpAgain = /^(~|\/|\$\{?(?!(OLD)?PWD)\w).*\/\.\.(\/|$)/;

/**
 * Whether a `PATH` has a folder before the usual ones in which people do not keep programs (`.`, `/tmp/x`, `src`,
 * `$(pwd)`), or into which the model may have put some (`bin`).
 */
function shadowsPrograms({ text: path, scripts }: Word, { variables }: SimpleCommand): boolean {
  const [before = ""] = path.split(/\$\{?PATH\b/, 1);
  const folders = before === path ? path.split(":") : before.split(":").slice(0, -1);
  // The text of a word that is only `$(…)` is `$`.
  const isMadeUp = (text: string, by: readonly string[]) =>
    /^\$+$/.test(text) && by.some((script) => makesFolder.test(script));
  return folders.some(
    (folder) =>
      isMadeUp(folder, scripts) ||
      goesUpAgain.test(folder) ||
      ownFolder.test(isMadeUp(folder.replace(/\/.*/, ""), scripts) ? folder.replace("$/", "./") : folder) ||
      variables.get(folder.replace(/^\$\{?(\w+)\}?$/, "$1"))?.some((one) => isMadeUp(one.text, one.scripts)),
  );
}

/** Whether the value of a variable with options may load code. The variable's previous value, `$NAME`, adds nothing. */
function loadsByOptions(name: string, values: readonly Word[]): boolean {
  const loads = optionVariables.find(([pattern]) => pattern.test(name))?.[1];
  if (!loads) return false;
  const itself = new RegExp(`\\$(?:${name}\\b|\\{${name}(?::?[-+=]([^{}]*))?\\})`, "g");
  return values.some(({ text, unknown, scripts }) => {
    const added = text.replaceAll(itself, "$1").trim();
    if (loads.test(added)) return true;
    return toolVariable.test(name)
      ? scripts.some((script) => makesFolder.test(script))
      : unknown && (scripts.length > 0 || /[$…]/.test(added));
  });
}

export function inVariables(call: Invocation): Finding[] {
  const { program, command } = call;
  return [...call.assignments, ...filled(call)].flatMap(({ text, unknown, ...word }): Finding[] => {
    const at = text.indexOf("=");
    const name = text.slice(0, at).replace(/(\[.*)?\+?$/, "");
    const value = text.slice(at + 1);
    if (/[$`]/.test(name))
      return [unseen(name, text, "Sets a variable whose name is only known when it runs.")];
    if (value === "") return [];
    const values = possibleWords({ ...word, text: value, unknown }, command);
    if (name === "PATH" && text[at - 1] !== "+" && values.some((one) => shadowsPrograms(one, command)))
      return [unseen(name, text, `Sets PATH, where programs are found: ${asCode(value)}`)];
    // A prompt that is written out is read as a script; see inner-scripts.ts.
    if (hookVariable.test(name) && !harmlessHook.test(value) && (unknown || !/^PS[0-4]$/.test(name)))
      return [unseen(name, text, `Sets ${name}, whose value other programs run: ${asCode(value)}`)];
    const loads = loaderVariable.test(name) && !(value === "/dev/null" && settingsFile.test(name));
    if (loads || loadsByOptions(name, values))
      return [unseen(name, text, `Sets ${name}, which makes programs load other code: ${asCode(value)}`)];
    const ownHome =
      /^(HOME|XDG_CONFIG_HOME)$/.test(name) && /^(git|npm|bash|zsh|curl|wget|psql)$/.test(program);
    return ownHome
      ? [unseen(name, text, `Sets ${name}, where ${program} finds the commands of its settings.`)]
      : [];
  });
}
