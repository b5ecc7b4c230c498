// Checks the arguments of a program against its rule. Fails closed: options that the rule does not name are
// refused, as are abbreviations.
import { notAllowed } from "./parse-command.ts";
import type { ProgramRule } from "./rules.ts";

/** Throws `readonly` unless every argument is allowed. `name`: the program's name for the message. */
export function checkArguments(name: string, args: readonly string[], rule: ProgramRule): void {
  for (const arg of args) checkPlace(arg);
  rule.check?.(args);
  if (rule.anyOption) return;
  let operands = 0;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--") {
      operands += args.length - index - 1;
      break;
    }
    if (arg === "-" || !arg.startsWith("-")) operands += 1;
    else if (arg.startsWith("--")) checkLong(name, arg, rule);
    else if (shortTakesNext(name, arg, rule)) index += 1;
  }
  if (operands > (rule.operands ?? Number.POSITIVE_INFINITY))
    throw notAllowed(`${name} with so many operands`);
}

function checkLong(name: string, arg: string, rule: ProgramRule): void {
  const option = arg.slice(2).split("=", 1)[0] ?? "";
  if (!rule.long?.includes(option)) throw notAllowed(`${name} --${option}`);
}

/** Checks a word of short options. true = the value of the last one is the next word. */
function shortTakesNext(name: string, arg: string, rule: ProgramRule): boolean {
  for (let index = 1; index < arg.length; index++) {
    const letter = arg[index] ?? "";
    if (/\d/.test(letter) && index === 1 && /^-\d+$/.test(arg)) return false;
    if (!(rule.short ?? "").includes(letter)) throw notAllowed(`${name} -${letter}`);
    if ((rule.takesValue ?? "").includes(letter)) return index === arg.length - 1;
  }
  return false;
}

/** Refuses words that name a place outside the workspace: absolute paths and `..`. */
function checkPlace(arg: string): void {
  const values = arg.startsWith("-")
    ? [arg.replace(/^--?[A-Za-z0-9-]*=?/, ""), arg.replace(/^-[A-Za-z]/, "")]
    : [arg];
  for (const value of values) {
    if (value.startsWith("/") || value.startsWith("~"))
      throw notAllowed("a path that is not inside the workspace");
    if (/(^|[/=:])\.\.(\/|$)/.test(value)) throw notAllowed("`..` in a path");
  }
}
