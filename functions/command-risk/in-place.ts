// Perl and Ruby editing files in place (`-i`). Lines that are not printed are lost, so anything but a plain
// substitution may empty files.
import type { Word } from "./shell-word.ts";
import type { Written } from "./written.ts";

/** https://perldoc.perl.org/perlrun: the text attached to `-i` is the ending of a backup copy. */
const inPlace = /^-(?![IMm])\w*?i(.*)$/;
/** An option with which every line is printed after the code has run. */
const printsEach = /^-(?![IMm])\w*?p/;
/** An option with which a file is read as one line, so that `.*` matches all of it. */
const slurps = /^-(?![IMm])\w*?0/;
const codeOption = /^-(?![IMm])\w*[eE]$/;

/** A single substitution that keeps all text it does not match, and does not match everything. */
const substitution =
  /^\s*(?:(?:\$_\.)?(?:gsub!?|sub!?)\s*\(?\s*\/(?!\^?\.[*+]\$?\/)(?:[^/\\]|\\.)+\/\s*,\s*(?:"[^"#]*"|'[^']*')\s*\)?|s\{(?!\^?\.[*+]\$?\})(?:[^{}\\]|\\.)+\}\{(?:[^{}\\]|\\.)*\}[gimsx]*|(?:s|tr|y)([/|,#!])(?!\^?\.[*+]\$?\1)(?:(?!\1)[^\\]|\\.)+\1(?:(?!\1)[^\\]|\\.)*\1[gimsxr]*)\s*$/;

export function editedInPlace(args: readonly Word[]): Written {
  const ending = args.flatMap(({ text }) => inPlace.exec(text)?.[1] ?? []);
  if (ending.length === 0) return { touched: [] };
  const code = args.flatMap(({ text }, at) => (codeOption.test(text) ? [args[at + 1]?.text ?? ""] : []));
  const given = new Set(args.filter((_, at) => codeOption.test(args[at - 1]?.text ?? "")));
  const files = args.filter((word) => !word.text.startsWith("-") && !given.has(word));
  const has = (pattern: RegExp) => args.some(({ text }) => pattern.test(text));
  // `-i.bak` keeps the original file. Letters attached to it, as in `-ie`, are also such an ending.
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
