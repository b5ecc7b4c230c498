// Chooses conversation, host and faults of a case: by a seed (the same seed is the same case), or from a
// list.
import type { EdgeHost } from "../../functions/host.ts";
import { random } from "../fakes/model-stream.ts";
import { nodeHost, workerHost } from "./edge-life.ts";
import type { Fault, FaultKind, Who } from "./faults.ts";
import { commands, type Scenario, scenarios, stopped } from "./scenarios.ts";

export interface DraftedCase {
  /** The words with which a person can run the case again. */
  name: string;
  /** The seed of its ids and of the name of its folder. */
  seed: number;
  scenario: Scenario;
  host: EdgeHost;
  stopsElsewhere: boolean;
  /** `points`: the number of await points of the undisturbed case. */
  faults(points: number): readonly Fault[];
}

const kinds: readonly (readonly [FaultKind, Who | undefined])[] = [
  ["kill", undefined],
  ["kill", undefined],
  ["kill", undefined],
  ["kill", "edge"],
  ["kill", "phone"],
  ["cut", undefined],
  ["stall", undefined],
  ["twice", undefined],
  ["late", undefined],
];

export function caseOf(seed: number): DraftedCase {
  const { next, pick } = dice(seed);
  const host = pick([nodeHost, workerHost]);
  const scenario = seed % 7 === 3 ? stopped(1 + Math.floor(next() * 12)) : pick(scenarios);
  const stopsElsewhere = next() < 0.5;
  const faults = (points: number) => faultsOf(seed, points);
  return { name: `HANDRAIL_FAULT_SEED=${seed}`, seed, scenario, host, stopsElsewhere, faults };
}

export function* seeded(from = 1): Generator<DraftedCase, undefined> {
  for (let seed = from; ; seed += 1) yield caseOf(seed);
}

/** Each of the first posts of a conversation arrives twice, or arrives again after its sender gave it up. */
export function* repeatedPosts(): Generator<DraftedCase, undefined> {
  let seed = 0;
  for (const at of [1, 2, 3])
    for (const scenario of scenarios)
      for (const host of [workerHost, nodeHost])
        for (const kind of ["twice", "late"] as const) {
          const fault: Fault = { at, of: "phone>edge turn send", kind };
          seed += 1;
          yield {
            name: `post ${at} ${kind}`,
            seed,
            scenario,
            host,
            stopsElsewhere: false,
            faults: () => [fault],
          };
        }
}

/** Each of the first requests for calls reaches the sandbox twice. */
export function* repeatedCalls(): Generator<DraftedCase, undefined> {
  let seed = 0;
  for (const at of [2, 3, 4, 5])
    for (const scenario of scenarios) {
      const fault: Fault = { at, of: "edge>sandbox POST calls send", kind: "twice" };
      const host = at % 2 === 0 ? nodeHost : workerHost;
      seed += 1;
      yield { name: `calls ${at} twice`, seed, scenario, host, stopsElsewhere: false, faults: () => [fault] };
    }
}

/**
 * The sandbox server dies while a request for calls is sent, is answered, or streams its lines. It comes back
 * with its journal.
 */
export function* restarts(): Generator<DraftedCase, undefined> {
  let seed = 0;
  for (let at = 1; at <= 6; at += 1)
    for (const moment of ["send", "answered", "line"]) {
      const fault: Fault = { at, of: `edge>sandbox POST calls ${moment}`, kind: "restart" };
      const scenario = scenarios[(at + seed) % scenarios.length] ?? commands;
      const host = at % 2 === 0 ? nodeHost : workerHost;
      seed += 1;
      const name = `sandbox server restarted at ${at}th ${moment}`;
      yield { name, seed, scenario, host, stopsElsewhere: false, faults: () => [fault] };
    }
}

/**
 * Streams end at a part's beginning, within it or shortly before its end. They break off, or end as if
 * complete.
 */
export function* tornStreams(): Generator<DraftedCase, undefined> {
  let seed = 0;
  for (let nth = 1; nth <= 9; nth += 1)
    for (const label of ["edge>model part", "edge>sandbox POST calls line", `phone>edge turn event ${nth}`])
      for (const cleanly of [false, true]) {
        const at = label.endsWith(` ${nth}`) ? 1 : nth;
        const share = [0.02, 0.5, 0.98][(seed + nth) % 3] ?? 0;
        const fault: Fault = { at, of: label, kind: "cut", share, cleanly };
        const scenario = scenarios[nth % scenarios.length] ?? commands;
        const host = nth % 2 === 0 ? nodeHost : workerHost;
        seed += 1;
        const name = `${label}, ${at}th, torn at ${share}${cleanly ? " cleanly" : ""}`;
        yield { name, seed, scenario, host, stopsElsewhere: false, faults: () => [fault] };
      }
}

/**
 * Even seeds go through the points one by one, with a kill at each and two more during the recovery. Odd
 * seeds put up to twelve faults of all kinds anywhere.
 */
function faultsOf(seed: number, points: number): Fault[] {
  const { next, pick } = dice(-seed);
  return seed % 2 === 0 ? sweep(1 + ((seed / 2) % points), next) : storm(next, pick);
}

function dice(seed: number): { next: () => number; pick: <T>(list: readonly T[]) => T } {
  const next = random(seed * 7919 + 1);
  return { next, pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number] };
}

function sweep(first: number, next: () => number): Fault[] {
  const second = first + 1 + Math.floor(next() * 30);
  const third = second + 1 + Math.floor(next() * 60);
  return [first, second, third].map((at) => ({ at, kind: "kill" }));
}

function storm(next: () => number, pick: <T>(list: readonly T[]) => T): Fault[] {
  const faults: Fault[] = [];
  const many = 6 + Math.floor(next() * 7);
  for (let at = Math.ceil(next() * 40), n = 0; n < many; n += 1, at += 1 + Math.floor(next() ** 2 * 70)) {
    const [kind, who] = pick(kinds);
    // The place decides this, so that the faults of other cases stay the same.
    const torn = kind === "cut" && at % 4 !== 0 ? { share: (at % 13) / 13, cleanly: at % 4 === 1 } : {};
    faults.push({ at, kind, ...(who ? { who } : {}), ...torn });
  }
  return faults;
}
