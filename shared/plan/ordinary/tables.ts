// Tables of a plan: each row is a step, its other cells are what the heads above them say.
import { plainTitle, readWrittenLines, type WrittenLine } from "./lines.ts";

/** Names of the column that says what is done, the best first. */
const titles = ["task", "step", "action", "change", "what", "description", "item", "phase"];
/** A column that counts the rows. */
const counting = /^(?:#|no\.?|nr\.?|id|order|step|task|phase)$/i;
const rule = /^\|?\s*:?--[-:\s|]*$/;
/** A number, a short id such as `T1`, a dash: nothing that is done. */
const mark = /^[^\p{L}]{0,6}\p{L}{0,2}[^\p{L}]{0,6}$/u;

/** The lines of a text, with what rows of tables say of steps. */
export function readLines(text: string): WrittenLine[] {
  const lines = readWrittenLines(text);
  for (const [index, line] of lines.entries()) markTable(lines, line, index);
  return lines;
}

/** `line`: at `index`, perhaps the rule below the heads of a table. */
function markTable(lines: readonly WrittenLine[], line: WrittenLine, index: number): void {
  const head = lines[index - 1];
  if (line.kind !== "text" || !rule.test(line.text) || !head?.text.startsWith("|")) return;
  const rows: WrittenLine[] = [];
  for (let at = index + 1; lines[at]?.kind === "text" && lines[at]?.text.startsWith("|"); at += 1)
    rows.push(...lines.slice(at, at + 1));
  const names = cellsOf(head);
  const first = cellsOf(rows[0]);
  const at = (title: string) =>
    names.findIndex((name, column) => plural(name) === `${title}s` && !mark.test(first[column] ?? ""));
  const column = titles.map(at).find((found) => found >= 0);
  if (column === undefined) return;
  const counts = names.some((name, other) => other !== column && counting.test(name));
  head.heads = true;
  line.heads = true;
  for (const row of rows) {
    const cells = cellsOf(row);
    const below = names.flatMap((name, other) => {
      const cell = cells[other] ?? "";
      return other === column || mark.test(cell) ? [] : `${name}: ${cell}`;
    });
    if (cells[column]) row.row = { title: cells[column], below, counts };
  }
}

function plural(name: string): string {
  return `${name.toLowerCase().replace(/s$/, "")}s`;
}

/** Bars within code do not end a cell. */
function cellsOf(line: WrittenLine | undefined): string[] {
  const bare = (line?.text ?? "").replace(/^\||\|$/g, "");
  return (bare.match(/(?:`[^`]*`|\\.|[^|])+/g) ?? []).map((cell) => plainTitle(cell.replaceAll("\\|", "|")));
}
