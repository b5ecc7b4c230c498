// Cases by their seed: which conversation, on which host, with which faults. The same seed is the same case.
import type { Host } from "../../functions/deps.ts";
import { random } from "../fakes/model-stream.ts";
import { nodeHost, workerHost } from "./edge-life.ts";
import type { Fault, FaultKind, Who } from "./faults.ts";
import { type Scenario, scenarios, stopped } from "./scenarios.ts";

export interface DraftedCase {
  /** What HANDRAIL_FAULT_SEED names it by. */
  seed: number;
  scenario: Scenario;
  host: Host;
  stopsElsewhere: boolean;
}

export interface PlannedCase extends DraftedCase {
  faults: Fault[];
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
  return { seed, scenario, host, stopsElsewhere: next() < 0.5 };
}

/**
 * `points`: await points of the undisturbed case. Even seeds go through them one by one, with a kill in each and two
 * more while that is being recovered from; odd ones throw up to twelve faults of all kinds anywhere.
 */
export function faultsOf(seed: number, points: number): Fault[] {
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
    faults.push({ at, kind, ...(who ? { who } : {}) });
  }
  return faults;
}
