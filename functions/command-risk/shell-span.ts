// Finds where a quoted or substituted part of a command line ends. Positions are UTF-16 units.

/** Substitutions that are nested deeper than this count as not closed. */
const maxDepth = 20;
/** The text of a here-document opens no quotes and closes no brackets: a commit message may contain an apostrophe. */
const hereDocument = /^<<(['"]?)(\w+)\1\n(?:[\s\S]*?\n)??\2\n/;

/** Index of the quote that closes the double quotes opened at `start`; -1 if none does. */
export function closingDouble(source: string, start: number, depth = 0): number {
  for (let at = start + 1; at < source.length; at += 1) {
    const char = source[at];
    if (char === '"') return at;
    const skipped = skip(source, at, depth);
    if (skipped < 0) return -1;
    at = skipped;
  }
  return -1;
}

/** Index of the unescaped backtick that closes the one at `start`; -1 if none does. */
export function closingBacktick(source: string, start: number): number {
  return closingPlain(source, start, "`");
}

/** Index of the unescaped quote that closes the one at `start`, which follows a `$`; -1 if none does. */
export function closingAnsi(source: string, start: number): number {
  return closingPlain(source, start, "'");
}

function closingPlain(source: string, start: number, mark: string): number {
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === mark) return at;
  }
  return -1;
}

/** Index of the parenthesis or brace that closes the one at `start`; -1 if none does. */
export function closingBracket(source: string, start: number, depth = 0): number {
  if (depth > maxDepth) return -1;
  const open = source[start];
  const close = open === "(" ? ")" : "}";
  let level = 0;
  for (let at = start; at < source.length; at += 1) {
    const char = source[at];
    if (char === open) level += 1;
    else if (char === close) {
      level -= 1;
      if (level === 0) return at;
    } else if (open === "(" && char === "#" && /[\s;&|(]/.test(source[at - 1] ?? "")) {
      // Quotes and brackets in a comment do not count.
      const lineEnd = source.indexOf("\n", at);
      if (lineEnd < 0) return -1;
      at = lineEnd;
    } else if (char === "$" && source[at + 1] === "{") {
      at = closingBracket(source, at + 1, depth + 1);
      if (at < 0) return -1;
    } else if (char === "<" && open === "(") {
      at += (hereDocument.exec(source.slice(at))?.[0].length ?? 1) - 1;
    } else if (char === "'") {
      at = source[at - 1] === "$" ? closingAnsi(source, at) : source.indexOf("'", at + 1);
      if (at < 0) return -1;
    } else if (char === '"') {
      at = closingDouble(source, at, depth);
      if (at < 0) return -1;
    } else {
      at = skip(source, at, depth);
      if (at < 0) return -1;
    }
  }
  return -1;
}

/**
 * The last index of the part that begins at `at` and means the same inside and outside double quotes: an escape, a
 * substitution, or a character.
 */
function skip(source: string, at: number, depth: number): number {
  if (source[at] === "\\") return at + 1;
  if (source[at] === "`") return closingBacktick(source, at);
  if (source[at] === "$" && source[at + 1] === "(") return closingBracket(source, at + 1, depth + 1);
  return at;
}
