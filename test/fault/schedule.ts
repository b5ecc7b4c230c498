// Cases by their seed: which conversation, on which host, with which faults. The same seed is the same case.
import type { Host } from "../../functions/deps.ts";
import { random } from "../fakes/model-stream.ts";
import { nodeHost, workerHost } from "./edge-life.ts";
import type { Fault, FaultKind, Who } from "./faults.ts";
import { type Scenario, scenarios, stopped } from "./scenarios.ts";

export interface PlannedCase {
  /** What HANDRAIL_FAULT_SEED names it by. */
  seed: number;
  scenario: Scenario;
  host: Host;
  faults: Fault[];
  stopsElsewhere: boolean;
}

/** Await points of an undisturbed case, about; those beyond belong to what follows a fault. */
const span = 300;
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

/**
 * Even seeds go through the await points one by one, a single kill in each; odd ones throw up to eight faults
 * of all kinds anywhere.
 */
export function caseOf(seed: number): PlannedCase {
  const next = random(seed * 7919 + 1);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const host = pick([nodeHost, workerHost]);
  const scenario = seed % 7 === 3 ? stopped(1 + Math.floor(next() * 12)) : pick(scenarios);
  const stopsElsewhere = next() < 0.5;
  const faults = seed % 2 === 0 ? [sweep(seed)] : storm(next, pick);
  return { seed, scenario, host, faults, stopsElsewhere };
}

function sweep(seed: number): Fault {
  return { at: 1 + ((seed / 2) % span), kind: "kill" };
}

function storm(next: () => number, pick: <T>(list: readonly T[]) => T): Fault[] {
  const faults: Fault[] = [];
  const many = 3 + Math.floor(next() * 6);
  for (let at = Math.ceil(next() * 40), n = 0; n < many; n += 1, at += 1 + Math.floor(next() ** 2 * 70)) {
    const [kind, who] = pick(kinds);
    faults.push({ at, kind, ...(who ? { who } : {}) });
  }
  return faults;
}
