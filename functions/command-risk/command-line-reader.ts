// Reads one command line from left to right and splits it into commands. Substitutions are kept as text.

import { closingBracket } from "./shell-span.ts";
import { arithmeticAt, ifsLength, readWord, substitutionsIn, type Word } from "./shell-word.ts";
import { emptyCommand, type SimpleCommand } from "./simple-command.ts";

/** Words after which the shell still reads `case` as a keyword. */
const leading = /^(if|then|else|elif|while|until|do|!|[{}]|time|coproc)$/;

/** What begins and ends a group of commands. */
const opening = /^([({]|if|while|until|for|select)$/;
const closing = /^([)}]|fi|done)$/;
const keyword = /^(if|then|elif|else|fi|while|until|for|select|do|done|!|[{}]|time)$/;

/** A piece of a regular expression without blanks, quotes and expansions. */
const piece = String.raw`[^\s'"\x60$\\;&<>()[]|\\[^\s'"\x60$]|\$(?=[\s)|])|\[\^?\]?[^\s'"\x60$\\\]]*\]`;
/** A whole regular expression, up to the end of its `[[ … ]]` or the next `&&` or `||`. */
const expression = new RegExp(
  `(?:${piece}|\\((?:${piece}|\\((?:${piece})*\\))*\\))+(?=\\s+(?:\\]\\]|&&|\\|\\|))`,
  "y",
);

export class CommandLineReader {
  readonly commands: SimpleCommand[] = [];
  /** Texts of substitutions, which are command lines of their own. */
  readonly scripts: string[] = [];
  readonly #source: string;
  #at = 0;
  #command = emptyCommand();
  /** What the next word is for, if it is not an argument. */
  #redirect: "to" | "from" | "string" | "document" | undefined;
  /** What the commands of each open group read: in `… | { cd x; sh; }`, both programs read from the pipe. */
  readonly #groups: (SimpleCommand | undefined)[] = [];
  #documents: { command: SimpleCommand; end: string; quoted: boolean; tabs: boolean }[] = [];
  /** `((1<<2))` and `a[1<<2]=3` do not begin a here-document: the lines after them are commands. */
  #calculates = false;
  #tabs = false;
  #replaces = false;
  #closes = true;
  /** Open `case` statements, the innermost last; their patterns are not commands. */
  #cases: { stage: "subject" | "in" | "first" | "pattern" | "body"; level: number }[] = [];
  /** How many `case` statements have been closed by `esac`. */
  casesRead = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** false if quoting does not close. */
  readAll(): boolean {
    while (this.#at < this.#source.length) {
      if (!this.#step()) return false;
    }
    this.#endCommand("");
    return this.#closes && this.#cases.length === 0;
  }

  #step(): boolean {
    const char = this.#source[this.#at] ?? "";
    const next = this.#source[this.#at + 1] ?? "";
    const ifs = ifsLength(this.#source, this.#at);
    if (ifs > 0) this.#at += ifs;
    else if (char === "\n") {
      this.#endCommand(char);
      this.#at += 1;
      this.#readDocuments();
    } else if (char === " " || char === "\t") this.#at += 1;
    else if (char === "\\" && next === "\n") this.#at += 2;
    else if (char === "#") this.#at = lineEnd(this.#source, this.#at);
    else if (char === "&" && next === ">") this.#at += 1;
    else if (this.#readExpression()) return true;
    else if (";&|()".includes(char)) this.#separator(char, next);
    else if ((char === "<" || char === ">") && next !== "(") this.#readRedirect();
    else return this.#readWord();
    return true;
  }

  #separator(char: string, next: string): void {
    const arithmetic = this.#atStart() ? arithmeticAt(this.#source, this.#at) : undefined;
    if (arithmetic) {
      this.scripts.push(...arithmetic);
      this.#at = closingBracket(this.#source, this.#at) + 1;
      return;
    }
    const doubled = next === char;
    this.#calculates ||= doubled && char === "(";
    const last = this.#command.words.at(-1);
    // `@(rm)` is a pattern of file names in shells with extended globs.
    const isPattern = char === "(" && /[@+?*!]/.test(this.#source[this.#at - 1] ?? "");
    // In `if !(true)`, `!` is a keyword; after a program's name, `!(x)` is a pattern.
    const isKeyword = this.#atStart() && !this.#source.includes("extglob");
    if (last && isPattern && !isKeyword) {
      last.text += char;
      last.unknown = true;
    }
    const stage = this.#cases.at(-1)?.stage;
    // The parentheses of a pattern of `case` open and close no group.
    const inPattern = stage === "first" || stage === "pattern";
    this.#endCommand(inPattern || (doubled && char === "|") ? ";" : char);
    this.#passCase(char, next);
    // `((ls); sh)` opens two groups.
    this.#at += doubled && !"()".includes(char) ? 2 : 1;
  }

  /** Applies a separator to the innermost `case`. */
  #passCase(char: string, next: string): void {
    const open = this.#cases.at(-1);
    if (open?.stage === "first" || open?.stage === "pattern") {
      open.stage = char === ")" ? "body" : "pattern";
    } else if (open?.stage === "body") {
      if (char === "(" || char === ")") open.level += char === "(" ? 1 : -1;
      // The `;;` in `for ((;;))` does not end a branch.
      if (char === ";" && ";&".includes(next) && open.level === 0) open.stage = "first";
    }
  }

  #readRedirect(): void {
    const mark = /^(<<<|<<-?|<>|<&|<|>>|>&|>\|)/.exec(this.#source.slice(this.#at, this.#at + 3))?.[0] ?? ">";
    this.#at += mark.length;
    this.#tabs = mark === "<<-";
    this.#replaces = /^>[|&]?$/.test(mark);
    this.#calculates ||= /\[[^\]]*$/.test(this.#command.words.at(-1)?.text ?? "");
    this.#redirect =
      mark === "<<<"
        ? "string"
        : mark.startsWith("<<")
          ? "document"
          : mark.startsWith("<") && mark !== "<>"
            ? "from"
            : "to";
  }

  #readWord(): boolean {
    const read = readWord(this.#source, this.#at);
    if (!read) return false;
    const { word, end } = read;
    this.scripts.push(...word.scripts);
    const after = this.#source[end];
    this.#at = end;
    if (this.#redirect) this.#redirected(word);
    else if (this.#isOfCase(word)) return true;
    // A file descriptor before the mark belongs to the redirection.
    else if (!(/^\d+$/.test(word.text) && (after === "<" || after === ">"))) this.#command.words.push(word);
    return true;
  }

  /**
   * Reads the expression of `[[ x =~ (a|b)c ]]`, whose operators separate no commands. A shell without `[[` would at
   * most run a program that has the name of one of the branches, without arguments.
   */
  #readExpression(): boolean {
    const { words } = this.#command;
    const start = words.find(({ text, quoted }) => quoted || !leading.test(text));
    if (words.at(-1)?.text !== "=~" || start?.text !== "[[" || start.quoted || this.#redirect) return false;
    expression.lastIndex = this.#at;
    const [text = ""] = expression.exec(this.#source) ?? [];
    if (text === "") return false;
    words.push({ text, unknown: false, pattern: false, quoted: false, scripts: [] });
    this.#at += text.length;
    return true;
  }

  /** Whether `word` belongs to a `case` itself and not to a command. */
  #isOfCase(word: Word): boolean {
    const open = this.#cases.at(-1);
    const isEsac = word.text === "esac" && !word.quoted;
    if (open?.stage === "subject") open.stage = "in";
    else if (open?.stage === "in") {
      open.stage = "first";
      this.#closes &&= word.text === "in";
    } else if (isEsac && (open?.stage === "first" || (open?.stage === "body" && this.#atStart()))) {
      this.#cases.pop();
      this.casesRead += 1;
    } else if (open?.stage === "first") open.stage = "pattern";
    else if (open?.stage !== "pattern") {
      if (word.text !== "case" || word.quoted || !this.#atStart()) return false;
      this.#cases.push({ stage: "subject", level: 0 });
    }
    return true;
  }

  /** Whether only keywords come before the next word. */
  #atStart(): boolean {
    return this.#command.words.every(({ text, quoted }) => !quoted && leading.test(text));
  }

  #redirected(word: Word): void {
    const command = this.#command;
    if (this.#redirect === "string") command.input.push(word.text);
    else if (this.#redirect === "document")
      this.#documents.push({ command, end: word.text, quoted: word.quoted, tabs: this.#tabs });
    else if (!/^[\d-]+$/.test(word.text))
      command.redirects.push({ to: this.#redirect === "to", replaces: this.#replaces, target: word });
    this.#redirect = undefined;
  }

  /** The bodies of the here-documents that the line just read has announced. */
  #readDocuments(): void {
    for (const { command, end, quoted, tabs } of this.#documents.splice(0)) {
      let isClosed = false;
      const lines: string[] = [];
      while (!isClosed && this.#at < this.#source.length) {
        const stop = lineEnd(this.#source, this.#at);
        const line = this.#source.slice(this.#at, stop);
        this.#at = stop + 1;
        isClosed = (tabs ? line.replace(/^\t+/, "") : line) === end;
        if (!isClosed) lines.push(line);
      }
      this.#closes &&= isClosed;
      const text = lines.join("\n");
      command.input.push(text);
      if (this.#calculates) this.scripts.push(text);
      else if (!quoted) this.scripts.push(...substitutionsIn(text));
    }
  }

  /** Ends the current command at `mark`, a separator. */
  #endCommand(mark: string): void {
    const command = this.#command;
    const isEmpty = command.words.length === 0 && command.redirects.length === 0;
    if (!isEmpty) this.commands.push(command);
    this.#redirect = undefined;
    const argument = command.words.findIndex(({ text, quoted }) => quoted || !keyword.test(text));
    const keywords = command.words.slice(0, argument < 0 ? undefined : argument);
    for (const text of [...keywords.map((word) => word.text), mark]) {
      if (opening.test(text)) this.#groups.push(command.upstream);
      else if (closing.test(text)) this.#groups.pop();
    }
    const input = isEmpty && mark !== ")" ? command.upstream : this.#groups.at(-1);
    this.#command = emptyCommand(mark === "|" ? command : input);
  }
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf("\n", at);
  return end < 0 ? source.length : end;
}
