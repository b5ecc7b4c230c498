// Literal texts as a tree of characters in one table. It is walked by character codes, without a slice or an allocation
// for each place that is examined. Pure.

const asciiCodes = 128;

export class Trie<Value> {
  /** The column of each character that occurs; 0 = none. Most columns are found in the array. */
  readonly #ascii: Uint16Array;
  readonly #others = new Map<number, number>();
  readonly #width: number;
  /** The next node, by node and column. The root is node 0; no entry leads to it, so 0 means none. */
  readonly #next: Uint16Array;
  /** The value of the text that ends at a node. */
  readonly #values: (Value | undefined)[] = [undefined];

  /** `anyCase`: the texts must be in lower case and are matched in any case. */
  constructor(texts: ReadonlyMap<string, Value>, anyCase: boolean) {
    const columns = new Map<number, number>();
    for (const code of [...texts.keys()].flatMap(codesOf))
      if (!columns.has(code)) columns.set(code, columns.size + 1);
    this.#width = columns.size + 1;
    this.#ascii = Uint16Array.from({ length: asciiCodes }, (_, code) => {
      const lower = anyCase ? String.fromCharCode(code).toLowerCase().charCodeAt(0) : code;
      return columns.get(lower) ?? 0;
    });
    for (const [code, column] of columns) {
      this.#others.set(code, column);
      if (anyCase) this.#others.set(String.fromCharCode(code).toUpperCase().charCodeAt(0), column);
    }
    const chars = [...texts.keys()].reduce((sum, text) => sum + text.length, 0);
    this.#next = new Uint16Array((chars + 1) * this.#width);
    for (const [text, value] of texts) this.#add(codesOf(text), value);
  }

  #add(codes: readonly number[], value: Value): void {
    let node = 0;
    for (const code of codes) {
      const edge = this.#edge(node, code);
      if (this.#next[edge] === 0) this.#next[edge] = this.#values.push(undefined) - 1;
      node = this.#next[edge] ?? 0;
    }
    this.#values[node] = value;
  }

  #edge(node: number, code: number): number {
    const column = code < asciiCodes ? this.#ascii[code] : this.#others.get(code);
    return node * this.#width + (column ?? 0);
  }

  /** The value of the longest of the texts that begins in `given` at `place`. */
  valueAt(given: string, place: number): Value | undefined {
    let value: Value | undefined;
    for (let node = 0, at = place; at < given.length; at++) {
      node = this.#next[this.#edge(node, given.charCodeAt(at))] ?? 0;
      if (node === 0) break;
      value = this.#values[node] ?? value;
    }
    return value;
  }

  /**
   * Whether `given` ends inside or exactly at the end of one of the texts that begins at `place`. More text could then
   * change the match.
   */
  isOpenAt(given: string, place: number): boolean {
    let node = 0;
    for (let at = place; at < given.length; at++) {
      node = this.#next[this.#edge(node, given.charCodeAt(at))] ?? 0;
      if (node === 0) return false;
    }
    return place < given.length;
  }
}

function codesOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}
