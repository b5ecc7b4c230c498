// At least 300 deaths in `npm test`, 10,000 in `npm run test:fault`, with cuts and stalls beside them. HANDRAIL_FAULT_SEED=N runs one case,
// HANDRAIL_FAULT_FIRST=N begins there, so that a long run can be gone through in parts.
import { afterEach, expect, test } from "vitest";
import { judgeAll, type Verdict } from "./judge.ts";
import { SandboxHouse } from "./lanes.ts";
import { mutantServer } from "./mutant.ts";

const kills = Number(process.env.HANDRAIL_FAULT_KILLS ?? 300);
const first = Number(process.env.HANDRAIL_FAULT_FIRST ?? 1);
const one = process.env.HANDRAIL_FAULT_SEED;
/** Cases that a mutant may need to show itself in. */
const mutantCases = 120;
/** Hanging is one way in which it shows. */
const mutantPatienceMs = 5_000;

const houses: SandboxHouse[] = [];
async function open(server?: string): Promise<SandboxHouse> {
  const house = await SandboxHouse.open(server);
  houses.push(house);
  return house;
}
afterEach(async () => {
  for (const house of houses.splice(0)) await house.close();
});

function* counting(from = 1): Generator<number, undefined> {
  for (let seed = from; ; seed += 1) yield seed;
}

test(`${kills} times something dies: no effect twice, nothing lost, one model call paid again at most`, {
  timeout: 6 * 60 * 60_000,
}, async () => {
  const house = await open();
  const verdict = one
    ? await judgeAll(house, [Number(one)].values(), () => false)
    : await judgeAll(house, counting(first), (so) => so.kills >= kills || so.failures.length > 5);
  const { cases, kills: deaths, cuts, points } = verdict;
  console.info(`${cases} cases: ${deaths} deaths, ${cuts} cuts and silences, ${points} await points`);
  expect(verdict.failures.map(({ text }) => text).join("\n\n")).toBe("");
  if (!one) expect(verdict.kills).toBeGreaterThanOrEqual(kills);
});

/** Cases of the suite against a server that lacks something, until it shows. */
async function missed(file: string, from: string, to: string): Promise<Verdict> {
  const house = await open(await mutantServer(file, from, to));
  return judgeAll(
    house,
    counting(),
    ({ failures, cases }) => failures.length > 0 || cases >= mutantCases,
    mutantPatienceMs,
  );
}

test("a fence taken out is missed: two attempts run side by side", { timeout: 600_000 }, async () => {
  const verdict = await missed(
    "sandbox/calls/claim-turn.ts",
    "if (request.epoch <= turn.epoch) {",
    "if (request.epoch < 0) {",
  );
  expect(verdict.failures.length).toBeGreaterThan(0);
});

test("a journal write taken out is missed: what was seen comes out otherwise", {
  timeout: 600_000,
}, async () => {
  const verdict = await missed(
    "sandbox/calls/accept-batch.ts",
    'const record = fresh.length > 0 ? [{ type: "record", events: fresh }] : [];',
    "const record: { type: string; events: readonly JournalEvent[] }[] = [];",
  );
  expect(verdict.failures.length).toBeGreaterThan(0);
});

test("a key that is not looked up is missed: effects happen twice", { timeout: 600_000 }, async () => {
  const verdict = await missed(
    "sandbox/calls/accept-batch.ts",
    "const known = journal.calls.get(call.key);",
    "const known: CallEntry | undefined = undefined as CallEntry | undefined;",
  );
  expect(verdict.failures.length).toBeGreaterThan(0);
});
