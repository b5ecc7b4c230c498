// Runs 4 turns in `npm test`, 50 in `npm run test:all`, 500 in `npm run test:length`, or HANDRAIL_LEFT_TURNS.
import { afterEach, expect, test } from "vitest";
import { random } from "../fakes/model-stream.ts";
import { runs } from "../harness/runs.ts";
import { removeFolders, until } from "../sandbox/running-server.ts";
import { kindOf, LeftStage, longTurn, rounds } from "./left-stage.ts";

const turns = Number(process.env.HANDRAIL_LEFT_TURNS ?? runs(500, 4, 50));
const atOnce = 50;
const ending = { done: "stop", asks: "questions", permits: "permission" } as const;

let stage: LeftStage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
  await removeFolders();
});

const comesBack = (turn: number) => turn % 5 === 1;
const isStopped = (turn: number) => turn % 7 === 3;

/**
 * Kills the runtime and the sandbox server in the middle of a batch, at given samplings. Some phones come
 * back in the second round, and some people press stop in the third.
 */
function disturb(
  on: LeftStage,
  sandboxId: string,
  size: number,
  next: () => number,
): { kills(): number; over(): Promise<void> } {
  const acts = [() => on.killRuntime(), () => on.killSandbox()];
  const due = acts.map((act) => ({ act, at: 1 + Math.floor(next() * size * rounds) }));
  let samplings = 0;
  let kills = 0;
  let work = Promise.resolve();
  const persons: Promise<void>[] = [];
  on.onSampling = (turn) => {
    samplings += 1;
    const nth = on.samplings.get(turn);
    if (comesBack(turn) && nth === 2) persons.push(on.comeBack(sandboxId, turn));
    if (isStopped(turn) && nth === 3) persons.push(on.stop(sandboxId, turn));
    for (const { act } of due.filter(({ at }) => at === samplings)) {
      kills += 1;
      work = work.then(act);
    }
  };
  return {
    kills: () => kills,
    over: async () => {
      await work;
      await Promise.all(persons);
    },
  };
}

test(`${turns} turns whose client leaves after its first event end by themselves, whatever dies meanwhile; nothing runs twice, and a waiting turn costs nothing`, {
  tags: "seeds",
  timeout: 3_600_000,
}, async () => {
  stage = await LeftStage.open();
  const on = stage;
  const next = random(4711);
  for (let first = 0; first < turns; first += atOnce) {
    const batch = Array.from({ length: Math.min(atOnce, turns - first) }, (_, index) => first + index);
    const sandboxId = await on.sandbox();
    const fates = new Map(batch.map((turn) => [turn, [next(), next()]]));
    on.fate = (turn) => {
      const dice = fates.get(turn)?.pop() ?? 1;
      return dice < 0.1 ? "throw" : dice < 0.35 ? String(Math.floor(dice * 2_000)) : "";
    };
    const disturbance = disturb(on, sandboxId, batch.length, next);
    await Promise.all(batch.map((turn) => on.postAndLeave(sandboxId, turn)));
    for (const turn of batch) await on.ended(sandboxId, turn);
    await disturbance.over();
    for (const turn of batch) {
      const events = await on.events(sandboxId, turn);
      const text = JSON.stringify(events);
      const effects = await on.effects(sandboxId, turn);
      // The outcome of a command is unknown if the sandbox server died while it ran. The person is then
      // asked, and the command does not run again.
      if (text.includes("outcome_unknown") || isStopped(turn))
        expect(effects).toMatch(/^(0\n)?(1\n)?(2\n)?$/);
      else {
        expect(effects, `turn ${turn}`).toBe("0\n1\n2\n");
        expect(events.at(-1), `turn ${turn}`).toMatchObject({ data: { reason: ending[kindOf(turn)] } });
      }
      const answers = text.split('"role":"assistant"').length - 1;
      const again = (on.samplings.get(turn) ?? 0) - answers;
      expect(again, `turn ${turn}: paid again`).toBeLessThanOrEqual(
        disturbance.kills() + (on.deaths.get(turn) ?? 0) + (comesBack(turn) ? 1 : 0),
      );
    }
    // An object whose request could not report the end may still make one last check.
    for (const turn of batch)
      await until(async () => {
        const { alarm } = (await on.kept(sandboxId, turn)) as { alarm: number | null };
        if (alarm !== null) await new Promise((resolve) => setTimeout(resolve, 250));
        return alarm === null;
      });
    const [requests, alarms] = [on.wire.requests.length, on.alarms];
    for (const turn of batch) expect(await on.kept(sandboxId, turn)).toEqual({ alarm: null, keys: 0 });
    expect([on.wire.requests.length, on.alarms]).toEqual([requests, alarms]);
  }
});

test("a turn longer than what one alarm may use continues in the next ones, to its end", {
  tags: "long",
}, async () => {
  stage = await LeftStage.open();
  const sandboxId = await stage.sandbox();
  await stage.postAndLeave(sandboxId, longTurn.turn);
  const events = await stage.ended(sandboxId, longTurn.turn);
  expect(events.at(-1)).toMatchObject({ data: { reason: "stop", rounds: longTurn.rounds + 1 } });
  // A round takes two of the 50 requests that the free plan allows, so the turn needs several alarms.
  expect(stage.alarms).toBeGreaterThanOrEqual(2);
  expect(stage.samplings.get(longTurn.turn)).toBe(longTurn.rounds + 1);
});

test("a turn that nobody watches stops with a message at its budget", { tags: "long" }, async () => {
  stage = await LeftStage.open();
  const sandboxId = await stage.sandbox();
  const on = stage;
  let killed: Promise<void> | undefined;
  stage.onSampling = () => {
    if (on.samplings.get(longTurn.turn) === 2) killed = on.killRuntime();
  };
  await stage.postAndLeave(sandboxId, longTurn.turn, { unattended: { rounds: 5 } });
  const events = await stage.ended(sandboxId, longTurn.turn);
  expect(events.at(-1)).toMatchObject({
    event: "turn.failed",
    data: { error: { code: "rate_limited", details: { reason: "unattended_limit", rounds: 5 } } },
  });
  await killed;
  expect(stage.samplings.get(longTurn.turn)).toBe(5 + 1);
});

test("a turn that is claimed after the first look is continued all the same", {
  tags: "long",
}, async () => {
  stage = await LeftStage.open();
  const sandboxId = await stage.sandbox();
  // The request that the worker sends before it claims.
  const release = stage.wire.keepBack("/calls");
  const left = stage.postAndLeave(sandboxId, 0);
  const on = stage;
  await until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 250));
    return on.alarms > 0;
  });
  release();
  await left;
  await stage.killRuntime();
  expect((await stage.ended(sandboxId, 0)).at(-1)).toMatchObject({ data: { reason: ending[kindOf(0)] } });
  expect(await stage.effects(sandboxId, 0)).toBe("0\n1\n2\n");
});

test("without the binding the configuration says that a turn waits for its client, which resumes it by its id", async () => {
  stage = await LeftStage.open({ bound: false });
  const config = await (await stage.ask("/api/config")).json();
  expect(config).toMatchObject({ unattended: false, continuesUnattended: false });
  const sandboxId = await stage.sandbox();
  await stage.postAndLeave(sandboxId, longTurn.turn);
  await stage.comeBack(sandboxId, longTurn.turn);
  expect((await stage.ended(sandboxId, longTurn.turn)).at(-1)?.event).toBe("turn.done");
  expect(stage.alarms).toBe(0);
});
