// Benchmarks of the edit engine and of simpler ways, in one run: `npm run bench -- hashline`.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { anchorOf } from "../../shared/hashline/anchor.ts";
import { type ApplyInput, applyEdits } from "../../shared/hashline/apply.ts";
import { unifiedDiff } from "../../shared/hashline/diff.ts";
import type { Edit } from "../../shared/hashline/edit.ts";
import { renderRows, rowOf } from "../../shared/hashline/rows.ts";
import { type Random, seededRandom } from "./hashline-random.ts";
import { sourceFiles } from "./hashline-source.ts";
import { reportStale } from "./hashline-stale.ts";

interface Times {
  bestMs: number;
  medianMs: number;
}

/** JavaScript flattens a concatenated string only when it is read, so it is read here to count that cost. */
function written(text: string): number {
  return Buffer.byteLength(text);
}

/** The warm-up is long, because on a busy machine JIT compilation lags far behind the first runs. */
const warmUpMs = 500;

/**
 * Times of several runs. The best one shows the cost of the code, the median also that of other load on the
 * machine.
 */
function timesOf(work: () => unknown, runs = 15): Times {
  const times: number[] = [];
  const began = performance.now();
  do work();
  while (performance.now() - began < warmUpMs);
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    work();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { bestMs: times[0] ?? 0, medianMs: times[times.length >> 1] ?? 0 };
}

interface Measured {
  what: string;
  ours: Times;
  budgetMs?: number;
  /** The simplest way to do something similar, measured in the same run. */
  plain: string;
  plainTimes: Times;
}

function apply(input: ApplyInput): number {
  const result = applyEdits(input);
  if (!result.ok) throw new Error(result.message);
  return written(result.text);
}

function fileOf(count: number, pool: readonly string[]): string[] {
  return Array.from({ length: count }, (_, index) => pool[(index * 7 + (index >> 8)) % pool.length] ?? "");
}

function catN(lines: readonly string[]): string {
  return lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join("\n");
}

function replacements(lines: readonly string[], count: number): Edit[] {
  const step = Math.floor(lines.length / count);
  return Array.from({ length: count }, (_, index) => {
    const at = index * step;
    return { op: "replace", at: `${at + 1}${anchorOf(lines[at] ?? "")}`, lines: [`replaced ${index}`] };
  });
}

function changed(lines: readonly string[], count: number, random: Random): string[] {
  const result = [...lines];
  for (let index = 0; index < count; index += 1) {
    const at = random.below(result.length);
    const kind = random.below(3);
    if (kind === 0) result[at] = `changed ${index}`;
    else if (kind === 1) result.splice(at, 0, `inserted ${index}`);
    else result.splice(at, 1);
  }
  return result;
}

function speeds(pool: readonly string[]): Measured[] {
  const small = fileOf(10_000, pool);
  const large = fileOf(200_000, pool);
  const [smallText, largeText] = [`${small.join("\n")}\n`, `${large.join("\n")}\n`];
  const edits = replacements(small, 100);
  const plainApply = (): number => {
    const lines = smallText.split("\n");
    for (const [index] of edits.entries()) lines[index * 100] = `replaced ${index}`;
    return written(lines.join("\n"));
  };
  const live = changed(small, 1_000, seededRandom(1));
  const liveText = `${live.join("\n")}\n`;
  const stable = small.findIndex((line, index) => index > 5_000 && line.length > 30);
  const stale: Edit[] = [
    { op: "insert_after", at: `${stable + 1}${anchorOf(small[stable] ?? "")}`, lines: ["new"] },
  ];
  const largeLive = `${changed(large, 1_000, seededRandom(2)).join("\n")}\n`;
  const splitBoth = (): number => smallText.split("\n").length + liveText.split("\n").length;
  const rows: Measured[] = [
    {
      what: "render 10,000 lines",
      budgetMs: 5,
      ours: timesOf(() => written(renderRows(smallText).rows)),
      plain: "cat -n",
      plainTimes: timesOf(() => written(catN(smallText.split("\n")))),
    },
    {
      what: "render 200,000 lines",
      ours: timesOf(() => written(renderRows(largeText).rows), 7),
      plain: "cat -n",
      plainTimes: timesOf(() => written(catN(largeText.split("\n"))), 7),
    },
    {
      what: "100 edits in 10,000 lines",
      budgetMs: 5,
      ours: timesOf(() => apply({ live: smallText, edits })),
      plain: "split, assign, join",
      plainTimes: timesOf(plainApply),
    },
    {
      what: "rebase over 1,000 changes in 10,000 lines",
      ours: timesOf(() => apply({ live: liveText, base: smallText, edits: stale })),
      plain: "split both texts",
      plainTimes: timesOf(splitBoth),
    },
    {
      what: "rebase over 1,000 changes in 200,000 lines",
      ours: timesOf(() => apply({ live: largeLive, base: largeText, edits: stale }), 5),
      plain: "split both texts",
      plainTimes: timesOf(() => largeText.split("\n").length + largeLive.split("\n").length, 5),
    },
    {
      what: "unified diff, 1,000 changes in 10,000 lines",
      ours: timesOf(() => unifiedDiff(smallText, liveText, "a", "a")),
      plain: "split both texts",
      plainTimes: timesOf(splitBoth),
    },
  ];
  return rows;
}

/**
 * Average tokens that each row format adds to a line of real source, in ranges of 200 lines, as a model reads
 * them.
 */
function tokensPerLine(files: readonly (readonly string[])[]): { form: string; tokens: number }[] {
  const hex = (line: string): string => {
    let hash = 5_381;
    for (const char of line) hash = (Math.imul(hash, 33) ^ (char.codePointAt(0) ?? 0)) >>> 0;
    return hash.toString(16).padStart(8, "0").slice(0, 7);
  };
  const letters = "ZPMQVRWSNKTXJBYH";
  const pair = (line: string): string => {
    const value = Number.parseInt(hex(line).slice(0, 2), 16);
    return `${letters[value >> 4] ?? ""}${letters[value & 15] ?? ""}`;
  };
  const forms: { form: string; row: (number: number, line: string) => string }[] = [
    { form: "Handrail      42foo|text", row: (number, line) => rowOf(number, line) },
    { form: "cat -n           42⇥text", row: (number, line) => `${String(number).padStart(6)}\t${line}` },
    { form: "7-hex  42:1a2b3c4|text", row: (number, line) => `${number}:${hex(line)}|${line}` },
    { form: "2-letter    42#VK:text", row: (number, line) => `${number}#${pair(line)}:${line}` },
  ];
  return forms.map(({ form, row }) => {
    let [added, lines] = [0, 0];
    for (const file of files) {
      const part = file.slice(0, 200);
      added +=
        countTokens(part.map((line, index) => row(index + 1, line)).join("\n")) -
        countTokens(part.join("\n"));
      lines += part.length;
    }
    return { form, tokens: added / lines };
  });
}

export function run(): void {
  const files = sourceFiles();
  console.log("what                                        best ms  median  budget   best × plain way");
  for (const { what, ours, budgetMs, plain, plainTimes } of speeds(files.flat())) {
    const budget = (budgetMs === undefined ? "–" : String(budgetMs)).padStart(8);
    const ratio = (ours.bestMs / plainTimes.bestMs).toFixed(1);
    const times = ours.bestMs.toFixed(2).padStart(7) + ours.medianMs.toFixed(2).padStart(8);
    console.log(`${what.padEnd(44)}${times}${budget}   ${ratio} × ${plain}`);
  }
  console.log("\ntokens that a row adds to a line (o200k, our own source), budget 3.0");
  for (const { form, tokens } of tokensPerLine(files)) console.log(`${form.padEnd(30)}${tokens.toFixed(2)}`);
  console.log("\n1,000,000 stale edits of source, and a trial on files of almost nothing but twins");
  reportStale(500_000, 1);
}
