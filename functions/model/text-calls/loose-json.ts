// JSON as models write it by hand: comments, other quotes, keys without quotes, raw line ends in strings, commas at
// the end. Nothing is completed: what is not closed is an error with its position.

export interface LooseFault {
  /** Offset in the text that was read. */
  at: number;
  why: string;
}

export type LooseValue = { ok: true; value: unknown; end: number } | ({ ok: false } & LooseFault);

/** Deeper than real arguments; models that repeat themselves may nest endlessly. */
const maxDepth = 40;

/** The value that begins at `from`; `end` is the offset after it. */
export function readLoose(text: string, from = 0): LooseValue {
  const reader = new LooseReader(text, from);
  try {
    const value = reader.value(0);
    return { ok: true, value, end: reader.at };
  } catch (fault) {
    if (fault instanceof LooseError) return { ok: false, at: fault.at, why: fault.why };
    throw fault;
  }
}

class LooseError {
  readonly at: number;
  readonly why: string;
  constructor(at: number, why: string) {
    this.at = at;
    this.why = why;
  }
}

/** `undefined`: as JavaScript has it, which is null here. */
const words: Readonly<Record<string, unknown>> = {
  ...{ true: true, True: true, false: false, False: false },
  ...{ null: null, None: null, undefined: null },
};
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "\n": "" };
/** Longer ones first: three quotes are not an empty string and a quote. */
const quotes = ['"""', "'''", '"', "'", "`"] as const;

const space = /(?:\s|\/\/[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const bareWord = /[A-Za-z_$][\w$-]*/y;
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

class LooseReader {
  readonly #text: string;
  at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  value(depth: number): unknown {
    if (depth > maxDepth) throw new LooseError(this.at, "nested too deep");
    this.#space();
    const char = this.#text.charAt(this.at);
    if (char === "{") return this.#object(depth);
    if (char === "[") return this.#list(depth);
    const quote = this.#quote();
    if (quote !== undefined) return this.#string(quote);
    const digits = this.#match(number);
    if (digits !== undefined) return Number(digits);
    const word = this.#match(bareWord);
    if (word !== undefined && Object.hasOwn(words, word)) return words[word];
    this.at -= word?.length ?? 0;
    throw new LooseError(this.at, char === "" ? "it ends here" : "a value was expected here");
  }

  #object(depth: number): Record<string, unknown> {
    const fields: [string, unknown][] = [];
    this.at += 1;
    for (;;) {
      this.#space();
      if (this.#take("}")) return Object.fromEntries(fields);
      const quote = this.#quote();
      const key = quote === undefined ? this.#match(bareWord) : this.#string(quote);
      if (key === undefined) throw new LooseError(this.at, this.#ended("a key or } was expected here"));
      this.#space();
      if (!this.#take(":")) throw new LooseError(this.at, this.#ended("a colon was expected here"));
      fields.push([key, this.value(depth + 1)]);
      this.#separator("}");
    }
  }

  #list(depth: number): unknown[] {
    const items: unknown[] = [];
    this.at += 1;
    for (;;) {
      this.#space();
      if (this.#take("]")) return items;
      items.push(this.value(depth + 1));
      this.#separator("]");
    }
  }

  #separator(closing: string): void {
    this.#space();
    if (this.#take(",") || this.#text.charAt(this.at) === closing) return;
    throw new LooseError(this.at, this.#ended(`a comma or ${closing} was expected here`));
  }

  #ended(why: string): string {
    return this.at >= this.#text.length ? "it ends here" : why;
  }

  #string(quote: string): string {
    const from = this.at;
    this.at += quote.length;
    let value = "";
    for (;;) {
      const close = this.#text.indexOf(quote, this.at);
      if (close < 0) throw new LooseError(from, "this string is not closed");
      const slash = this.#text.slice(this.at, close).indexOf("\\");
      if (slash < 0) {
        value += this.#text.slice(this.at, close);
        this.at = close;
        break;
      }
      value += this.#text.slice(this.at, this.at + slash);
      this.at += slash + 1;
      value += this.#escape();
    }
    this.at += quote.length;
    // A line end right after opening triple quotes is not part of the text.
    return quote.length === 3 ? value.replace(/^\n/, "") : value;
  }

  /** Escapes that JSON does not have are taken literally: `\d` of a pattern keeps its backslash, `\'` is a quote. */
  #escape(): string {
    const char = this.#text.charAt(this.at);
    this.at += 1;
    if (char === "u") {
      const code = this.#text.slice(this.at, this.at + 4);
      if (!/^[0-9a-fA-F]{4}$/.test(code)) return "\\u";
      this.at += 4;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    return escapes[char] ?? (/[A-Za-z0-9]/.test(char) ? `\\${char}` : char);
  }

  #quote(): string | undefined {
    return quotes.find((quote) => this.#text.startsWith(quote, this.at));
  }

  #space(): void {
    this.#match(space);
  }

  #take(char: string): boolean {
    const taken = this.#text.charAt(this.at) === char;
    if (taken) this.at += 1;
    return taken;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }
}
