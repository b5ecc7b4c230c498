// Tells from the text of JSON whether it has more levels or values than its reader accepts: a few million tiny values
// would keep the parser and the schemas busy for half a minute. Does not check the syntax.

export interface JsonMost {
  /** A bare value has 0, `[]` 1, `[[]]` 2. */
  levels: number;
  /** Elements of lists and entries of objects together. */
  values: number;
}

/**
 * What is wrong with `text`, in words for a message; undefined = nothing. Reads it once, and skips strings by searching
 * for their ends.
 */
export function jsonExcess(text: string, { levels, values }: JsonMost): string | undefined {
  let depth = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case ",":
        if (++commas >= values) return `more than ${values} values`;
        break;
      case "[":
      case "{":
        if (++depth > levels) return `nested deeper than ${levels} levels`;
        break;
      case "]":
      case "}":
        depth -= 1;
    }
  }
  return undefined;
}

/** The index of the closing quote of the string that begins at `from`; the end of the text if there is none. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text[before - 1] === "\\") before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}
