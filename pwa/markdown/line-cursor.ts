// Reads one line of Markdown from left to right, in columns: a tab reaches to the next multiple of four.

export class LineCursor {
  /** The rest of the line. A partly consumed tab becomes spaces. */
  rest: string;
  private column = 0;

  constructor(line: string) {
    this.rest = line;
  }

  get isBlank(): boolean {
    return /^[ \t]*$/.test(this.rest);
  }

  /** The number of columns of white space at the front. */
  get indent(): number {
    let { column } = this;
    for (const char of this.rest) {
      if (char !== " " && char !== "\t") break;
      column += char === "\t" ? 4 - (column % 4) : 1;
    }
    return column - this.column;
  }

  /** Consumes `chars` characters, none of them a tab. */
  take(chars: number): void {
    this.rest = this.rest.slice(chars);
    this.column += chars;
  }

  /** Consumes white space up to `columns` wide. */
  takeSpace(columns: number): void {
    let left = columns;
    let at = 0;
    for (; left > 0; at += 1) {
      const char = this.rest[at];
      if (char !== " " && char !== "\t") break;
      const width = char === "\t" ? 4 - (this.column % 4) : 1;
      this.column += Math.min(width, left);
      if (width > left) {
        this.rest = " ".repeat(width - left) + this.rest.slice(at + 1);
        return;
      }
      left -= width;
    }
    this.rest = this.rest.slice(at);
  }
}
