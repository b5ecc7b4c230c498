// Tables as GitHub writes them: a head, a line of dashes, rows; cells between bars.

export type Align = "left" | "center" | "right";

export interface Table {
  kind: "table";
  head: string[];
  /** One for every cell of the head; undefined where the dashes say nothing. */
  align: (Align | undefined)[];
  /** Every row is as long as the head. */
  rows: string[][];
}

const delimiter = /^\s{0,3}\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** Whether a table begins at `at`: a line with bars above a line of as many dashes. */
export function beginsTable(lines: readonly string[], at: number): boolean {
  const head = lines[at] ?? "";
  const below = lines[at + 1] ?? "";
  if (!head.includes("|") || !below.includes("-") || !delimiter.test(below)) return false;
  return cellsOf(head).length === cellsOf(below).length;
}

/** The table of these lines, of which `beginsTable` is true at 0. */
export function parseTable([first = "", second = "", ...rest]: readonly string[]): Table {
  const head = cellsOf(first);
  return {
    kind: "table",
    head,
    align: cellsOf(second).map(alignOf),
    rows: rest.map((line) => {
      const cells = cellsOf(line);
      return head.map((_, column) => cells[column] ?? "");
    }),
  };
}

function alignOf(dashes: string): Align | undefined {
  if (dashes.endsWith(":")) return dashes.startsWith(":") ? "center" : "right";
  return dashes.startsWith(":") ? "left" : undefined;
}

/** A bar behind a backslash is text. */
function cellsOf(line: string): string[] {
  const bare = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
}
