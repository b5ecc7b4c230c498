// Runs planned cases and compares them with the undisturbed run of the same conversation.
import { type CaseResult, type Patience, runCase } from "./case.ts";
import type { Fault } from "./faults.ts";
import type { SandboxHouse } from "./lanes.ts";
import type { Problem, Rule } from "./problem.ts";
import type { Scenario } from "./scenarios.ts";
import type { DraftedCase } from "./schedule.ts";

/** The problems of a case, for the person who must fix them. */
export interface Failure {
  name: string;
  rules: Rule[];
  text: string;
}

export interface Verdict {
  cases: number;
  /** The number of deaths; `cuts`: connections that were cut or went silent. */
  kills: number;
  cuts: number;
  points: number;
  failures: Failure[];
}

const defaultLanes = 4;

/**
 * Runs several of `drafts` at the same time until `enough` returns true. Every case has the sandbox of its
 * lane to itself.
 */
export async function judgeAll(
  house: SandboxHouse,
  drafts: Iterator<DraftedCase>,
  enough: (verdict: Verdict) => boolean,
  { patience, lanes = defaultLanes }: { patience?: Patience; lanes?: number } = {},
): Promise<Verdict> {
  const verdict: Verdict = { cases: 0, kills: 0, cuts: 0, points: 0, failures: [] };
  const baselines = new Map<string, Promise<CaseResult>>();
  const work = async () => {
    let lane = await house.lane();
    for (let draft = drafts.next(); !draft.done && !enough(verdict); draft = drafts.next()) {
      const drafted = draft.value;
      const key = `${drafted.scenario.name} ${drafted.host.runtime}`;
      let baseline = baselines.get(key);
      if (!baseline) {
        baseline = undisturbed(house, drafted);
        baselines.set(key, baseline);
      }
      const faults = drafted.faults((await baseline).points);
      const result = await runCase(lane, { ...drafted, faults }, patience);
      verdict.cases += 1;
      verdict.kills += result.kills;
      verdict.cuts += result.cuts;
      verdict.points += result.points;
      const problems = judge(drafted.scenario, result, await baseline);
      // Requests of a case that was given up may still arrive, and must not reach the next case.
      if (problems.some(({ rule }) => rule === "it hangs")) lane = await house.lane();
      if (problems.length > 0)
        verdict.failures.push({
          name: drafted.name,
          rules: problems.map(({ rule }) => rule),
          text: report(drafted, faults, result, problems),
        });
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return verdict;
}

/** The same conversation without faults and without a stop. */
export async function undisturbed(
  house: SandboxHouse,
  { scenario, host }: Pick<DraftedCase, "scenario" | "host">,
): Promise<CaseResult> {
  const { stopsAfter: _, ...habits } = scenario.habits;
  const planned = { seed: 0, scenario: { ...scenario, habits }, host, faults: [], stopsElsewhere: false };
  return runCase(await house.lane(), planned);
}

/** The forbidden differences in `result`; `baseline`: the undisturbed case. */
export function judge(scenario: Scenario, result: CaseResult, baseline: CaseResult): Problem[] {
  const problems = [...result.problems];
  const disturbed = result.kills + result.cuts;
  const allowed = baseline.asked + disturbed + (scenario.habits.stopsAfter === undefined ? 0 : 1);
  if (result.asked > allowed)
    problems.push({
      rule: "the model was paid too often",
      text: `${result.asked} times; ${baseline.asked} and ${disturbed} faults allow ${allowed}`,
    });
  for (const [name, text] of Object.entries(result.files)) {
    const lines = text.split("\n").filter((line) => line !== "");
    if (new Set(lines).size < lines.length)
      problems.push({ rule: "an effect happened twice", text: `${name} reads ${JSON.stringify(text)}` });
  }
  // If the person was asked whether a command ran, the transcript contains that, so only files are compared.
  const [told, wanted] =
    result.doubts > 0
      ? [JSON.stringify(result.files), JSON.stringify(baseline.files)]
      : [result.story, baseline.story];
  if (scenario.habits.stopsAfter === undefined && told !== wanted)
    problems.push({ rule: "the transcript differs", text: firstDifference(told, wanted) });
  return problems;
}

function firstDifference(story: string, undisturbed: string): string {
  const lines = story.split("\n");
  const wanted = undisturbed.split("\n");
  const at = wanted.findIndex((line, index) => line !== lines[index]);
  return `from line ${at + 1} on:\n  ${lines[at]}\nwhere it should be\n  ${wanted[at]}`;
}

function report(
  { name, scenario, host }: DraftedCase,
  faults: readonly Fault[],
  result: CaseResult,
  problems: readonly Problem[],
): string {
  const first = Math.max(0, (faults[0]?.at ?? 1) - 8);
  return [
    `${name} (${scenario.name} on ${host.runtime})`,
    ...problems.map(({ rule, text }) => `${rule}: ${text.slice(0, 1_500)}`),
    ...result.trace.slice(first, first + 40),
    "…",
    ...result.trace.filter((line) => !line.endsWith(" line")).slice(-15),
    "…",
    ...result.trace.slice(-15),
  ].join("\n");
}
