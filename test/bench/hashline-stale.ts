// Millions of stale edits, judged by the definition of the rebase rule and by the identity of the lines. Run: npx tsx
// test/bench/hashline-stale.ts [EDITS OF A KIND] [SEED]
import { pathToFileURL } from "node:url";
import { anchorOf } from "../../shared/hashline/anchor.ts";
import { applyEdits } from "../../shared/hashline/apply.ts";
import { makeOracle } from "./hashline-oracle.ts";
import { seededRandom } from "./hashline-random.ts";
import { sourceFiles } from "./hashline-source.ts";
import {
  type Line,
  makeEdit,
  makeScene,
  type PlannedEdit,
  type Scene,
  textOf,
  type Workload,
} from "./hashline-workload.ts";

/** Counts over all edits. `misplaced`, `wrongText` and `needlessRefusals` must be 0. */
export interface StaleReport {
  edits: number;
  accepted: number;
  /** Edits that were applied at a place that no shortest difference allows. */
  misplaced: number;
  /** Edits at the right place whose text differs from plain splicing. */
  wrongText: number;
  /** Edits that were refused although the rule allows them. */
  needlessRefusals: number;
  /**
   * Edits that were applied to other lines with the same text, which the content cannot tell apart.
   * `recreated`: the lines had been deleted and typed again. `wrongIdentity`: all other cases.
   */
  recreated: number;
  wrongIdentity: number;
  /** Counts for the same workload if the editor checks only line number and hash. */
  plainAccepted: number;
  plainWrong: number;
  firstBad: string | null;
}

const editsPerScene = 12;

export function runStale(edits: number, seed: number, workload: Workload): StaleReport {
  const random = seededRandom(seed);
  const report: StaleReport = {
    edits: 0,
    accepted: 0,
    misplaced: 0,
    wrongText: 0,
    needlessRefusals: 0,
    recreated: 0,
    wrongIdentity: 0,
    plainAccepted: 0,
    plainWrong: 0,
    firstBad: null,
  };
  while (report.edits < edits) {
    const scene = makeScene(workload, random);
    const texts = { base: textOf(scene.base), live: textOf(scene.live) };
    if (texts.base === texts.live) continue;
    const oracle = makeOracle(
      scene.base.map((line) => line.text),
      scene.live.map((line) => line.text),
    );
    for (let count = 0; count < editsPerScene && report.edits < edits; count += 1) {
      const planned = makeEdit(scene.base, random);
      report.edits += 1;
      judge(scene, texts, planned, oracle(planned.from, planned.to), report);
      judgePlain(scene, planned, report);
    }
  }
  return report;
}

function judge(
  scene: Scene,
  texts: { base: string; live: string },
  planned: PlannedEdit,
  place: number | null,
  report: StaleReport,
): void {
  const result = applyEdits({ ...texts, edits: [planned.edit] });
  const bad = (what: "misplaced" | "wrongText" | "needlessRefusals"): void => {
    report[what] += 1;
    report.firstBad ??= JSON.stringify({ what, ...texts, edit: planned.edit, place, result }, null, 1);
  };
  if (!result.ok) {
    if (place !== null) bad("needlessRefusals");
    return;
  }
  report.accepted += 1;
  if (place === null) {
    bad("misplaced");
    return;
  }
  const expected = scene.live.map((line) => line.text);
  expected.splice(place, planned.to - planned.from, ...planned.lines);
  if (result.text !== expected.map((line) => `${line}\n`).join("")) bad("wrongText");
  const found = identity(scene, planned, place);
  if (found === "other") report.wrongIdentity += 1;
  if (found === "recreated") report.recreated += 1;
}

/**
 * Whether the lines at `place` are the ones that the edit meant; for an insertion, the lines on both sides of
 * the gap.
 */
function identity(scene: Scene, planned: PlannedEdit, place: number): "same" | "recreated" | "other" {
  const insertion = planned.from === planned.to;
  const pairs: [Line | undefined, Line | undefined][] = [];
  for (let index = insertion ? -1 : 0; index < (insertion ? 1 : planned.to - planned.from); index += 1) {
    const meant = scene.base[planned.from + index];
    if (meant) pairs.push([meant, scene.live[place + index]]);
  }
  if (pairs.every(([meant, found]) => meant?.id === found?.id)) return "same";
  const recreated = pairs.every(
    ([meant, found]) => meant?.id === found?.id || isRecreated(scene, meant, found),
  );
  return recreated ? "recreated" : "other";
}

/**
 * Whether the meant line is gone and a new one has the same text, because it was typed again or by chance.
 */
function isRecreated(scene: Scene, meant: Line | undefined, found: Line | undefined): boolean {
  const isGone = !scene.live.some((line) => line.id === meant?.id);
  return isGone && !scene.base.some((line) => line.id === found?.id);
}

/**
 * Judges an editor without versions: if the line with that number has that hash, the editor accepts it as the
 * right one.
 */
function judgePlain(scene: Scene, planned: PlannedEdit, report: StaleReport): void {
  const insertion = planned.from === planned.to;
  const named = !insertion
    ? [planned.from, planned.to - 1]
    : [planned.edit.op === "insert_before" ? planned.from : planned.from - 1];
  const matches = named.every((index) => {
    const found = scene.live[index];
    return found !== undefined && anchorOf(found.text) === anchorOf(scene.base[index]?.text ?? "");
  });
  if (!matches) return;
  report.plainAccepted += 1;
  if (identity(scene, planned, planned.from) === "other") report.plainWrong += 1;
}

/** The reports next to each other, one column each. */
export function describeStale(columns: readonly { name: string; report: StaleReport }[]): string {
  const rows: [string, (report: StaleReport) => string][] = [
    ["stale edits", ({ edits }) => String(edits)],
    ["accepted", ({ accepted }) => String(accepted)],
    ["landed where not all shortest differences agree", ({ misplaced }) => String(misplaced)],
    ["landed with another text than plain splicing", ({ wrongText }) => String(wrongText)],
    ["refused though the rule allows it", ({ needlessRefusals }) => String(needlessRefusals)],
    ["landed on a line typed again for a lost one", ({ edits, recreated }) => share(recreated, edits)],
    ["landed on another line that reads the same", ({ edits, wrongIdentity }) => share(wrongIdentity, edits)],
    ["line number and hash alone: accepted", ({ plainAccepted }) => String(plainAccepted)],
    ["line number and hash alone: on another line", ({ edits, plainWrong }) => share(plainWrong, edits)],
  ];
  const head = "".padEnd(48) + columns.map(({ name }) => name.padStart(20)).join("");
  const body = rows.map(
    ([what, cell]) => what.padEnd(48) + columns.map(({ report }) => cell(report).padStart(20)).join(""),
  );
  const bad = columns.flatMap(({ report }) => (report.firstBad ? [`first bad one: ${report.firstBad}`] : []));
  return [head, ...body, ...bad].join("\n");
}

function share(part: number, whole: number): string {
  return part === 0 ? "0" : `${part} (1 in ${Math.round(whole / part)})`;
}

/**
 * Prints the results of `edits` stale edits for each kind of file. The third kind is a stress test and gets a
 * fifth of them.
 */
export function reportStale(edits: number, seed: number): void {
  const workloads: [Workload, number][] = [
    [{ kind: "real source", files: sourceFiles() }, edits],
    [{ kind: "generated source" }, edits],
    [{ kind: "look-alikes" }, edits / 5],
  ];
  const columns = workloads.map(([workload, count]) => ({
    name: workload.kind,
    report: runStale(count, seed, workload),
  }));
  console.log(describeStale(columns));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  reportStale(Number(process.argv[2] ?? 500_000), Number(process.argv[3] ?? 1));
}
