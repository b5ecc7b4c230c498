// Perl and Ruby editing files in place (`-i`): anything not printed is lost, so all but a plain substitution may empty
// files.
import type { Word } from "./shell-word.ts";
import type { Written } from "./written.ts";

/** https://perldoc.perl.org/perlrun: `-i` takes what follows it as the ending of a copy that is kept. */
const inPlace = /^-(?!-|[IMm])\w*?i(.*)$/;
/** Every line is printed after the code. */
const printsEach = /^-(?!-|[IMm])\w*?p/;
/** Lines are read as one: `.*` is the whole file then. */
const slurps = /^-(?!-|[IMm])\w*?0/;
const codeOption = /^-(?!-|[IMm])\w*[eE]$/;

/** One substitution that leaves what it does not match, and does not match everything. */
const substitution =
  /^\s*(?:(?:\$_\.)?(?:gsub!?|sub!?)\s*\(?\s*\/(?!\^?\.[*+]\$?\/)(?:[^/\\]|\\.)+\/\s*,\s*(?:"[^"#]*"|'[^']*')\s*\)?|s\{(?!\^?\.[*+]\$?\})(?:[^{}\\]|\\.)+\}\{(?:[^{}\\]|\\.)*\}[gimsx]*|(?:s|tr|y)([/|,#!])(?!\^?\.[*+]\$?\1)(?:(?!\1)[^\\]|\\.)+\1(?:(?!\1)[^\\]|\\.)*\1[gimsxr]*)\s*$/;

export function editedInPlace(args: readonly Word[]): Written {
  const ending = args.flatMap(({ text }) => inPlace.exec(text)?.[1] ?? []);
  if (ending.length === 0) return { touched: [] };
  const code = args.flatMap(({ text }, at) => (codeOption.test(text) ? [args[at + 1]?.text ?? ""] : []));
  const given = new Set(args.filter((_, at) => codeOption.test(args[at - 1]?.text ?? "")));
  const files = args.filter((word) => !word.text.startsWith("-") && !given.has(word));
  const has = (pattern: RegExp) => args.some(({ text }) => pattern.test(text));
  // `-i.bak` keeps the file as it was; with letters after it (`-ie`), they are the ending too.
  const keeps = ending.some((text) => text !== "");
  const isPlain =
    code.length > 0 &&
    code
      .join(";")
      .split(";")
      .every((each) => each.trim() === "" || substitution.test(each));
  const isWhole = has(printsEach) && !has(slurps) && isPlain;
  return { touched: files, emptied: keeps || isWhole ? [] : files };
}
