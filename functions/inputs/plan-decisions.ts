// What a person decides about a plan (PROTOCOL 3.1): approve, reject, plan again, take a text as the plan, rewind, close. Pure.
import { HandrailError, invalidField } from "../../shared/errors.ts";
import { isUnderWay } from "../../shared/plan/is-active-plan.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { reopenFrom, stepNumber } from "../../shared/plan/steps.ts";
import { approvalText } from "../../shared/session/approval-text.ts";
import type { PlanComment, TurnInput, TurnRequest } from "../../shared/turn.ts";
import { visibleText } from "../../shared/visible-text.ts";
import { checkApproved, checkSeen } from "../plan/check-plan.ts";
import { approvalNotice, planMessage } from "../plan/installing.ts";
import { rewindTo } from "../plan/restore.ts";
import { type InputEffect, userMessage } from "./messages.ts";

type Input<T extends TurnInput["type"]> = Extract<TurnInput, { type: T }>;
export type PlanDecision = Input<"approve" | "reject" | "replan" | "take_plan" | "rewind" | "close">;

/** `plan`: the plan file with a hand edit installed. Throws `invalid_request` or `stale_plan`. */
export function decidePlan(
  request: TurnRequest,
  input: PlanDecision,
  plan: Plan | null,
  now: number,
): InputEffect {
  switch (input.type) {
    case "approve":
      return approve(request, input, plan, now);
    case "reject":
      return reject(request, input, plan, now);
    case "replan":
      return replan(request, input, plan, now);
    case "take_plan":
      return proposeTaken(request, input, plan, now);
    case "rewind":
      return rewind(request, input, plan);
    case "close":
      return close(input, plan);
  }
}

/** `plan` may be one version newer than the proposal, with the person's own edit: that version is approved. */
function approve(request: TurnRequest, input: Input<"approve">, plan: Plan | null, now: number): InputEffect {
  const posted = request.plan;
  if (!plan || !posted || posted.version !== input.planVersion || posted.hash !== input.planHash)
    throw stale(posted);
  checkApproved(input.planText, posted.markdown);
  checkSeen(plan);
  const resolves = `proposal:${input.planVersion}:${input.planHash}`;
  const said = saidOf(plan, input);
  const words = (head: string) => [said.length === 0 ? head : `${head} But mind:`, ...said].join("\n");
  if (input.hold) {
    const later = "Approved, to be started later.";
    return {
      plan: { ...plan, status: "approved" },
      // The model reads it once the plan begins.
      messages: said.length === 0 ? [] : [userMessage(request.turnId, words(later), now, request.mode)],
      after: [
        approvalNotice(plan, { id: `${request.turnId}.approval`, now, mode: request.mode, hold: true }),
        { event: "turn.done", data: { reason: "stop", rounds: 0 } },
      ],
      resolves,
      prelude: { kind: "ends" },
    };
  }
  return {
    mode: input.mode,
    plan: { ...plan, status: "executing" },
    reason: "approved by the person",
    approved: true,
    messages: [userMessage(request.turnId, words(approvalText), now, input.mode)],
    resolves,
  };
}

interface PlanRemarks {
  feedback?: string | undefined;
  comments?: readonly PlanComment[] | undefined;
}

/** What the person says about the plan and its parts. With an approval, their own edit may have removed a step. */
function saidOf(plan: Plan, { feedback = "", comments = [] }: PlanRemarks): string[] {
  const lines = comments.map(({ stepId, quote, text }) => {
    const number = stepId === undefined ? 0 : stepNumber(plan, stepId);
    const step =
      number > 0 ? `step ${number} (${stepId})` : stepId && `step ${stepId}, which the plan no longer has`;
    const about = [step, quote && `“${quote.replace(/[“”]/g, '"')}”`].filter(Boolean).join(", ");
    return about === "" ? text : `On ${about}: ${text}`;
  });
  return [feedback.trim(), ...lines].filter((line) => line !== "");
}

function reject(request: TurnRequest, input: Input<"reject">, plan: Plan | null, now: number): InputEffect {
  const posted = request.plan;
  if (!plan || !posted || posted.version !== input.planVersion) throw stale(posted);
  const misplaced = input.comments?.find(({ stepId }) => stepId !== undefined && !stepNumber(plan, stepId));
  if (misplaced)
    throw invalidField(
      "input.comments",
      `the plan has no step ${JSON.stringify(misplaced.stepId)}; name one of its steps`,
    );
  const said = saidOf(plan, input);
  const text = said.length > 0 ? said.join("\n") : "Rejected. Plan it another way.";
  return {
    plan: { ...plan, status: "draft" },
    messages: [{ ...userMessage(request.turnId, text, now, request.mode), rejects: posted.hash }],
    resolves: `proposal:${posted.version}:${posted.hash}`,
  };
}

/** `plan`: as it was just installed. */
function proposeTaken(
  request: TurnRequest,
  { path }: Input<"take_plan">,
  plan: Plan | null,
  now: number,
): InputEffect {
  const waited = request.plan?.status === "proposed" ? request.plan : undefined;
  const { version = 1, hash = "" } = plan ?? {};
  const words =
    path === undefined ? "Take this as the plan." : `Take ${visibleText(path, "line")} as the plan.`;
  return {
    ...(plan ? { plan: { ...plan, status: "proposed" } } : {}),
    messages: [userMessage(request.turnId, words, now, request.mode)],
    after: [
      { event: "proposal", data: { planVersion: version, planHash: hash } },
      { event: "turn.done", data: { reason: "proposed", rounds: 0 } },
    ],
    ...(waited ? { resolves: `proposal:${waited.version}:${waited.hash}` } : {}),
    prelude: { kind: "ends" },
  };
}

function replan(request: TurnRequest, input: Input<"replan">, plan: Plan | null, now: number): InputEffect {
  const text = input.text?.trim() || "Plan again from the current state. Keep what is done.";
  const messages = [userMessage(request.turnId, text, now, request.mode)];
  if (!plan) return { messages };
  if (!input.reset)
    return {
      messages,
      plan: {
        ...plan,
        status: plan.status === "proposed" || plan.status === "approved" ? "draft" : plan.status,
      },
    };
  const first = plan.steps[0];
  const fresh = first ? reopenFrom(plan, first.id) : plan;
  const reset: Plan = {
    ...fresh,
    version: 1,
    supersedes: null,
    status: "draft",
    round: 0,
    decisions: [],
    deltas: [],
  };
  const kept = planMessage(reset, `${request.turnId}.reset`, { at: now, mode: request.mode });
  return { messages: [kept, ...messages], plan: reset };
}

function rewind(request: TurnRequest, input: Input<"rewind">, plan: Plan | null): InputEffect {
  const step = plan?.steps.find((other) => other.id === input.stepId);
  if (!plan || !step)
    throw invalidField(
      "input.stepId",
      `the plan has no step ${JSON.stringify(input.stepId)}; name one of its steps`,
    );
  if (step.snapshot === undefined) {
    throw invalidField(
      "input.stepId",
      `step ${JSON.stringify(input.stepId)} was never started, so there is nothing to go back to`,
    );
  }
  return {
    messages: [],
    prelude: { kind: "rewind", snapshot: step.snapshot, rewind: rewindTo(plan, step.id, request) },
  };
}

/** Ends the plan under way; the model is not asked. */
function close({ as }: Input<"close">, plan: Plan | null): InputEffect {
  if (!isUnderWay(plan?.status))
    throw invalidField(
      "input.type",
      "no plan is under way, so there is none to close; a proposal is approved or rejected",
    );
  return { messages: [], prelude: { kind: "close", as } };
}

function stale(current: Plan | null): HandrailError {
  return new HandrailError(
    "stale_plan",
    "This is not the plan that is open now. Look at the newest version and decide again.",
    {
      details: current ? { planVersion: current.version, planHash: current.hash } : {},
    },
  );
}
