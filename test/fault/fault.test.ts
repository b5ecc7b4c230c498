// Runs at least 6 deaths in `npm test`, 60 in `npm run test:all`, 300 in `npm run test:length` and 10,000 in
// `npm run test:fault`, besides cuts and stalls. HANDRAIL_FAULT_SEED=N runs one case. HANDRAIL_FAULT_FIRST=N
// starts there, so that a long run can be done in parts.
import { afterEach, expect, test } from "vitest";
import { runs } from "../harness/runs.ts";
import { judgeAll } from "./judge.ts";
import { SandboxHouse } from "./lanes.ts";
import { mutantServer } from "./mutant.ts";
import type { Rule } from "./problem.ts";
import {
  caseOf,
  type DraftedCase,
  repeatedCalls,
  repeatedPosts,
  restarts,
  seeded,
  tornStreams,
} from "./schedule.ts";

const kills = Number(process.env.HANDRAIL_FAULT_KILLS ?? runs(300, 6, 40));
const first = Number(process.env.HANDRAIL_FAULT_FIRST ?? 1);
const one = process.env.HANDRAIL_FAULT_SEED;
/** The number of cases in which the suite must detect a mutant. */
const mutantCases = 120;
/** A mutant may also be detected because its case hangs, so the patience is short. */
const mutantPatience = { stillMs: 5_000, points: 1_500 };

const houses: SandboxHouse[] = [];
async function open(server?: string): Promise<SandboxHouse> {
  const house = await SandboxHouse.open(server);
  houses.push(house);
  return house;
}
afterEach(async () => {
  for (const house of houses.splice(0)) await house.close();
});

test(`${kills} deaths: no effect twice, nothing lost, one model call paid again at most`, {
  tags: "seeds",
  timeout: 6 * 60 * 60_000,
}, async () => {
  const house = await open();
  const verdict = one
    ? await judgeAll(house, [caseOf(Number(one))].values(), () => false)
    : await judgeAll(house, seeded(first), (so) => so.kills >= kills || so.failures.length > 5);
  const { cases, kills: deaths, cuts, points } = verdict;
  console.info(`${cases} cases: ${deaths} deaths, ${cuts} cuts and silences, ${points} await points`);
  expect(verdict.failures.map(({ text }) => text).join("\n\n")).toBe("");
  if (!one) expect(verdict.kills).toBeGreaterThanOrEqual(kills);
});

test("repeated and late posts: one runs, and a repeated post pays no model twice", {
  tags: "long",
  timeout: 600_000,
}, async () => {
  const { failures, cases } = await judgeAll(await open(), repeatedPosts(), () => false);
  expect(failures.map(({ text }) => text).join("\n\n")).toBe("");
  expect(cases).toBe(36);
});

test("repeated requests for calls run each call once", {
  tags: "long",
  timeout: 600_000,
}, async () => {
  const { failures, cases } = await judgeAll(await open(), repeatedCalls(), () => false);
  expect(failures.map(({ text }) => text).join("\n\n")).toBe("");
  expect(cases).toBe(12);
});

test("streams that end in the middle of a line or an event: a partial event is not read as a whole one", {
  tags: "long",
  timeout: 600_000,
}, async () => {
  const { failures, cases, cuts } = await judgeAll(await open(), tornStreams(), () => false);
  expect(failures.map(({ text }) => text).join("\n\n")).toBe("");
  expect(cases).toBe(54);
  expect(cuts).toBeGreaterThan(45);
});

test("restarts of the sandbox server: nothing runs twice, and where that is not known the person is asked", {
  tags: "long",
  timeout: 600_000,
}, async () => {
  const { failures, kills: deaths } = await judgeAll(await open(), restarts(), () => false, { lanes: 1 });
  expect(failures.map(({ text }) => text).join("\n\n")).toBe("");
  expect(deaths).toBe(18);
});

/** `lacks`: the part that the server lacks. The other fields name the rule that detects it and the cases. */
interface Mutant {
  lacks: string;
  rule: Rule;
  /** The cases that show the mutant soonest. */
  cases(): Iterator<DraftedCase>;
  file: string;
  from: string;
  to: string;
}

const mutants: readonly Mutant[] = [
  {
    lacks: "the fence of a claim",
    rule: "the model was paid too often",
    cases: repeatedPosts,
    file: "sandbox/calls/claim-turn.ts",
    from: "if (request.epoch <= turn.epoch) {",
    to: "if (request.epoch < 0) {",
  },
  {
    lacks: "the write of what a round says",
    rule: "a user message was lost",
    cases: () => seeded(1),
    file: "sandbox/calls/accept-batch.ts",
    from: 'const record = fresh.length > 0 ? [{ type: "record", events: fresh }] : [];',
    to: "const record: { type: string; events: readonly JournalEvent[] }[] = [];",
  },
  {
    lacks: "the look for a key that is known",
    rule: "an effect happened twice",
    cases: repeatedCalls,
    file: "sandbox/calls/accept-batch.ts",
    from: "const known = journal.calls.get(call.key);",
    to: "const known: CallEntry | undefined = undefined as CallEntry | undefined;",
  },
];

for (const { lacks, rule, cases: drafts, file, from, to } of mutants)
  test(`a server without ${lacks} is caught: ${rule}`, { tags: "long", timeout: 600_000 }, async () => {
    const house = await open(await mutantServer(file, from, to));
    const { failures, cases } = await judgeAll(
      house,
      drafts(),
      (so) => so.failures.some(({ rules }) => rules.includes(rule)) || so.cases >= mutantCases,
      { patience: mutantPatience },
    );
    const found = failures.map(({ name, rules }) => `${name}: ${[...new Set(rules)].join(", ")}`);
    expect(
      failures.some(({ rules }) => rules.includes(rule)),
      `${cases} cases: ${found.join("; ")}`,
    ).toBe(true);
  });
