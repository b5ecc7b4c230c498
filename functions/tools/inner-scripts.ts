// Command lines inside command lines: `sh -c`, `eval`, here-documents of a shell, hooks in variables.
// Not seen: what script files, package scripts, make targets and programs do. The jail holds there.
import { inlineCode } from "./inline-code.ts";
import type { Invocation } from "./invocation.ts";

export interface InnerScripts {
  scripts: string[];
  /** Why some of the text that runs is not known, in words for the person. */
  hidden?: string;
}

const shells = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"]);
/** Variables whose value a program runs. */
const runsValue = /^([A-Z_]*(COMMAND|EDITOR|PAGER|ASKPASS|BROWSER)|GIT_SSH|GIT_EXTERNAL_DIFF|BASH_ENV|ENV)=/;

export function innerScripts(call: Invocation): InnerScripts {
  const fromVariables = call.assignments
    .filter((text) => runsValue.test(text))
    .map((text) => text.slice(text.indexOf("=") + 1));
  const own = ownScripts(call);
  return { ...own, scripts: [...fromVariables, ...own.scripts] };
}

function ownScripts(call: Invocation): InnerScripts {
  const { program, args } = call;
  if (shells.has(program)) return shellScripts(call);
  if (/\s/.test(program)) return { scripts: [`${program} ${textOf(call, 0)}`] };
  switch (program) {
    case "eval":
      return args.some((arg) => arg.unknown) ? hidden(program) : { scripts: [textOf(call, 0)] };
    case "source":
    case ".":
      return args[0]?.unknown ? hidden(program) : { scripts: [] };
    case "trap":
      return { scripts: args[0] ? [args[0].text] : [] };
    case "alias":
      return { scripts: args.map(({ text }) => text.slice(text.indexOf("=") + 1)) };
    case "watch":
      return {
        scripts: [
          textOf(
            call,
            args.findIndex(({ text }) => !/^(-|\d)/.test(text)),
          ),
        ],
      };
    case "su":
    case "runuser":
    case "script":
      return { scripts: optionValues(call, /^(-c|--command)$/) };
    default:
      return { scripts: inlineCode(call) };
  }
}

function shellScripts(call: Invocation): InnerScripts {
  const { program, args, command, moreArgs } = call;
  const scripts = [...command.input, ...optionValues(call, /^-[a-zA-Z]*c[a-zA-Z]*$/)];
  const script = args[args.findIndex(({ text }) => /^-[a-zA-Z]*c/.test(text)) + 1];
  if (args.some(({ text }) => /^-[a-zA-Z]*c/.test(text))) {
    // Whole commands from a variable; variables inside a known command are judged where they stand.
    return script === undefined || /^\s*["']?\$/.test(script.text) ? hidden(program, scripts) : { scripts };
  }
  const file = args.find(({ text }) => !text.startsWith("-"));
  if (file?.unknown || /^\/(dev\/(stdin|fd)|proc)/.test(file?.text ?? "")) return hidden(program, scripts);
  const readsPipe =
    command.upstream !== undefined && (file === undefined || args.some(({ text }) => text === "-s"));
  return readsPipe || (moreArgs && file === undefined) ? hidden(program, scripts) : { scripts };
}

function hidden(program: string, scripts: string[] = []): InnerScripts {
  return { scripts, hidden: `\`${program}\` runs text that is not shown here.` };
}

function optionValues({ args }: Invocation, option: RegExp): string[] {
  return args.flatMap(({ text }, index) => (option.test(text) ? (args[index + 1]?.text ?? []) : []));
}

function textOf({ args }: Invocation, from: number): string {
  return from < 0
    ? ""
    : args
        .slice(from)
        .map(({ text }) => text)
        .join(" ");
}
