// Whether JSON has more levels or more values than its reader takes, by its text: a few million tiny values keep the parser
// and the schemas busy for half a minute. Checks no syntax.

export interface JsonMost {
  /** A bare value has 0, `[]` 1, `[[]]` 2. */
  levels: number;
  /** Elements of lists and entries of objects together. */
  values: number;
}

/** What is wrong with `text`, if anything, for a message. Reads it once, strings at the speed of a search. */
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

/** Where the string that begins at `from` has its closing quote. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text[before - 1] === "\\") before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}
