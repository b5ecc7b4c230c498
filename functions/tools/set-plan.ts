// `set_plan`: installs a plan, as version 1 or as the next version.

import * as z from "zod/mini";
import { isUnderWay } from "../../shared/plan/is-active-plan.ts";
import { oneLine } from "../../shared/plan/plan-lines.ts";
import { truncationMarker } from "../../shared/plan/scalars.ts";
import { currentStep } from "../../shared/plan/steps.ts";
import { planText } from "../../shared/plan/written-plan.ts";
import { wasApproved } from "../calls/permission.ts";
import { failed, type PendingCall, type PreparedCall, settled, type Waits } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { askAboutChange, awaitsApproval } from "../plan/approval.ts";
import { approvalNotice } from "../plan/installing.ts";
import { comparedPlan, noStepsText, openQuestions, propose, submit } from "../plan/proposal.ts";
import { ShownCheck } from "./shown-check.ts";
import { engineTool } from "./tool.ts";

/**
 * Only shown, and shorter than what is accepted: steps also have conditions, points also have ids, and all of it may be
 * text.
 */
const ShownPlan = z.object({
  goal: z.string(),
  steps: z.array(
    z.object({
      description: z.string(),
      actions: z.optional(z.array(z.string())),
      checkpoint: z.optional(ShownCheck),
      onFail: z.optional(z.enum(["ask", "retry", "rollback", "skip", "stop"])),
    }),
  ),
  decisionPoints: z.optional(
    z.array(z.object({ label: z.string(), prompt: z.string(), options: z.optional(z.array(z.string())) })),
  ),
  checkpoints: z.optional(z.array(z.string()).check(z.describe("commands, run once at the end"))),
  rollback: z.optional(z.array(z.string())),
});

export const setPlan = engineTool({
  name: "set_plan",
  description:
    "Install the plan or its next version. A checkpoint is a command that exits 0 once its step is done, within timeoutMs (default 300000). Do not pipe it: only the last command's exit code counts. onFail: default ask; retry: 3 times.",
  schema: ShownPlan,
  modes: ["normal", "plan", "auto"],
  waits: true,
  asks: (turn, pending, args) => {
    const text = planText(args, comparedPlan(turn));
    return text.ok ? asksAbout(turn, pending, text) : undefined;
  },
  prepare,
  trimming: { kept: true },
});

function asksAbout(
  turn: ToolTurn,
  pending: PendingCall,
  { body, markdown }: Extract<ReturnType<typeof planText>, { ok: true }>,
): Waits | undefined {
  return askAboutChange(turn, pending, { after: { ...body, markdown }, commands: [] });
}

/** The result names version and steps, never the plan's text. */
async function prepare(turn: ToolTurn, pending: PendingCall, args: unknown): Promise<PreparedCall> {
  const text = planText(args, comparedPlan(turn));
  if (!text.ok) return failed(`error: set_plan: ${text.problem}`, true);
  const waits = asksAbout(turn, pending, text);
  if (waits) return waits;
  const before = turn.state.plan;
  const running =
    before !== null && isUnderWay(before.status) && turn.state.mode !== "plan" && !turn.env.isOlder;
  const approved = wasApproved(before, turn.state.history);
  const installed = await submit(turn, text, {
    origin: pending.call.id,
    at: pending.at,
    continuesAs: running ? (approved ? "approved" : "unapproved") : undefined,
  });
  const { plan } = turn.state;
  if (!plan) return failed("error: set_plan: the plan could not be installed");
  if (!installed)
    return settled(`Plan version ${plan.version} says exactly this already.`, {
      facts: { version: plan.version, unchanged: true },
    });
  const awaits = turn.state.mode !== "plan" && awaitsApproval(plan, turn.state.history);
  if (awaits) propose(turn);
  // In auto mode a plan needs no approval: it begins at once.
  const begins = !awaits && turn.state.mode === "auto" && !turn.env.isOlder && plan.steps.length > 0;
  if (running || begins) beginOrContinue(turn, pending, approved && running && pending.permitted);
  const cut = text.truncated
    ? ` It was too long: ${truncationMarker(text.truncated.kept, text.truncated.of)}`
    : "";
  const ids = plan.steps.map((step) => step.id).join(", ");
  const steps = plan.steps.length > 0 ? ` Steps: ${ids}.` : ` ${noStepsText}`;
  const open = openQuestions(plan, turn.state.history).map(({ id, label }) => `${id} (${label})`);
  const asked =
    turn.state.mode === "plan" && open.length > 0
      ? ` Open points: ${open.join(", ")}. They are asked when you submit the plan, unless you ask the person before, with the same labels.`
      : "";
  const words = plan.checkpoints.filter((entry) => typeof entry === "string");
  const unrun =
    words.length > 0
      ? ` Of the checkpoints these read as words and are not run: ${words.map((entry) => JSON.stringify(oneLine(entry))).join(", ")}. A command goes in backticks.`
      : "";
  const current = running || begins ? currentStep(plan) : undefined;
  const state = current
    ? `is under way: step ${current.id} is active`
    : awaits
      ? "is proposed: it continues a plan that the person has not approved, and begins when they approve it"
      : "installed";
  return settled(`Plan version ${plan.version} ${state}.${steps}${unrun}${asked}${cut}`, {
    facts: { version: plan.version },
  });
}

/** Approved by the person, or in auto mode shown to them: the plan continues in its new version, or begins. */
function beginOrContinue(turn: ToolTurn, pending: PendingCall, permitted: boolean): void {
  const { plan, mode } = turn.state;
  if (!plan) return;
  if (plan.status !== "executing")
    turn.emit({ event: "plan", data: { plan: { ...plan, status: "executing" } } });
  if (permitted)
    turn.emit(approvalNotice(plan, { id: `${pending.call.id}.approval`, now: pending.at, mode }));
}
