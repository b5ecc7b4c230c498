// `update_plan`: changes of the plan, and progress. A step that gets active is snapshot first; one that is done is checked.
import * as z from "zod/mini";
import { deltaText } from "../../shared/plan/blocks.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { truncationMarker } from "../../shared/plan/scalars.ts";
import { findStep, isOver } from "../../shared/plan/steps.ts";
import {
  applyUpdate,
  foldPlan,
  needsFold,
  type StatusChange,
  UpdatePlanArgs,
} from "../../shared/plan/update-plan.ts";
import { planMessageId } from "../context/plan-view.ts";
import { failed, type KeyedCall, type PendingCall, type Prepared, settled } from "../tools/prepared.ts";
import { gate } from "../turn/gate.ts";
import { emit, emitEvent, type TurnState } from "../turn/state.ts";
import { finishUpdate } from "./checkpoints.ts";
import { planCommands } from "./finish-plan.ts";
import { sha256Hex } from "./hash.ts";
import { planMessage } from "./installing.ts";

/** The steps that this update starts and ends. */
export interface Progress {
  /** Becomes active: a snapshot is taken now. */
  starts: StatusChange | undefined;
  /** Reported done, in order, each with its checkpoint if it has one. */
  ends: StatusChange[];
  /** pending, failed, skipped: only written down. */
  others: StatusChange[];
}

export async function prepareUpdatePlan(
  state: TurnState,
  pending: PendingCall,
  args: unknown,
): Promise<Prepared> {
  if (!state.plan) return failed("error: no plan to update; call set_plan first");
  const id = deltaId(pending);
  // Taken up again after a checkpoint whose outcome nobody knew: the content is in the plan already.
  const changed = state.history.some((message) => message.id === id);
  const applied = applyUpdate(state.plan, changed ? statusesOf(args) : args);
  if (!applied.ok) return failed(`error: update_plan: ${applied.problem}`);
  const changes = state.mode === "plan" ? [] : applied.statusChanges;
  const progress = sortChanges(changes);
  const { checks, commands } = commandsOf(applied.plan, progress);
  const problem = progressProblem(applied.plan, progress, changes);
  if (problem !== undefined) return failed(`error: update_plan: ${problem}`);
  const waits = gate(state, pending, commands, "checkpoints");
  if (waits) return waits;

  const { contentChanged, appended, delta, truncated } = applied;
  if (contentChanged || appended) {
    await changeContent(state, pending, applied.plan, {
      contentChanged,
      seq: delta.seq,
      text: deltaText(delta),
    });
  }
  const said = [
    contentChanged ? `Plan updated (version ${state.plan?.version}).` : appended ? "Noted." : "",
    truncated ? `The update was too long: ${truncationMarker(truncated.kept, truncated.of)}` : "",
    state.mode === "plan" && applied.statusChanges.length > 0
      ? "Step statuses are ignored while planning."
      : "",
  ].filter((part) => part !== "");

  const calls: KeyedCall[] = checks.map(({ command }, index) => ({
    key: `${pending.key}/cp${index === 0 ? "" : index + 1}`,
    op: "exec",
    args: { command },
  }));
  // A step that is taken up again keeps its first snapshot: undo goes back to before any work on it.
  if (progress.starts && findStep(applied.plan, progress.starts.stepId)?.snapshot === undefined)
    calls.push({ key: `${pending.key}/snap`, op: "snapshot", args: {} });
  if (changes.length === 0) return settled(said.join(" ") || "Nothing changed.");
  return {
    kind: "runs",
    calls,
    // What stands behind a checkpoint or a start must know how it went.
    alone: true,
    finish: {
      kind: "later",
      outcome: (results) => finishUpdate(state, pending, { progress, checks, said, results }),
    },
  };
}

/** The checkpoints of the steps that end; and all commands that run then, those of the whole plan behind its last step among them. */
function commandsOf(plan: Plan, progress: Progress) {
  const checks = progress.ends.flatMap((change) => {
    const command = findStep(plan, change.stepId)?.checkpoint?.command;
    return command === undefined ? [] : [{ stepId: change.stepId, command }];
  });
  const finishing = finishes(plan, progress) ? planCommands(plan) : [];
  return { checks, commands: [...checks.map(({ command }) => command), ...finishing] };
}

/** The commands that the engine would run for a call of `update_plan`. */
export function checkpointCommands(plan: Plan | null, args: unknown): string[] {
  const applied = plan && applyUpdate(plan, args);
  return applied?.ok ? commandsOf(applied.plan, sortChanges(applied.statusChanges)).commands : [];
}

/** Whether no step is left once the steps that end are over. */
function finishes(plan: Plan, { starts, ends, others }: Progress): boolean {
  const ended = [...ends, ...others.filter(({ status }) => status === "skipped")];
  const over = new Set(ended.map(({ stepId }) => stepId));
  return !starts && over.size > 0 && plan.steps.every((step) => over.has(step.id) || isOver(step));
}

function sortChanges(changes: readonly StatusChange[]): Progress {
  return {
    starts: changes.find((change) => change.status === "active"),
    ends: changes.filter((change) => change.status === "done"),
    others: changes.filter((change) => change.status !== "active" && change.status !== "done"),
  };
}

function progressProblem(
  plan: Plan,
  { starts, ends, others }: Progress,
  changes: readonly StatusChange[],
): string | undefined {
  const bare = ends.find((change) => !change.note?.trim());
  if (bare) return `step ${bare.stepId} needs a one-line note that says what was done`;
  if (changes.filter((change) => change.status === "active").length > 1)
    return "only one step can be active at a time";
  const active = plan.steps.find((step) => step.status === "active");
  const leaves = [...ends, ...others].some((change) => change.stepId === active?.id);
  if (starts && active && active.id !== starts.stepId && !leaves) {
    return `step ${active.id} is still active; mark it done, failed or skipped before starting ${starts.stepId}`;
  }
  return undefined;
}

function deltaId({ call }: PendingCall): string {
  return `${call.id}.delta`.slice(0, 300);
}

/** The arguments without what changes the plan's content. */
function statusesOf(args: unknown): unknown {
  const { steps = [] } = z.parse(UpdatePlanArgs, args);
  return { steps: steps.flatMap(({ id, status, note }) => (status ? [{ id, status, note }] : [])) };
}

/** Puts the changed plan in force, with its hash and the hidden delta; folds deltas that have grown too long. */
async function changeContent(
  state: TurnState,
  pending: PendingCall,
  changed: Plan,
  delta: { contentChanged: boolean; seq: number; text: string },
): Promise<void> {
  const hash = delta.contentChanged ? await sha256Hex(changed.markdown) : changed.hash;
  // While planning, a plan that was under way is a draft again: it has to be proposed anew.
  const status = delta.contentChanged && state.mode === "plan" ? "draft" : changed.status;
  emit(state, { event: "plan", data: { plan: { ...changed, hash, status } } });
  emitEvent(state, {
    id: deltaId(pending),
    at: pending.at,
    subkind: "plan_delta",
    source: "update_plan",
    content: delta.text,
    data: { seq: delta.seq, version: changed.version, toolCallId: pending.call.id },
  });
  if (state.plan && needsFold(state.plan)) fold(state, pending, state.plan);
}

function fold(state: TurnState, pending: PendingCall, long: Plan): void {
  const plan = foldPlan(long);
  emit(state, { event: "plan", data: { plan } });
  const kept = planMessage(plan, `${planMessageId(pending.call.id)}.fold`.slice(0, 300), {
    at: pending.at,
    mode: state.mode,
  });
  emit(state, { event: "message", data: { message: kept } });
  const text = `The updates of version ${long.version} had grown long and were folded into version ${plan.version}.`;
  emitEvent(state, {
    id: `${pending.call.id}.fold`.slice(0, 300),
    at: pending.at,
    subkind: "system_notice",
    source: "plan_fold",
    content: text,
  });
}
