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

const keyword = /^(if|then|else|elif|while|until|do|!|[{}]|coproc|builtin)$/;

/**
 * Programs that run what follows: the name, the letters of those options whose value is a word of its own, and how
 * many words of its own stand behind the options (a duration, a lock file); `+` = more arguments come from elsewhere.
 */
const wrappers: ReadonlyMap<string, string> = new Map(
  `sudo ughpCrtTUDR,doas uC,env uC,nice n,ionice cnp,timeout sk1,stdbuf ioe,time fo,command,exec a,nohup,setsid,busybox,
toybox,strace oeps,chroot 1,flock wE1,taskset p1,xargs InPdLasE+,parallel jaIn+,npx p,bunx,pnpx,uvx`
    .split(/,\s*/)
    .map((entry) => [entry.split(" ")[0] ?? "", entry.split(" ")[1] ?? ""] as const),
);
const valuedNames = /^--(user|group|unset|chdir|adjustment|signal|kill-after|package|timeout|arg-file)$/;

/** `npm exec -- x` and its like run what follows. */
const runner = /^((npm|bundle) exec|(npm|bun) x|(pnpm|yarn) (exec|dlx)|(poetry|pipenv|uv) run)$/;

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
    } else if (!first.quoted && keyword.test(first.text)) words = rest;
    // `command -v x` only looks x up.
    else if (name === "command" && /^-[vV]/.test(rest[0]?.text ?? "")) return [];
    else if (words !== command.words && first.text.startsWith("-")) words = rest;
    else if (wrapper !== undefined && !first.unknown) {
      moreArgs ||= wrapper.endsWith("+");
      words = behindOptions(rest, wrapper);
    } else if (runner.test(`${name} ${rest[0]?.text}`)) words = behindOptions(rest.slice(1), "");
    else break;
  }
  const own = invocation(command, words, assignments, moreArgs);
  return [own, ...(/^(find|fd(find)?)$/.test(own.program) ? executed(own) : behind(own))];
}

/** Programs whose arguments are text. */
const printing = /^(echo|printf|man|git|rg|[ef]?grep)$/;
/** What nobody gives a program as a name: it is what that program runs. */
const plainly = /^(rm -|(ba|z|da)?sh -\w*c|git (push|reset)|[{] |do |npm publish)/;

/** The command behind a program that is not known as a wrapper: `fakeroot rm -rf x`, `function f { rm -rf x`. */
function behind({ program, args, command }: Invocation): Invocation[] {
  if (printing.test(program)) return [];
  const at = args.findIndex(({ text }, index) =>
    plainly.test(`${baseName(text)} ${args[index + 1]?.text ?? ""}`),
  );
  return at < 0 ? [] : invocationsOf({ ...command, words: [...args.slice(at)] });
}

function invocation(
  command: SimpleCommand,
  [first, ...args]: readonly Word[],
  assignments: readonly string[],
  moreArgs: boolean,
): Invocation {
  const written = first?.text ?? "";
  // `npx wrangler@4`
  const program = /\s/.test(written) ? written : baseName(written).replace(/(?<=.)@.*/, "");
  const unknown =
    first !== undefined && (first.unknown || (first.pattern && first.text !== "[" && first.text !== "[["));
  return { program, unknown, args, assignments, moreArgs, command };
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function behindOptions(words: readonly Word[], wrapper: string): readonly Word[] {
  let at = 0;
  while (words[at]?.text.startsWith("-") && words[at]?.text !== "-") {
    const option = words[at]?.text ?? "";
    const hasValue = (option.length === 2 && wrapper.includes(option.slice(1))) || valuedNames.test(option);
    at += hasValue ? 2 : 1;
    if (option === "--") break;
  }
  return words.slice(at + (wrapper.endsWith("1") ? 1 : 0));
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
