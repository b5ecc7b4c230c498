// Makes the events of a plan version, whether it was submitted, edited by the person or changed by `update_plan`. Each
// version leaves one hidden plan message, each update a hidden delta; deltas that have grown too long become a
// version.
import { HandrailError } from "../../shared/errors.ts";
import type { DurableDraft } from "../../shared/event.ts";
import { unifiedDiff } from "../../shared/hashline/diff.ts";
import type { Message, PlanMessage } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import { editedPlan } from "../../shared/plan/edited-plan.ts";
import { isUnderWay } from "../../shared/plan/is-active-plan.ts";
import { renderPlan } from "../../shared/plan/markdown.ts";
import { bodyOf } from "../../shared/plan/plan-body.ts";
import type { Plan, PlanBody } from "../../shared/plan/plan-file.ts";
import { cutToCap, maxDeltaScalars } from "../../shared/plan/scalars.ts";
import { installPlan } from "../../shared/plan/set-plan.ts";
import { findStep } from "../../shared/plan/steps.ts";
import { foldPlan, needsFold } from "../../shared/plan/update-plan.ts";
import type { PendingCall } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { planMessageId } from "../context/plan-view.ts";
import { sha256Hex } from "../sha256.ts";
import { planFold } from "./history-facts.ts";

export interface Installation {
  plan: Plan;
  /** `plan`, then the hidden message that keeps the version as it was installed. */
  drafts: DurableDraft[];
}

interface InstallOrigin {
  source: Plan["source"];
  /** Id of the call or message that contains this body. */
  origin: string;
  /** Milliseconds. */
  at: number;
  mode: Mode;
  /** Set if the plan is under way and stays so: whether its new text counts as approved. */
  continuesAs?: "approved" | "unapproved" | undefined;
}

export async function install(
  previous: Plan | null,
  made: { body: PlanBody; markdown: string },
  from: InstallOrigin,
): Promise<Installation> {
  const draft = installPlan(previous, { ...made, hash: await sha256Hex(made.markdown), source: from.source });
  const plan = from.continuesAs && previous ? continued(previous, draft) : draft;
  const id = from.source === "person" ? from.origin : planMessageId(from.origin);
  // `wasApproved` reads from this message whether an approval of the previous version covers this one.
  const kept = from.continuesAs === "unapproved" ? { ...plan, status: draft.status } : plan;
  return {
    plan,
    drafts: [
      { event: "plan", data: { plan } },
      { event: "message", data: { message: planMessage(kept, id, from) } },
    ],
  };
}

/** The hidden message that keeps a plan version as it was installed. */
export function planMessage(plan: Plan, id: string, from: { at: number; mode: Mode }): PlanMessage {
  return { id, role: "plan", content: "", createdAt: from.at, mode: from.mode, extra: { plan } };
}

/** Tells the model that the plan was approved, if no change of mode does. */
export function approvalNotice(
  { version }: Plan,
  at: { id: string; now: number; mode: Mode; hold?: boolean },
): DurableDraft {
  const content = at.hold
    ? `The person approved version ${version} for later: it is not started yet.`
    : `The person approved version ${version}. Judge whether it is relevant to their message, and if so follow it step by step, from the one that is active.`;
  const data = { version, ...(at.hold ? { hold: true } : {}) };
  return notice(at.id.slice(0, 300), { source: "approval", content, data }, at);
}

/** A hidden message of the opening. */
function notice(
  id: string,
  { source, content, data }: { source: string; content: string; data: Record<string, unknown> },
  { now, mode }: { now: number; mode: Mode },
): DurableDraft {
  const extra = { event: { subkind: "system_notice", source, data } };
  return { event: "message", data: { message: { id, role: "event", content, createdAt: now, mode, extra } } };
}

/**
 * Installs a plan that the person edited as the next version, with a notice of the difference. A plan in progress
 * continues with the edited text and stays approved. Undefined if the text is unchanged. Throws `invalid_request` naming
 * the line.
 */
export async function handEdit(
  plan: Plan,
  at: { turnId: string; now: number; mode: Mode },
  history: readonly Message[],
): Promise<Installation | undefined> {
  if ((await sha256Hex(plan.markdown)) === plan.hash) return undefined;
  const made = editedPlan(plan.markdown, plan);
  if (!made.ok) {
    throw new HandrailError(
      "invalid_request",
      `plan.markdown, ${made.problem}. Mend that line and send it again.`,
      {
        details: { field: "plan.markdown" },
      },
    );
  }
  const installed = await install(plan, made, {
    source: "person",
    origin: `${at.turnId}.edit`,
    at: at.now,
    mode: at.mode,
    continuesAs: isUnderWay(plan.status) ? "approved" : undefined,
  });
  const { version, markdown } = installed.plan;
  // Capped like an update of the plan: the whole new text is in the plan's block.
  const diff = cutToCap(
    unifiedDiff(textBefore(plan, history), markdown, "plan", "plan"),
    maxDeltaScalars,
  ).text;
  const content = `The person edited the plan: version ${plan.version} became version ${version}.${diff === "" ? "" : `\n${diff}`}`;
  return {
    plan: installed.plan,
    drafts: [
      ...installed.drafts,
      notice(`${at.turnId}.edit.notice`, { source: "plan_edit", content, data: { version } }, at),
    ],
  };
}

/** The text before the edit: as it was installed, or rendered from the structure. */
function textBefore(edited: Plan, history: readonly Message[]): string {
  const installed = history.findLast(
    (message): message is PlanMessage => message.role === "plan" && message.extra.plan.hash === edited.hash,
  );
  return installed?.extra.plan.markdown ?? renderPlan(bodyOf(edited));
}

/**
 * `next` with the status of `before`. A step that had begun keeps the snapshot of its start and is open, so that a step
 * put before it comes first; a skipped one stays skipped.
 */
function continued(before: Plan, next: Plan): Plan {
  const steps = next.steps.map((step) => {
    const was = findStep(before, step.id);
    if (was?.description !== step.description || step.status === "done") return step;
    const { snapshot, status, note, noteBy } = was;
    return {
      ...step,
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(status === "skipped" ? { status } : {}),
      ...(status === "skipped" && note !== undefined ? { note } : {}),
      ...(status === "skipped" && noteBy !== undefined ? { noteBy } : {}),
    };
  });
  return { ...next, steps, status: before.status };
}

/** Id of the hidden delta that a call leaves. */
export function deltaId({ call }: PendingCall): string {
  return `${call.id}.delta`.slice(0, 300);
}

/** Installs the changed plan with its hash and a hidden delta message; folds deltas that have grown too long. */
export async function changeContent(
  turn: ToolTurn,
  pending: PendingCall,
  changed: Plan,
  delta: { contentChanged: boolean; seq: number; text: string },
): Promise<void> {
  const hash = delta.contentChanged ? await sha256Hex(changed.markdown) : changed.hash;
  // Changed in plan mode, a plan under way becomes a draft again and has to be proposed again.
  const status = delta.contentChanged && turn.state.mode === "plan" ? "draft" : changed.status;
  turn.emit({ event: "plan", data: { plan: { ...changed, hash, status } } });
  turn.note({
    id: deltaId(pending),
    at: pending.at,
    subkind: "plan_delta",
    source: "update_plan",
    content: delta.text,
    data: { seq: delta.seq, version: changed.version, toolCallId: pending.call.id },
  });
  if (turn.state.plan && needsFold(turn.state.plan)) fold(turn, pending, turn.state.plan);
}

function fold(turn: ToolTurn, pending: PendingCall, long: Plan): void {
  const plan = foldPlan(long);
  turn.emit({ event: "plan", data: { plan } });
  const kept = planMessage(plan, `${planMessageId(pending.call.id)}.fold`.slice(0, 300), {
    at: pending.at,
    mode: turn.state.mode,
  });
  turn.emit({ event: "message", data: { message: kept } });
  const text = `The updates of version ${long.version} had grown long and were folded into version ${plan.version}.`;
  turn.note({
    id: `${pending.call.id}.fold`.slice(0, 300),
    at: pending.at,
    subkind: "system_notice",
    source: planFold,
    content: text,
  });
}
