// Command lines inside command lines: `sh -c`, `eval`, here-documents of a shell, hooks in variables.
// Not seen: what script files, package scripts, make targets and programs do. The jail holds there.
import { inlineCode } from "./inline-code.ts";
import type { Invocation } from "./invocation.ts";
import type { Word } from "./shell-word.ts";

export interface InnerScripts {
  scripts: string[];
  /** Why some of the text that runs is not known, in words for the person. */
  hidden?: string;
}

const shell = /^(ba|z|da|[mp]?k|a|fi|c|tc|rba|pw)?sh$/;
/** Variables whose value a program runs. */
const runsValue =
  /^([A-Z_]*(COMMAND|EDITOR|PAGER|ASKPASS|BROWSER)|GIT_(SSH|EXTERNAL_DIFF|CONFIG_[VP]\w*)|BASH_ENV|ENV)=/;
/** `--checkpoint-action=exec=…` and its like; `-c` of what starts another user's or a package's commands. */
const attached =
  /^--(?:[a-z]+-)*(?:action|command|program|pre|rsh|eval|exec|call|run|split-string)=(?:exec=)?([\s\S]+)/;
const separate = /^(--([a-z]+-)*(command|program|pre|rsh|eval|exec|call|run)|-e|-[a-z]*c)$/;
const takesCommand = /^(su|npm|runuser|script|sg|npx|nix-shell|tar|rg|rsync|nodemon|watch)$/;

export function innerScripts(call: Invocation): InnerScripts {
  const fromVariables = call.assignments
    .filter((text) => runsValue.test(text))
    .map((text) => text.slice(text.indexOf("=") + 1));
  const own = ownScripts(call);
  return { ...own, scripts: [...fromVariables, ...own.scripts] };
}

function ownScripts(call: Invocation): InnerScripts {
  const { program, args } = call;
  if (shell.test(program)) return shellScripts(call);
  if (/\s/.test(program)) return { scripts: [`${program} ${textOf(call, 0)}`] };
  switch (program) {
    case "eval":
      return args.some((arg) => arg.unknown) ? hidden(program) : { scripts: [textOf(call, 0)] };
    case "source":
    case ".":
      return runsInput(args[0]) ? hidden(program) : { scripts: [] };
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
    default:
      return {
        scripts: [
          ...inlineCode(call),
          ...args.flatMap(({ text }) => attached.exec(text)?.[1] ?? []),
          ...(takesCommand.test(program) ? optionValues(call, separate) : []),
        ],
      };
  }
}

function shellScripts(call: Invocation): InnerScripts {
  const { program, args, command, moreArgs } = call;
  const at = args.findIndex(({ text }) => /^-[a-zA-Z]*c/.test(text));
  const given = at < 0 ? [] : args.slice(at + 1).filter(({ text }) => !/^[-+]/.test(text));
  const scripts = [...command.input, ...given.map(({ text }) => text)];
  // Whole commands from a variable; variables inside a known command are judged where they stand.
  if (scripts.some((text) => /^\s*["']?\$/.test(text))) return hidden(program, scripts);
  // A mark that `xargs -I` puts commands in the place of is no command either.
  if (at >= 0) return !/\w/.test(given[0]?.text ?? "") ? hidden(program, scripts) : { scripts };
  const file = args.find(({ text }) => !text.startsWith("-"));
  const readsInput = file === undefined || args.some(({ text }) => text === "-s");
  const input = command.upstream ?? command.redirects.find(({ to, target }) => !to && target.unknown);
  return runsInput(file) || (readsInput && input) || (moreArgs && !file)
    ? hidden(program, scripts)
    : { scripts };
}

/** Whether a script's name stands for what is made up at run time. */
function runsInput(file: Word | undefined): boolean {
  return file !== undefined && (file.unknown || /^\/(dev\/(stdin|fd)|proc)/.test(file.text));
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
