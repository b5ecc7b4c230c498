// The program that a simple command finally runs, without keywords, assignments and wrappers such as `sudo` or `timeout
// 5`.

import { asModule } from "./module-call.ts";
import { type ReadArguments, readArguments } from "./options.ts";
import type { Word } from "./shell-word.ts";
import type { SimpleCommand } from "./simple-command.ts";
import { possibleWords } from "./variables.ts";
import { type RunnerCall, runnerCall, wrappers } from "./wrappers.ts";

/** A program that runs another one, written before it. */
export interface Wrapper {
  /** `sudo`, `npm exec` */
  name: string;
  read: ReadArguments;
}

export interface Invocation {
  /** File name of the program; `""` if there is none, and a whole command line if a wrapper was given one. */
  program: string;
  /** The program as it was written, with path and version. */
  written: string;
  /** Whether the program's name is created at run time. */
  unknown: boolean;
  args: readonly Word[];
  /** `NAME=value` before the program, or as an argument of `export`, `declare` and similar builtins. */
  assignments: readonly Word[];
  wrappers: readonly Wrapper[];
  /** Whether more arguments come from elsewhere, as with `xargs` and `find -exec`. */
  moreArgs: boolean;
  command: SimpleCommand;
}

const keyword = /^(if|then|else|elif|while|until|do|!|[{}]|coproc|builtin)$/;
/** `env` also sets functions of bash: `BASH_FUNC_name%%=() { …; }`. */
const assignment = /^[A-Za-z_]\w*(%%|\[[^=]*\])?\+?=/;
const declares = /^(export|declare|typeset|readonly|local|setenv|let)$/;
const loader = /^ld(-linux[\w.-]*|-musl[\w.-]*|\.so[\w.]*)$/;

/** The programs that `command` runs: its own, and, if that is `find -exec` or unknown, the ones named after it. */
export function invocationsOf(command: SimpleCommand): Invocation[] {
  const assignments: Word[] = [];
  const passed: Wrapper[] = [];
  let words: readonly Word[] = command.words;
  let moreArgs = false;
  for (;;) {
    const [first, ...rest] = words;
    if (!first) break;
    const name = baseName(first.text);
    const rule = ruleOf(name, rest);
    const module = moduleWords(first, name, rest);
    // `coreutils --coreutils-prog=rm`: one executable that contains many programs.
    const inOne = /^--coreutils-p[a-z-]*=(.+)/.exec(rest[0]?.text ?? "")?.[1];
    if (inOne !== undefined) words = [{ ...first, text: inOne }, ...rest.slice(1)];
    else if ((!first.quoted || passed.length > 0) && assignment.test(first.text)) {
      assignments.push(first);
      words = rest;
    } else if (!first.quoted && keyword.test(first.text)) words = rest;
    // `command -v x` only looks up x.
    else if (name === "command" && /^-[pvV]*[vV]/.test(rest[0]?.text ?? "")) return [];
    else if (words !== command.words && first.text.startsWith("-")) words = rest;
    else if (module) words = module;
    else if (rule) {
      const read = readArguments(rule.args, rule.rule.spec, "first");
      const options = [...rule.before, ...read.options];
      passed.push({ name: `${name} ${rule.verb}`.trim(), read: { ...read, options } });
      moreArgs ||= rule.rule.moreArgs;
      words = read.operands.slice(rule.rule.own);
      // `uv run -` is `python -`.
      if (name === "uv" && words[0]?.text === "-") words = [{ ...words[0], text: "python" }, ...words];
    } else break;
  }
  const own = invocation(command, words, { assignments, wrappers: passed, moreArgs });
  return [own, ...(/^(find|fd(find)?)$/.test(own.program) ? executed(own) : behind(own))];
}

/**
 * The words that a module runs as another program: `pipx run x` for `python -m pipx run x`, `python3 -m pip install x`
 * for `coverage run -m pip install x`. Undefined for any other call. `name`: the base name of `first`.
 */
function moduleWords(first: Word, name: string, rest: readonly Word[]): readonly Word[] | undefined {
  if (name === "coverage") {
    const at = rest.findIndex(({ text }) => /^(-[a-zA-Z]*m|--module)$/.test(text));
    return rest[0]?.text === "run" && at > 0
      ? [{ ...first, text: "python3" }, { ...first, text: "-m" }, ...rest.slice(at + 1)]
      : undefined;
  }
  const { program, args } = asModule({ program: name, args: rest });
  return program !== name &&
    /^(pipx|coverage|uv|uvx|p?np[mx]|yarn|ipython|aws|jupyter|nbconvert|zipfile|tarfile|json\.tool)$/.test(
      program,
    )
    ? [{ ...first, text: program }, ...args]
    : undefined;
}

function ruleOf(name: string, args: readonly Word[]): RunnerCall | undefined {
  const rule = loader.test(name) ? { spec: "", own: 0, moreArgs: false } : wrappers.get(name);
  return runnerCall(name, args) ?? (rule && { rule, verb: "", args, before: [] });
}

/** Programs that treat their arguments as text. */
const printing = /^(echo|printf|man|git|rg|[ef]?grep)$/;
/** Words that no program takes as a name, so an unknown program must run them as a command. */
const plainly = /^(rm -|(ba|z|da)?sh -\w*c|git (push|reset)|[{] |do |npm publish)/;

/** The command after a program that is not a known wrapper: `fakeroot rm -rf x`, `function f { rm -rf x`. */
function behind({ program, args, command }: Invocation): Invocation[] {
  if (printing.test(program)) return [];
  const at = args.findIndex(({ text }, index) =>
    plainly.test(`${/\s/.test(text) ? "" : baseName(text)} ${args[index + 1]?.text ?? ""}`),
  );
  return at < 0 ? [] : invocationsOf({ ...command, words: [...args.slice(at)] });
}

function invocation(
  command: SimpleCommand,
  [first, ...args]: readonly Word[],
  front: Pick<Invocation, "assignments" | "wrappers" | "moreArgs">,
): Invocation {
  const written = first?.text ?? "";
  // `npx wrangler@4`
  const program = /\s/.test(written) ? written : baseName(written).replace(/(?<=.)@.*/, "");
  const unknown =
    // The reader takes the first element of `a=([x]=1)` for a command.
    first !== undefined && (first.unknown || (first.pattern && !/^\[(\[?$|[^\]]*\]=)/.test(first.text)));
  const declared = declares.test(program)
    ? args.flatMap((word) => possibleWords(word, command)).filter(({ text }) => assignment.test(text))
    : [];
  return {
    ...front,
    program,
    written,
    unknown,
    args,
    command,
    assignments: [...front.assignments, ...declared],
  };
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The commands that `find -exec` and `fd -x` run, on files that are known only at run time. */
function executed(found: Invocation): Invocation[] {
  const marks = found.program === "find" ? /^-(exec|execdir|ok|okdir)$/ : /^(-x|-X|--exec|--exec-batch)$/;
  return found.args.flatMap((arg, index) => {
    if (!marks.test(arg.text)) return [];
    const words = found.args.slice(index + 1);
    const end = words.findIndex(({ text }) => text === ";" || text === "+");
    const inner = { ...found.command, words: [...words.slice(0, end < 0 ? undefined : end)] };
    return invocationsOf(inner).map((own) => ({ ...own, moreArgs: true }));
  });
}
