// The program that a simple command comes down to, behind keywords, assignments and wrappers such as `sudo` or `timeout 5`.
import type { SimpleCommand } from "./command-line.ts";
import type { Word } from "./shell-word.ts";

export interface Invocation {
  /** File name of the program, `""` where there is none; a whole command line where a wrapper was given one. */
  program: string;
  /** The program's name is made up at run time. */
  unknown: boolean;
  args: readonly Word[];
  /** `NAME=value` in front of it. */
  assignments: readonly string[];
  /** More arguments come from elsewhere: `xargs`, `find -exec`. */
  moreArgs: boolean;
  command: SimpleCommand;
}

const keywords = new Set([
  "if",
  "then",
  "else",
  "elif",
  "while",
  "until",
  "do",
  "!",
  "{",
  "}",
  "coproc",
  "builtin",
]);

interface Wrapper {
  /** Options whose value is a word of its own. */
  valued?: string[];
  /** Words of its own behind the options: a duration, a lock file. */
  positional?: number;
  moreArgs?: boolean;
}

const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    "sudo",
    { valued: ["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group"] },
  ],
  ["doas", { valued: ["-u", "-C"] }],
  ["env", { valued: ["-u", "-C", "--unset", "--chdir"] }],
  ["nice", { valued: ["-n", "--adjustment"] }],
  ["ionice", { valued: ["-c", "-n", "-p"] }],
  ["timeout", { valued: ["-s", "-k", "--signal", "--kill-after"], positional: 1 }],
  ["stdbuf", { valued: ["-i", "-o", "-e"] }],
  ["time", { valued: ["-f", "-o"] }],
  ["command", {}],
  ["exec", { valued: ["-a"] }],
  ["nohup", {}],
  ["setsid", {}],
  ["busybox", {}],
  ["toybox", {}],
  ["strace", { valued: ["-o", "-e", "-p", "-s"] }],
  ["chroot", { positional: 1 }],
  ["flock", { valued: ["-w", "-E"], positional: 1 }],
  ["taskset", { valued: ["-p"], positional: 1 }],
  ["xargs", { valued: ["-I", "-n", "-P", "-d", "-L", "-a", "-s", "-E"], moreArgs: true }],
  ["parallel", { valued: ["-j", "-a", "-I", "-n"], moreArgs: true }],
  ["npx", { valued: ["-p", "--package"] }],
  ["bunx", {}],
  ["pnpx", {}],
  ["uvx", {}],
]);

/** `npm exec -- x` and its like run what follows. */
const runners: ReadonlyMap<string, readonly string[]> = new Map([
  ["npm", ["exec", "x"]],
  ["pnpm", ["exec", "dlx"]],
  ["yarn", ["exec", "dlx"]],
  ["bun", ["x"]],
  ["bundle", ["exec"]],
  ["poetry", ["run"]],
  ["pipenv", ["run"]],
  ["uv", ["run"]],
]);

/** The program of `command`, and for `find -exec` the program that it runs as well. */
export function invocationsOf(command: SimpleCommand): Invocation[] {
  const assignments: string[] = [];
  let words: readonly Word[] = command.words;
  let moreArgs = false;
  for (;;) {
    const [first, ...rest] = words;
    if (!first) return [invocation(command, words, assignments, moreArgs)];
    const name = baseName(first.text);
    const wrapper = wrappers.get(name);
    if (!first.quoted && /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(first.text)) {
      assignments.push(first.text);
      words = rest;
    } else if (!first.quoted && keywords.has(first.text)) words = rest;
    // `command -v x` only looks x up.
    else if (name === "command" && /^-[vV]/.test(rest[0]?.text ?? "")) return [];
    else if (words !== command.words && first.text.startsWith("-")) words = rest;
    else if (wrapper && !first.unknown) {
      moreArgs ||= wrapper.moreArgs ?? false;
      words = behindOptions(rest, wrapper);
    } else if (runners.get(name)?.includes(rest[0]?.text ?? "")) words = behindOptions(rest.slice(1), {});
    else break;
  }
  const own = invocation(command, words, assignments, moreArgs);
  return own.program === "find" || own.program === "fd" ? [own, ...executed(own)] : [own];
}

function invocation(
  command: SimpleCommand,
  [first, ...args]: readonly Word[],
  assignments: readonly string[],
  moreArgs: boolean,
): Invocation {
  const written = first?.text ?? "";
  const program = /\s/.test(written) ? written : baseName(written);
  const unknown =
    first !== undefined && (first.unknown || (first.pattern && first.text !== "[" && first.text !== "[["));
  return { program, unknown, args, assignments, moreArgs, command };
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function behindOptions(words: readonly Word[], { valued = [], positional = 0 }: Wrapper): readonly Word[] {
  let at = 0;
  while (words[at]?.text.startsWith("-") && words[at]?.text !== "-") {
    const option = words[at]?.text ?? "";
    at += valued.includes(option) ? 2 : 1;
    if (option === "--") break;
  }
  return words.slice(at + positional);
}

/** What `find -exec` and `fd -x` run, on files that only they know. */
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
