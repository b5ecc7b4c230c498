// Shell commands inside a plan's text: lines after the first are indented below it.
import { commandText, indentOf, outdent } from "./plan-lines.ts";

/** The lines of a command after `head`; lines after the first are indented by `columns`, and blank ones stay empty. */
export function commandLines(head: string, command: string, columns: number): string[] {
  const [first = "", ...rest] = command.split("\n");
  return [`${head}${first}`, ...rest.map((line) => (line === "" ? "" : `${" ".repeat(columns)}${line}`))];
}

/** Collects the lines of a command after its first one. `indent`: that of the list item's dash. */
export class CommandReader {
  readonly #columns: number;
  #text: string;
  #blank = 0;

  constructor(first: string, indent: number) {
    this.#text = first.trim();
    this.#columns = indent + 2;
  }

  /** Whether the line belonged to the command. */
  take(line: string): boolean {
    if (line.trim() === "") {
      this.#blank += 1;
      return true;
    }
    if (indentOf(line) < this.#columns) return false;
    this.#text += `${"\n".repeat(this.#blank + 1)}${outdent(line, this.#columns)}`;
    this.#blank = 0;
    return true;
  }

  get command(): string {
    return commandText(this.#text);
  }
}
