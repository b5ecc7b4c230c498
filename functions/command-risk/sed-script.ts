// Parses a sed script to find the commands that run programs or write files. The commands are those of GNU sed's
// manual.
import { readArguments, valuesOf } from "./options.ts";
import type { Word } from "./shell-word.ts";

export interface SedScript {
  /** Command lines that the script runs; `""` = it runs the line that it is working on. */
  runs: string[];
  /** Files that the script writes. */
  writes: string[];
  /** false = the script could not be parsed. */
  ok: boolean;
}

export const sedOptions = "e:f:l:i?expression:file:line-length:in-place?quiet silent";

/** Its scripts, and the files to which they are applied. */
export function sedArguments(args: readonly Word[]): { scripts: Word[]; files: Word[]; inPlace: boolean } {
  const read = readArguments(args, sedOptions);
  const given = valuesOf(read, "-e", "--expression");
  const fromFile = read.options.some(({ name }) => name === "-f" || name === "--file");
  const isGiven = given.length > 0 || fromFile;
  const inPlace = read.options.some(({ name }) => name === "-i" || name === "--in-place");
  return {
    scripts: isGiven ? given : read.operands.slice(0, 1),
    files: isGiven ? read.operands : read.operands.slice(1),
    inPlace,
  };
}

/** For the rules about files: those edited in place, written by `w`, or emptied by deleting every line. */
export function sedWrites(args: readonly Word[]): { touched: Word[]; replaced: Word[]; emptied: Word[] } {
  const { scripts, files, inPlace } = sedArguments(args);
  const replaced = scripts.flatMap((word) =>
    readSedScript(word.text).writes.map((text) => ({
      ...word,
      text,
      unknown: word.unknown && /[$`]/.test(text),
    })),
  );
  const isEmptying =
    inPlace &&
    (isQuiet(args) || scripts.some(({ text }) => keepsLittle.some((pattern) => pattern.test(text))));
  return { touched: inPlace ? files : [], replaced, emptied: isEmptying ? files : [] };
}

/** Commands that remove or replace all lines, or all but a few. */
const keepsLittle: readonly RegExp[] = [
  // `d`, `1,$d`, `2,$d`, `/./d`, `/.*/d`, `c\x`
  /(?:^|[;\n{])\s*(?:(?:[012]\s*,\s*\$|\/(?:\^|\$|\.|\^?\.\*\$?)\/)\s*)?(?:[dDz]\s*(?:[;}\n]|$)|c(?:\s|\\))/,
  // `/x/!d`, `$!d`
  /(?:^|[;\n{])\s*(?:\$|\d+|\/(?:[^/\\]|\\.)*\/)\s*!\s*d/,
  // `0~1d`
  /(?:^|[;\n{])\s*\d+\s*~\s*1\s*d/,
  // `q`, `10q`
  /(?:^|[;\n{])\s*\d*\s*[qQ]\s*(?:[;}\n]|$)/,
  // `s/.*/x/`, `s/^.\+$//`, `s/[^\n]*//`
  /(?:^|[;\n{])\s*s([/|,#])\^?(?:\.|\[(?:\^\\n|\\s\\S|\\S\\s|\\w\\W|\\W\\w|\\d\\D|\\D\\d)\])(?:\*|\\?\+|\.\*|\\?\{[01],\\?\})\$?\1(?:(?!\1)[^&\\])*\1/,
  // `s/.//g`
  /(?:^|[;\n{])\s*s([/|,#])(?:\.|\[\^\\n\])\1\1g/,
];

/** With `-n`, only the printed lines remain in the file. */
function isQuiet(args: readonly Word[]): boolean {
  return readArguments(args, sedOptions).options.some(({ name }) => /^(-n|--quiet|--silent)$/.test(name));
}

export function readSedScript(script: string): SedScript {
  const found: SedScript = { runs: [], writes: [], ok: true };
  let at = 0;
  while (at < script.length) {
    const start = skipAddress(script, /[\s;]*/y, at);
    if (start >= script.length) break;
    const next = readCommand(script, start, found);
    if (next < 0) return { ...found, ok: false };
    at = next;
  }
  return found;
}

/** Skips separators and addresses; returns the index of the command's letter, or -1 if an address is not closed. */
function skipAddress(script: string, blank: RegExp, from: number): number {
  let at = matchEnd(blank, script, from);
  for (;;) {
    const char = script[at] ?? "";
    if (char === "/" || char === "\\") {
      const mark = char === "/" ? at : at + 1;
      const end = closing(script, mark);
      if (end < 0) return -1;
      at = matchEnd(/[IM]*/y, script, end + 1);
    } else if (/[\d$]/.test(char)) at = matchEnd(/\$|\d+/y, script, at);
    else if (/[,~+!\s]/.test(char)) at += 1;
    else return at;
  }
}

/** Parses the command at `at` into `found`; returns the index after it, or -1. */
function readCommand(script: string, at: number, found: SedScript): number {
  const letter = script[at] ?? "";
  const lineEnd = script.indexOf("\n", at);
  const end = lineEnd < 0 ? script.length : lineEnd;
  const rest = script.slice(at + 1, end);
  switch (letter) {
    case "#":
      return end;
    case "{":
    case "}":
      return at + 1;
    case "s":
    case "y":
      return readSubstitution(script, at);
    case "e":
      found.runs.push(rest.trim());
      return end;
    case "w":
    case "W":
      found.writes.push(rest.trim());
      return end;
    case "r":
    case "R":
      return end;
    case "a":
    case "i":
    case "c": {
      // After a backslash at the end of a line, the text continues.
      const text = /(?:[^\n\\]|\\[\s\S])*/y;
      return matchEnd(text, script, at + 1);
    }
    case ":":
    case "b":
    case "t":
    case "T":
    case "v":
      return matchEnd(letter === ":" ? /[^\n;]*/y : /[^\n;}]*/y, script, at + 1);
    default:
      return /[=dDgGhHnNpPxzFlLqQ]/.test(letter) ? at + 1 : -1;
  }
}

/** `s/a/b/flags`. The flags `e` and `w FILE` are read as the commands of these names, which do the same. */
function readSubstitution(script: string, at: number): number {
  const end = closing(script, closing(script, at + 1, script[at] === "s"), false);
  return end < 0 ? -1 : matchEnd(/[gpiImM\d]*/y, script, end + 1);
}

/**
 * The index of the next unescaped delimiter like the one at `at`, outside brackets of a pattern; -1 if there is none.
 */
function closing(script: string, at: number, isPattern = true): number {
  const mark = script[at];
  if (mark === "\n") return -1;
  for (let next = at + 1; next < script.length; next += 1) {
    if (script[next] === "\\") next += 1;
    else if (script[next] === mark) return next;
    else if (isPattern) {
      const bracket = /\[\^?\]?(?:\[[:.=][^\]]*[:.=]\]|[^\]\n])*\]/y;
      next = Math.max(next, matchEnd(bracket, script, next) - 1);
    }
  }
  return -1;
}

/** Where a sticky pattern stops matching from `at`; 0 if it does not match. */
function matchEnd(pattern: RegExp, script: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(script);
  return pattern.lastIndex;
}
