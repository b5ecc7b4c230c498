// A command line taken apart into the simple commands it may run. It only reads; running is the sandbox's.

/** One simple command: program and arguments without quotes, redirections left out. */
export interface SimpleCommand {
  words: string[];
  /** true = a word is made at run time ($VAR, $(…), `…`, globs in the program's place). */
  dynamic: boolean;
  /** Targets of `>` and `>>`. */
  writesTo: string[];
}

/**
 * The simple commands in `source`, those inside substitutions and groups included.
 * `ok: false` where quoting does not close: the caller must take the worst for granted.
 */
export function parseCommandLine(source: string): { ok: boolean; commands: SimpleCommand[] } {
  const commands: SimpleCommand[] = [];
  let ok = true;
  let words: string[] = [];
  let writesTo: string[] = [];
  let word: string | undefined;
  let dynamic = false;
  let redirect = false;
  let i = 0;

  const endWord = () => {
    if (word === undefined) return;
    if (redirect) writesTo.push(word);
    else words.push(word);
    word = undefined;
    redirect = false;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0 || writesTo.length > 0) commands.push({ words, dynamic, writesTo });
    words = [];
    writesTo = [];
    dynamic = false;
  };
  const nested = (inner: string) => {
    const parsed = parseCommandLine(inner);
    ok &&= parsed.ok;
    commands.push(...parsed.commands);
    dynamic = true;
  };

  while (i < source.length) {
    const char = source[i] ?? "";
    if (char === "\\") {
      if (source[i + 1] !== "\n") word = (word ?? "") + (source[i + 1] ?? "");
      i += 2;
    } else if (char === "'") {
      const end = source.indexOf("'", i + 1);
      if (end < 0) return { ok: false, commands };
      word = (word ?? "") + source.slice(i + 1, end);
      i = end + 1;
    } else if (char === '"') {
      word ??= "";
      i += 1;
      while (i < source.length && source[i] !== '"') {
        if (source[i] === "\\") {
          word += source[i + 1] ?? "";
          i += 2;
        } else if (source[i] === "`" || (source[i] === "$" && source[i + 1] === "(")) {
          const span = substitution(source, i);
          if (!span) return { ok: false, commands };
          nested(span.inner);
          i = span.end;
        } else {
          if (source[i] === "$") dynamic = true;
          word += source[i];
          i += 1;
        }
      }
      if (source[i] !== '"') return { ok: false, commands };
      i += 1;
    } else if (
      char === "`" ||
      (char === "$" && source[i + 1] === "(") ||
      ((char === "<" || char === ">") && source[i + 1] === "(")
    ) {
      const span = substitution(source, i);
      if (!span) return { ok: false, commands };
      word ??= "";
      nested(span.inner);
      i = span.end;
    } else if (char === "$") {
      dynamic = true;
      word = `${word ?? ""}$`;
      i += 1;
    } else if (char === ">" || char === "<") {
      // A file descriptor before the mark belongs to the redirection, not to the arguments.
      if (word !== undefined && /^\d+$/.test(word)) word = undefined;
      endWord();
      redirect = char === ">";
      i += 1;
      while (source[i] === ">" || source[i] === "<" || source[i] === "&" || source[i] === "|") i += 1;
      if (char === "<") redirect = false;
    } else if (char === "#" && word === undefined) {
      while (i < source.length && source[i] !== "\n") i += 1;
    } else if (";&|\n(){}".includes(char) && !(char === "{" || char === "}")) {
      endCommand();
      i += 1;
    } else if ((char === "{" || char === "}") && word === undefined) {
      endCommand();
      i += 1;
    } else if (/\s/.test(char)) {
      endWord();
      i += 1;
    } else {
      word = (word ?? "") + char;
      i += 1;
    }
  }
  endCommand();
  return { ok, commands };
}

/** The text inside `…` or $(…) that starts at `start`, and where it ends; undefined when it never closes. */
function substitution(source: string, start: number): { inner: string; end: number } | undefined {
  if (source[start] === "`") {
    const end = source.indexOf("`", start + 1);
    return end < 0 ? undefined : { inner: source.slice(start + 1, end), end: end + 1 };
  }
  let depth = 0;
  for (let i = start + 1; i < source.length; i += 1) {
    const char = source[i];
    if (char === "\\") i += 1;
    else if (char === "'") {
      const end = source.indexOf("'", i + 1);
      if (end < 0) return undefined;
      i = end;
    } else if (char === "(") depth += 1;
    else if (char === ")") {
      depth -= 1;
      if (depth === 0) return { inner: source.slice(start + 2, i), end: i + 1 };
    }
  }
  return undefined;
}
