// Splits a command line into words, for a machine without a jail. Fails closed: anything that a shell would
// interpret (substitution, redirection, pipes, globs, variables, newlines) is refused, not approximated.
import { HandrailError } from "../../shared/errors.ts";

/** The words of each command of an `a && b && c` chain. */
export type CommandChain = string[][];

/** Throws `readonly` and names the part that is not supported. */
export function parseCommand(text: string): CommandChain {
  const chain: CommandChain = [];
  let words: string[] = [];
  let position = 0;
  const closeCommand = () => {
    if (words.length === 0) throw notAllowed("an empty command");
    if (/^[A-Za-z_][A-Za-z0-9_]*=/.test(words[0] ?? ""))
      throw notAllowed("an assignment in front of a command");
    chain.push(words);
    words = [];
  };
  const trimmed = text.replace(/\n+$/, "");
  while (position < trimmed.length) {
    const char = trimmed[position] ?? "";
    if (char === " " || char === "\t") {
      position += 1;
    } else if (trimmed.startsWith("&&", position)) {
      closeCommand();
      position += 2;
    } else {
      const word = readWord(trimmed, position);
      words.push(word.text);
      position = word.end;
    }
  }
  closeCommand();
  return chain;
}

/** Characters that have a meaning to a shell outside of quotes. */
const special = new Map([
  [";", "`;`"],
  ["&", "`&`"],
  ["|", "a pipe"],
  ["<", "a redirection"],
  [">", "a redirection"],
  ["(", "a subshell"],
  [")", "a subshell"],
  ["{", "braces"],
  ["}", "braces"],
  ["$", "a variable or substitution"],
  ["`", "a substitution"],
  ["*", "an unquoted pattern"],
  ["?", "an unquoted pattern"],
  ["[", "an unquoted pattern"],
  ["]", "an unquoted pattern"],
  ["!", "`!`"],
  ["\n", "a line break"],
  ["\r", "a line break"],
]);

function readWord(text: string, start: number): { text: string; end: number } {
  let word = "";
  let position = start;
  while (position < text.length) {
    const char = text[position] ?? "";
    if (char === " " || char === "\t" || text.startsWith("&&", position)) break;
    const meaning = special.get(char);
    if (meaning) throw notAllowed(meaning);
    if ((char === "~" || char === "#") && position === start)
      throw notAllowed(`\`${char}\` at the start of a word`);
    if (isControl(char)) throw notAllowed("a control character");
    if (char === "'" || char === '"') {
      const quoted = char === "'" ? singleQuoted(text, position + 1) : doubleQuoted(text, position + 1);
      word += quoted.text;
      position = quoted.end;
    } else if (char === "\\") {
      const next = text[position + 1];
      if (next === undefined || isControl(next)) throw notAllowed("a trailing backslash");
      word += next;
      position += 2;
    } else {
      word += char;
      position += 1;
    }
  }
  return { text: word, end: position };
}

function singleQuoted(text: string, start: number): { text: string; end: number } {
  const end = text.indexOf("'", start);
  if (end < 0) throw notAllowed("a quote that is not closed");
  return { text: plain(text.slice(start, end)), end: end + 1 };
}

function doubleQuoted(text: string, start: number): { text: string; end: number } {
  let word = "";
  for (let position = start; position < text.length; position++) {
    const char = text[position] ?? "";
    if (char === '"') return { text: plain(word), end: position + 1 };
    if (char === "$" || char === "`") throw notAllowed("a variable or substitution");
    if (char === "!") throw notAllowed("`!` in double quotes");
    if (char === "\\") {
      const next = text[position + 1] ?? "";
      // Within double quotes a backslash is literal, except before these characters.
      if (next === '"' || next === "\\" || next === "$" || next === "`") position += 1;
      word += next === '"' || next === "\\" || next === "$" || next === "`" ? next : char;
    } else {
      word += char;
    }
  }
  throw notAllowed("a quote that is not closed");
}

function plain(text: string): string {
  if ([...text].some((char) => char !== "\t" && isControl(char))) throw notAllowed("a control character");
  return text;
}

function isControl(char: string): boolean {
  const code = char.charCodeAt(0);
  return code < 0x20 || code === 0x7f;
}

export function notAllowed(what: string): HandrailError {
  return new HandrailError(
    "readonly",
    `Refused: ${what}. Without a jail on this machine, read-only commands are plain ones out of a short list ` +
      "(ls, cat, head, tail, wc, grep, rg, find, git log, git diff, …), run without a shell and chained by && at most.",
  );
}
