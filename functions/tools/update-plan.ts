// `update_plan`: changes of the plan, and progress. A step that becomes active gets a snapshot first; one that is done is
// checked.
import * as z from "zod/mini";
import { deltaText } from "../../shared/plan/blocks.ts";
import { truncationMarker } from "../../shared/plan/scalars.ts";
import { findStep } from "../../shared/plan/steps.ts";
import { applyUpdate, UpdatePlanArgs } from "../../shared/plan/update-plan.ts";
import { finishUpdate } from "../plan/checkpoints.ts";
import { checkpointCommands, checksOf, progressProblem, sortChanges } from "../plan/progress.ts";
import { changeContent, deltaId } from "../plan/update-content.ts";
import { gate } from "./permission.ts";
import { failed, type KeyedCall, type PendingCall, type Prepared, settled } from "./prepared.ts";
import { engineTool } from "./tool.ts";
import type { ToolTurn } from "./tool-turn.ts";

export const updatePlan = engineTool({
  name: "update_plan",
  description:
    "Change the plan or report progress: a step becomes active when work on it starts, done with a one-line note when it is finished.",
  schema: UpdatePlanArgs,
  modes: ["normal", "plan", "auto"],
  waits: true,
  commands: (args, plan) => checkpointCommands(plan, args),
  prepare,
  trimming: { kept: true },
});

async function prepare(turn: ToolTurn, pending: PendingCall, args: unknown): Promise<Prepared> {
  if (!turn.state.plan) return failed("error: no plan to update; call set_plan first");
  const id = deltaId(pending);
  // The call is taken up again after a checkpoint with an unknown outcome: its content is in the plan already.
  const changed = turn.state.history.some((message) => message.id === id);
  const applied = applyUpdate(turn.state.plan, changed ? statusesOf(args) : args);
  if (!applied.ok) return failed(`error: update_plan: ${applied.problem}`);
  const changes = turn.state.mode === "plan" ? [] : applied.statusChanges;
  const progress = sortChanges(changes);
  const { checks, commands } = checksOf(applied.plan, progress);
  const problem = progressProblem(applied.plan, progress, changes);
  if (problem !== undefined) return failed(`error: update_plan: ${problem}`);
  const waits = gate(turn, pending, commands, "checkpoints");
  if (waits) return waits;

  const { contentChanged, appended, delta, truncated } = applied;
  if (contentChanged || appended) {
    await changeContent(turn, pending, applied.plan, {
      contentChanged,
      seq: delta.seq,
      text: deltaText(delta),
    });
  }
  const said = [
    contentChanged ? `Plan updated (version ${turn.state.plan?.version}).` : appended ? "Noted." : "",
    truncated ? `The update was too long: ${truncationMarker(truncated.kept, truncated.of)}` : "",
    turn.state.mode === "plan" && applied.statusChanges.length > 0
      ? "Step statuses are ignored while planning."
      : "",
  ].filter((part) => part !== "");

  const calls: KeyedCall[] = checks.map(({ command }, index) => ({
    key: `${pending.key}/cp${index === 0 ? "" : index + 1}`,
    op: "exec",
    args: { command },
  }));
  // A step that is started again keeps its first snapshot: undo goes back to before any work on it.
  if (progress.starts && findStep(applied.plan, progress.starts.stepId)?.snapshot === undefined)
    calls.push({ key: `${pending.key}/snap`, op: "snapshot", args: {} });
  if (changes.length === 0) return settled(said.join(" ") || "Nothing changed.");
  return {
    kind: "runs",
    calls,
    // Calls after a checkpoint or a start must know how it went.
    alone: true,
    finish: {
      kind: "later",
      outcome: (results) => finishUpdate(turn, pending, { progress, checks, said, results }),
    },
  };
}

/** Only the statuses of the arguments, without changes of content. */
function statusesOf(args: unknown): unknown {
  const { steps = [] } = z.parse(UpdatePlanArgs, args);
  return { steps: steps.flatMap(({ id, status, note }) => (status ? [{ id, status, note }] : [])) };
}
