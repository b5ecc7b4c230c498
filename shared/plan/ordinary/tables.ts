// Tables of a plan: each row is a step, and the column heads say what its other cells mean.
import { plainTitle, readWrittenLines, type WrittenLine } from "./lines.ts";

/** Names of the column that contains the work, best first. */
const titles = ["task", "step", "action", "change", "what", "description", "item", "phase"];
/** Names of a column that numbers the rows. */
const counting = /^(?:#|no\.?|nr\.?|id|order|step|task|phase)$/i;
const rule = /^\|?\s*:?--[-:\s|]*$/;
/** A cell that describes no work: a number, a short id such as `T1`, a dash. */
const mark = /^[^\p{L}]{0,6}\p{L}{0,2}[^\p{L}]{0,6}$/u;

/** The lines of a text; rows of tables carry what they say about steps. */
export function readLines(text: string): WrittenLine[] {
  const lines = readWrittenLines(text);
  let table: WrittenLine[] = [];
  for (const line of lines) {
    if (line.kind === "text" && line.text.startsWith("|")) table.push(line);
    else {
      markTable(table);
      table = [];
    }
  }
  markTable(table);
  return lines;
}

function markTable([head, below, ...rows]: readonly WrittenLine[]): void {
  if (!head || !below || !rule.test(below.text)) return;
  const names = cellsOf(head);
  const first = cellsOf(rows[0]);
  const at = (title: string) =>
    names.findIndex((name, column) => plural(name) === `${title}s` && !mark.test(first[column] ?? ""));
  const column = titles.map(at).find((found) => found >= 0);
  if (column === undefined) return;
  const counts = names.some((name, other) => other !== column && counting.test(name));
  head.heads = true;
  below.heads = true;
  for (const row of rows) {
    const cells = cellsOf(row);
    const more = names.flatMap((name, other) => {
      const cell = cells[other] ?? "";
      return other === column || mark.test(cell) ? [] : `${name}: ${cell}`;
    });
    if (cells[column]) row.row = { title: cells[column], below: more, counts };
  }
}

function plural(name: string): string {
  return `${name.toLowerCase().replace(/s$/, "")}s`;
}

/** A bar inside code does not end a cell. */
function cellsOf(line: WrittenLine | undefined): string[] {
  const bare = (line?.text ?? "").replace(/^\||\|$/g, "");
  return (bare.match(/(?:`[^`]*`|\\.|[^|])+/g) ?? []).map((cell) => plainTitle(cell.replaceAll("\\|", "|")));
}
