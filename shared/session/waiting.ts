// What the person is asked to decide now: one union, computed from the stored state.
import type * as z from "zod/mini";
import type { ErrorInfo } from "../errors.ts";
import type { durableData } from "../event.ts";
import type { Plan } from "../plan/plan-file.ts";
import type { SessionHead, SessionState } from "./session-state.ts";

export type Permission = z.infer<typeof durableData.permission>;

export type Waiting =
  | { kind: "nothing" }
  | { kind: "questions"; asked: z.infer<typeof durableData.questions> }
  /** `asked`: all waiting calls, beginning with `permission`. */
  | { kind: "permission"; permission: Permission; asked: readonly Permission[] }
  | { kind: "proposal"; plan: Plan; planVersion: number; planHash: string }
  /** An approved plan that has not started; it starts when the person says so. */
  | { kind: "approved"; plan: Plan }
  | { kind: "failure"; error: ErrorInfo }
  | { kind: "continue" }
  /**
   * Nothing is running, and the active plan has open steps or undecided checks: the person can continue it or close it.
   */
  | { kind: "open"; plan: Plan };

/**
 * Nothing while a turn runs. A failure comes first, then a permission, questions, and a plan. A proposed or approved
 * plan is asked about only in plan mode, because switching away from that mode was an answer.
 */
export function waitingFor(state: SessionState): Waiting {
  const { turn, mode, asked, permission, proposal, plan } = state.head;
  if (turn === null || turn.status === "running") return { kind: "nothing" };
  if (turn.status === "failed" && turn.error !== undefined) return { kind: "failure", error: turn.error };
  if (permission !== null) return { kind: "permission", permission, asked: permissionsOf(state.head) };
  if (asked !== null) return { kind: "questions", asked };
  if (turn.reason === "continue") return { kind: "continue" };
  if (plan !== null && mode !== "plan" && isLeftOpen(plan)) return { kind: "open", plan };
  if (plan === null || mode !== "plan") return { kind: "nothing" };
  if (plan.status === "approved") return { kind: "approved", plan };
  if (proposal !== null && plan.version === proposal.planVersion)
    return { kind: "proposal", plan, ...proposal };
  return { kind: "nothing" };
}

/**
 * The questions about calls of the newest answer, in call order. Present even while a turn runs, before it reaches
 * those calls.
 */
export function permissionsOf({ permission, alsoAsked }: SessionHead): Permission[] {
  return permission === null ? [] : [permission, ...alsoAsked];
}

function isLeftOpen(plan: Plan): boolean {
  return plan.status === "executing";
}

/** True while the engine is working or is expected to work. */
export function isRunning(state: SessionState): boolean {
  return state.head.turn?.status === "running";
}
