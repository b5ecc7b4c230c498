// Stale edits by the million, judged by the definition of the rebase rule and by who the lines really are.
// Run: npx tsx test/bench/hashline-stale.ts [EDITS] [SEED]
import { pathToFileURL } from "node:url";
import { anchorOf } from "../../shared/hashline/anchor.ts";
import { applyEdits } from "../../shared/hashline/apply.ts";
import { makeOracle, type Verdict } from "./hashline-oracle.ts";
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

/** Counts over all edits. `misplaced`, `wrongText` and `needlessRefusals` have to be 0. */
export interface StaleReport {
  edits: number;
  accepted: number;
  /** Landed where some shortest difference does not put the lines. */
  misplaced: number;
  /** Landed at the right place with another text than plain splicing gives. */
  wrongText: number;
  /** Refused though our rule allows it. */
  needlessRefusals: number;
  /** Refused by our rule alone, where the words of PROTOCOL 5 would do (runs of twins). */
  stricterRefusals: number;
  /** Landed on lines that read the same and are others: those typed again for the lost ones, and all else. */
  recreated: number;
  wrongIdentity: number;
  /** The same workload with a plain check of line number and hash. */
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
    stricterRefusals: 0,
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
  verdict: Verdict,
  report: StaleReport,
): void {
  const result = applyEdits({ ...texts, edits: [planned.edit] });
  const bad = (what: "misplaced" | "wrongText" | "needlessRefusals"): void => {
    report[what] += 1;
    report.firstBad ??= JSON.stringify({ what, ...texts, edit: planned.edit, verdict, result }, null, 1);
  };
  if (!result.ok) {
    if (verdict.strict !== null) bad("needlessRefusals");
    else if (verdict.contract !== null) report.stricterRefusals += 1;
    return;
  }
  report.accepted += 1;
  const place = verdict.contract;
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

/** Whether the lines at `place` are the lines that were meant; for an insertion those on both sides of the gap. */
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

/** The line meant is gone, and a new one reads the same: typed again, on purpose or by chance. */
function isRecreated(scene: Scene, meant: Line | undefined, found: Line | undefined): boolean {
  const isGone = !scene.live.some((line) => line.id === meant?.id);
  return isGone && !scene.base.some((line) => line.id === found?.id);
}

/** What an editor without versions does: the line at that number has that hash, so it must be the one. */
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

export function describeStale(report: StaleReport): string {
  const share = (part: number, whole: number): string =>
    `${part} (1 in ${part === 0 ? "∞" : Math.round(whole / part)})`;
  return [
    `stale edits              ${report.edits}`,
    `accepted                 ${report.accepted}`,
    `misplaced                ${report.misplaced}`,
    `wrong text               ${report.wrongText}`,
    `needless refusals        ${report.needlessRefusals}`,
    `stricter than asked      ${report.stricterRefusals}`,
    `on a re-created line     ${share(report.recreated, report.edits)}`,
    `on another look-alike    ${share(report.wrongIdentity, report.edits)}`,
    `plain check: accepted    ${report.plainAccepted}`,
    `plain check: wrong line  ${share(report.plainWrong, report.edits)}`,
    ...(report.firstBad ? [`first bad one: ${report.firstBad}`] : []),
  ].join("\n");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const edits = Number(process.argv[2] ?? 1_000_000);
  const seed = Number(process.argv[3] ?? 1);
  const workloads: Workload[] = [{ kind: "look-alikes" }, { kind: "source", files: sourceFiles() }];
  for (const workload of workloads) {
    console.log(`\n${workload.kind}, seed ${seed}\n${describeStale(runStale(edits, seed, workload))}`);
  }
}
