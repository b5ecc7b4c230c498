// Parses tables as GitHub defines them: a head, a line of dashes, and rows, with cells between bars.

export type Align = "left" | "center" | "right";

export interface Table {
  kind: "table";
  head: string[];
  /** One alignment for each cell of the head; undefined for a cell whose dashes set none. */
  align: (Align | undefined)[];
  /** Every row is as long as the head. */
  rows: string[][];
}

const delimiter = /^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$/;

/**
 * Returns the table that `head` and the line below it begin: a line with bars above a line with as many groups of
 * dashes.
 */
export function beginTable(head: string, below: string): Table | undefined {
  if (!head.includes("|") || !delimiter.test(below.trim())) return undefined;
  const cells = cellsOf(head);
  const align = cellsOf(below).map(alignOf);
  return cells.length === align.length ? { kind: "table", head: cells, align, rows: [] } : undefined;
}

/** Short rows are padded with empty cells; surplus cells are dropped. */
export function addRow({ head, rows }: Table, line: string): void {
  const cells = cellsOf(line);
  rows.push(head.map((_, column) => cells[column] ?? ""));
}

function alignOf(dashes: string): Align | undefined {
  if (dashes.endsWith(":")) return dashes.startsWith(":") ? "center" : "right";
  return dashes.startsWith(":") ? "left" : undefined;
}

/** A bar after a backslash is text. */
function cellsOf(line: string): string[] {
  const bare = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
}
