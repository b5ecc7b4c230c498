// Command lines inside command lines: `sh -c`, `eval`, here-documents of a shell, options and variables that are run.
// Script files, package scripts, make targets and the programs themselves are not seen; only the jail protects
// against them.
import { hookVariable, toolVariable } from "./command-options.ts";
import { inlineCode } from "./inline-code.ts";
import type { Invocation } from "./invocation.ts";
import { valuesOf } from "./options.ts";
import { scriptsInArguments } from "./runs-programs.ts";
import { substitutionsIn, type Word } from "./shell-word.ts";

export interface InnerScripts {
  scripts: string[];
  /** Why some of the text that runs is unknown, in words for the person. */
  hidden?: string;
}

const shell = /^((ba|z|da|[mp]?k|a|fi|c|tc|rba|xon|elvi|o|y)?sh|capsh|nu)$/;
/** Options such as `--checkpoint-action=exec=…`, for any program. */
const attached =
  /^--(?:[a-z]+-)*(?:action|command|program|pre|pager|rsh|eval|exec|call|run|split-string|cmd|shell|hook)=(?:exec=)?([\s\S]+)/;
/** Builtins that evaluate their arguments: a substitution in a subscript runs although it was quoted. */
const calculates =
  /^(let|declare|typeset|local|export|readonly|read|unset|printf|test|\[|\[\[|mapfile|readarray|wait|getopts|compgen|complete)$/;

export function innerScripts(call: Invocation): InnerScripts {
  const fromVariables = call.assignments.flatMap(({ text, unknown }) => {
    const name = text.slice(0, text.indexOf("="));
    const isTool = toolVariable.test(name) && !unknown;
    return isTool || hookVariable.test(name) ? [text.slice(text.indexOf("=") + 1)] : [];
  });
  const subscripts = calculates.test(call.program)
    ? call.args.flatMap(({ text }) =>
        /\[|comp(gen|lete)$/.test(text + call.program) ? substitutionsIn(text) : [],
      )
    : [];
  const own = ownScripts(call);
  const texts = call.args.map(({ text }) => text);
  const define = (name: string) => texts.flatMap((text) => text.split(`-Dexec.${name}=`)[1] ?? [])[0];
  const executable = /^mvn[dw]?$/.test(call.program) ? define("executable") : undefined;
  if (executable !== undefined)
    own.scripts.push(`${executable} ${define("args") ?? define("commandlineArgs") ?? ""}`);
  return { ...own, scripts: [...fromVariables, ...subscripts, ...own.scripts] };
}

function ownScripts(call: Invocation): InnerScripts {
  const { program, args } = call;
  if (shell.test(program)) return shellScripts(call);
  // `@P` expands its text again, including commands in it.
  if (call.command.words.some(({ text }) => /\$\{[^}]*@P\}/.test(text))) return hidden("@P");
  if (/\s/.test(program)) return { scripts: [`${program} ${textOf(call, 0)}`] };
  // `xargs env` takes the program from its input too.
  if (program === "" && call.moreArgs && call.wrappers.length > 1) return hidden("xargs");
  switch (program) {
    case "eval":
      return args.some((arg) => arg.unknown)
        ? hidden(program)
        : { scripts: [textOf(call, args[0]?.text === "--" ? 1 : 0)] };
    case "source":
    case ".":
      return runsInput(args[0]) && !isAtHome(call) ? hidden(program) : { scripts: [] };
    case "trap": {
      const at = args[0]?.text === "--" ? 1 : 0;
      const text = args[at]?.text ?? "";
      return /^\s*[$`]/.test(text) ? hidden(program) : { scripts: [text] };
    }
    case "alias":
      // The aliased command, with the arguments that later lines give it.
      return { scripts: args.map(({ text }) => `${text.slice(text.indexOf("=") + 1)} "$@"`) };
    case "watch":
      return {
        scripts: [
          textOf(
            call,
            args.findIndex(({ text }) => !/^(-|\d)/.test(text)),
          ),
        ],
      };
    default: {
      const code = inlineCode(call);
      const scripts = [
        ...code.scripts,
        ...args.flatMap(({ text }) => attached.exec(text)?.[1] ?? []),
        ...scriptsInArguments(call),
      ];
      return code.hides ? hidden(program, scripts) : { scripts };
    }
  }
}

/** `. "$HOME/.cargo/env"` hides no more than `. ~/.cargo/env`. False if the line itself provides input. */
function isAtHome({ args: [file], command }: Invocation): boolean {
  const hasInput = command.input.length > 0 || command.redirects.length > 0 || command.upstream;
  return (
    !hasInput && !command.variables.has("HOME") && /^\$(HOME|\{HOME\})\/\.\w[\w./-]*$/.test(file?.text ?? "")
  );
}

const groups = /(^|[\s;&|({!])\(\([^)]*[$`]/;

function shellScripts(call: Invocation): InnerScripts {
  const { program, args, command, moreArgs } = call;
  const at = args.findIndex(({ text }) => /^-[a-zA-Z]*[cC]/.test(text));
  const given = at < 0 ? [] : args.slice(at + 1).filter(({ text }) => !/^[-+]/.test(text));
  const mark = call.wrappers.flatMap(({ read }) => valuesOf(read, "-I", "--replace"))[0]?.text ?? "{}";
  // What `xargs -I` or `find` inserts is known only at run time.
  const filled = (text: string) => (moreArgs ? text.replaceAll(mark, '"$1"') : text);
  const scripts = [
    ...command.input,
    ...given.map(({ text }) => filled(text)),
    ...args.flatMap(({ text }) => attached.exec(text)?.[1] ?? []),
  ];
  // A shell without arithmetic reads `((` as two groups of commands.
  if (/^(da|a|[mp]?k|)sh$/.test(program) && scripts.some((text) => groups.test(text)))
    return hidden(program, scripts);
  // Whole commands from a variable. Variables inside a known command are judged at their place.
  if (scripts.some((text) => /^\s*["']?[$`]/.test(text))) return hidden(program, scripts);
  // A mark that `xargs -I` replaces is not a known command either.
  if (at >= 0) return !/\w/.test(given[0]?.text ?? "") ? hidden(program, scripts) : { scripts };
  const file = args.find(({ text }) => !text.startsWith("-"));
  const readsInput = file === undefined || args.some(({ text }) => text === "-s");
  const from = command.redirects.filter(({ to }) => !to);
  const input = command.upstream ?? from.find(({ target }) => target.text !== "/dev/null");
  // `{ sh; } <<< x`, `f | …` where `f` is `sh`, `exec < x; sh`: what is around it may give it input.
  const isBare = [...from, ...command.input].length === 0 && args.every(({ text }) => /^-\w*$/.test(text));
  return runsInput(file) || (readsInput && (input || isBare)) || (moreArgs && !file)
    ? hidden(program, scripts)
    : { scripts };
}

/** Whether the script is the program's input, or its name is known only at run time. */
function runsInput(file: Word | undefined): boolean {
  return file !== undefined && (file.unknown || /^\/(dev\/(stdin|fd)|proc)/.test(file.text));
}

function hidden(program: string, scripts: string[] = []): InnerScripts {
  return { scripts, hidden: `\`${program}\` runs text that is not shown here.` };
}

function textOf({ args }: Invocation, from: number): string {
  return args
    .slice(from)
    .map(({ text }) => text)
    .join(" ");
}
