// One word of a command line as the shell would pass it to a program, as far as that is known without running anything.
import { closingAnsi, closingBacktick, closingBracket, closingDouble } from "./shell-span.ts";

export interface Word {
  /** Without quotes and escapes; parts that are known only at run time are left as they are written. */
  text: string;
  /** Whether a part comes from a variable, a substitution or a brace expansion. */
  unknown: boolean;
  /** Whether it contains an unquoted `*`, `?` or `[`. */
  pattern: boolean;
  /** Whether it began with a quote or an escape: then it is neither a keyword nor an assignment. */
  quoted: boolean;
  /** The command substitutions in it, which are run too. */
  scripts: string[];
}

/** The word at `start` and the index after it; undefined if its quoting does not close. */
export function readWord(source: string, start: number): { word: Word; end: number } | undefined {
  const word: Word = {
    text: "",
    unknown: false,
    pattern: false,
    quoted: /['"\\]/.test(source[start] ?? ""),
    scripts: [],
  };
  let at = start;
  while (at < source.length && !endsWord(source, at)) {
    const end = readPart(source, at, word);
    if (end < 0) return undefined;
    at = end;
  }
  return { word, end: at };
}

function endsWord(source: string, at: number): boolean {
  const char = source[at] ?? "";
  if (/[ \t\n;&|()]/.test(char)) return true;
  // <(…) and >(…) are words, not redirections. $IFS is white space by default, and is only written as such.
  if (char === "<" || char === ">") return source[at + 1] !== "(";
  return ifsLength(source, at) > 0;
}

/** The length of an unquoted `$IFS` at `at`, which separates words; 0 if there is none. */
export function ifsLength(source: string, at: number): number {
  return /^(\$IFS(?![A-Za-z0-9_])(\$\d)?|\$\{IFS[^}]*\})/.exec(source.slice(at, at + 40))?.[0].length ?? 0;
}

/** Adds the part at `at` to the word. Returns the index after it, or -1 if it is not closed. */
function readPart(source: string, at: number, word: Word): number {
  const char = source[at] ?? "";
  const next = source[at + 1] ?? "";
  if (char === "\\") {
    if (next !== "\n") word.text += next;
    return at + 2;
  }
  if (char === "'") return readSingle(source, at, word);
  if (char === '"') return readDouble(source, at, word);
  if (char === "$" && next === "'") return readAnsi(source, at, word);
  if (char === "$" && next === '"') return readDouble(source, at + 1, word);
  if (char === "$" || char === "`") return readExpansion(source, at, word);
  if (char === "<" || char === ">") return readParenthesis(source, at, word);
  if (/^\{[^\s{}]*(,|\.\.)[^\s]*\}/.test(source.slice(at, at + 200))) word.unknown = true;
  if ("*?[".includes(char)) word.pattern = true;
  word.text += char;
  return at + 1;
}

function readSingle(source: string, at: number, word: Word): number {
  const end = source.indexOf("'", at + 1);
  word.text += source.slice(at + 1, end);
  return end < 0 ? -1 : end + 1;
}

function readDouble(source: string, start: number, word: Word): number {
  const end = closingDouble(source, start);
  if (end < 0) return -1;
  let at = start + 1;
  while (at < end) {
    const char = source[at] ?? "";
    if (char === "\\") {
      const next = source[at + 1] ?? "";
      word.text += '$`"\\'.includes(next) ? next : next === "\n" ? "" : `\\${next}`;
      at += 2;
    } else if (char === "$" || char === "`") {
      at = readExpansion(source, at, word);
      // The meaning of quotes inside `${…}` depends on the text before them.
      if (at < 0 || at > end) return -1;
    } else {
      word.text += char;
      at += 1;
    }
  }
  return end + 1;
}

/** The characters for single letters after a backslash in `$'…'`. */
const ansi: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  v: "\v",
};

function fromCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}

/** `$'…'` decodes C escapes. */
function readAnsi(source: string, start: number, word: Word): number {
  const end = closingAnsi(source, start + 1);
  if (end < 0) return -1;
  word.text += source
    .slice(start + 2, end)
    .replace(
      /\\(x[0-9a-fA-F]{1,2}|x\{[0-9a-fA-F]+\}?|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c[\s\S]|[\s\S])/g,
      (_, code: string) => {
        if (/^[xu]./i.test(code)) return fromCode(Number.parseInt(code.replace(/^.\{?/, ""), 16));
        if (/^[0-7]/.test(code)) return fromCode(Number.parseInt(code, 8) & 255);
        if (/^c./.test(code)) return fromCode((code.charCodeAt(1) & 31) % 128);
        return ansi[code] ?? (/['"\\?]/.test(code) ? code : `\\${code}`);
      },
    );
  return end + 1;
}

/**
 * Reads `$NAME`, `${…}`, `$(…)` or backticks, whose values are known only at run time. Commands inside are collected.
 */
function readExpansion(source: string, at: number, word: Word): number {
  if (source[at] === "`") {
    const end = closingBacktick(source, at);
    if (end < 0) return -1;
    word.unknown = true;
    word.text += "$";
    word.scripts.push(source.slice(at + 1, end).replace(/\\([`$\\])/g, "$1"));
    return end + 1;
  }
  const next = source[at + 1] ?? "";
  if (next === "(") return readParenthesis(source, at, word);
  if (next === "{") {
    const end = closingBracket(source, at + 1);
    if (end < 0) return -1;
    const inner = source.slice(at + 2, end);
    word.unknown = true;
    word.text += source.slice(at, end + 1);
    // A default value may itself contain substitutions.
    word.scripts.push(...substitutionsIn(inner));
    return end + 1;
  }
  if (/[A-Za-z0-9_@*#?$!-]/.test(next)) word.unknown = true;
  word.text += "$";
  return at + 1;
}

/** Reads `$(…)`, `<(…)` or `>(…)`, whose first character is at `at`. */
function readParenthesis(source: string, at: number, word: Word): number {
  const end = closingBracket(source, at + 1);
  if (end < 0) return -1;
  word.unknown = true;
  word.text += source.slice(at, at + 1);
  const arithmetic = source[at] === "$" ? arithmeticAt(source, at + 1) : undefined;
  if (arithmetic) {
    word.scripts.push(...arithmetic);
    return end + 1;
  }
  // `>(sh)` reads what is written to it, which the line may not show.
  word.scripts.push((source[at] === ">" ? "cat | " : "") + source.slice(at + 2, end));
  return end + 1;
}

/**
 * The commands that run when the shell expands a text in which quotes have no meaning. A part that is not closed is
 * kept as text.
 */
export function substitutionsIn(text: string): string[] {
  return expanded(text).scripts;
}

function expanded(text: string): Word {
  const word: Word = { text: "", unknown: false, pattern: false, quoted: false, scripts: [] };
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? "";
    const end = char === "$" || char === "`" ? readExpansion(text, at, word) : at;
    if (end < 0) {
      word.scripts.push(text.slice(at));
      return word;
    }
    if (end === at) word.text += char;
    at = end > at ? end : at + (char === "\\" ? 2 : 1);
  }
  return word;
}

/** Numbers, names, operators and expansions. */
const calculation = /^[\w\s$+\-*/%<>=!&|^~?:,()[\]{}#.]*$/;

/**
 * The substitutions of `((a + $(b)))` at `at`, if it can only be arithmetic. Two operands without an operator, as in
 * `((rm x))`, are refused by bash, but other shells may run them.
 */
export function arithmeticAt(source: string, at: number): string[] | undefined {
  const end = source.startsWith("((", at) ? closingBracket(source, at + 1) : -1;
  if (end < 0 || source[end + 1] !== ")") return undefined;
  const { text, scripts } = expanded(source.slice(at + 2, end));
  return calculation.test(text) && !/\w\s+[\w$]/.test(text) ? scripts : undefined;
}
