// `update_plan`: changes of the plan, and progress. A step that is reported done is checked, and the next one begins.
import * as z from "zod/mini";
import type { Mode } from "../../shared/mode.ts";
import { deltaText } from "../../shared/plan/blocks.ts";
import { bodyOf } from "../../shared/plan/plan-body.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { versionWords } from "../../shared/plan/plan-now.ts";
import { truncationMarker } from "../../shared/plan/scalars.ts";
import { activeStep, currentStep, earliestFirst, findStep } from "../../shared/plan/steps.ts";
import { tidyUpdatePlan } from "../../shared/plan/tidy-plan-args.ts";
import { type AppliedUpdate, applyUpdate, UpdatePlanArgs } from "../../shared/plan/update-plan.ts";
import {
  failed,
  type PendingCall,
  type PreparedCall,
  runsLater,
  settled,
  type Waits,
} from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { askAboutChange, awaitsApproval, awaitsText } from "../plan/approval.ts";
import { takeReports } from "../plan/checkpoints.ts";
import { gateChecks } from "../plan/checks.ts";
import { changeContent, deltaId } from "../plan/installing.ts";
import { checkpointCommands, commandsOfReports, type Progress, readProgress } from "../plan/progress.ts";
import { propose } from "../plan/proposal.ts";
import { isHeldBack } from "../plan/rail.ts";
import { ShownCheck } from "./shown-check.ts";
import { engineTool } from "./tool.ts";

type AcceptedUpdate = Extract<AppliedUpdate, { ok: true }>;

/** Statuses that the model may report: `pending` and `active` are accepted, but belong to the engine. */
const ShownStatus = z.enum(["done", "skipped", "failed"]);

/** Only shown, and shorter than what is accepted: every step takes all fields of a `set_plan` step. */
const ShownUpdate = z.object({
  goal: z.optional(z.string()),
  steps: z.optional(
    z.array(
      z.object({
        id: z.string(),
        status: z.optional(ShownStatus),
        note: z.optional(z.string()),
        description: z.optional(z.string()),
        actions: z.optional(z.array(z.string())),
        checkpoint: z.optional(ShownCheck),
      }),
    ),
  ),
  addSteps: z.optional(
    z
      .array(
        z.object({
          description: z.string(),
          after: z.optional(z.string()),
          checkpoint: z.optional(ShownCheck),
        }),
      )
      .check(z.describe("after: a step's id, else last")),
  ),
  removeSteps: z.optional(z.array(z.string())),
});

export const updatePlan = engineTool({
  name: "update_plan",
  description:
    "Change the plan when reality differs, or report the active step: done with a one-line note, or skipped with a reason. The next one begins by itself; checkpoints are run for you.",
  schema: ShownUpdate,
  modes: ["normal", "plan", "auto"],
  waits: true,
  asks: (turn, pending, args) => {
    const read = readUpdate(turn, pending, args);
    return read?.ok ? asksAbout(turn, pending, read) : undefined;
  },
  commands: (args, plan) => checkpointCommands(plan, args),
  prepare,
  trimming: { kept: true },
});

interface ReadUpdate {
  ok: true;
  applied: AcceptedUpdate;
  progress: Progress;
}

/** What the arguments would do to the plan as it is now; undefined if there is none. */
function readUpdate(
  turn: ToolTurn,
  pending: PendingCall,
  args: unknown,
): ReadUpdate | { ok: false; problem: string } | undefined {
  if (!turn.state.plan) return undefined;
  const id = deltaId(pending);
  // The call is taken up again after a checkpoint with an unknown outcome: its content is in the plan already.
  const changed = turn.state.history.some((message) => message.id === id);
  const update = applyUpdate(turn.state.plan, changed ? statusesOf(args) : args);
  if (!update.ok) return update;
  const runs = !turn.env.isOlder && turn.state.mode !== "plan" && turn.state.plan.status === "executing";
  const applied = runs && update.contentChanged ? { ...update, plan: earliestFirst(update.plan) } : update;
  const changes = turn.state.mode === "plan" ? [] : applied.statusChanges;
  const awaits = changes.length > 0 && awaitsApproval(turn.state.plan, turn.state.history);
  // What the call changes of the plan is taken; what it reports is not.
  if (awaits) {
    const refusal = awaitsText(applied.plan);
    return applied.appended
      ? { ok: true, applied, progress: { reports: [], remarks: [], refusal } }
      : { ok: false, problem: refusal };
  }
  const progress = readProgress(applied.plan, changes, {
    rail: !turn.env.isOlder,
    heldBack: isHeldBack(turn),
  });
  const { reports, refusal } = progress;
  return refusal !== undefined && reports.length === 0 && !applied.contentChanged
    ? { ok: false, problem: refusal }
    : { ok: true, applied, progress };
}

function asksAbout(
  turn: ToolTurn,
  pending: PendingCall,
  { applied, progress }: ReadUpdate,
): Waits | undefined {
  const commands = commandsOfReports(applied.plan, progress);
  const { markdown } = applied.plan;
  return (
    askAboutChange(turn, pending, { after: { ...bodyOf(applied.plan), markdown }, commands }) ??
    gateChecks(turn, pending, commands)
  );
}

async function prepare(turn: ToolTurn, pending: PendingCall, args: unknown): Promise<PreparedCall> {
  const read = readUpdate(turn, pending, args);
  if (!read) return failed("error: no plan to update; call set_plan first");
  if (!read.ok) return failed(`error: update_plan: ${read.problem}`);
  const waits = asksAbout(turn, pending, read);
  if (waits) return waits;

  const { applied, progress } = read;
  const { reports, remarks, refusal } = progress;
  const { contentChanged, appended, delta, truncated } = applied;
  const before = turn.state.plan;
  if (contentChanged || appended) {
    await changeContent(turn, pending, applied.plan, {
      contentChanged,
      seq: delta.seq,
      text: deltaText(delta),
    });
  }
  // The card shows the changes to decide on now.
  if (contentChanged && turn.state.mode !== "plan" && awaitsApproval(turn.state.plan, turn.state.history))
    propose(turn);
  const said = [
    ...updateWords(turn.state.plan, applied, turn.state.mode),
    ...orderWords(before, turn.state.plan),
    truncated ? `The update was too long: ${truncationMarker(truncated.kept, truncated.of)}` : "",
    turn.state.mode === "plan" && applied.statusChanges.length > 0
      ? "Step statuses are ignored while planning."
      : "",
  ].filter((part) => part !== "");

  if (reports.length === 0)
    return settled([...said, ...remarks, ...refusedText(refusal)].join(" ") || "Nothing changed.");
  // Later calls must know how a checkpoint or a start went.
  return runsLater(() => takeReports(turn, pending, progress, said));
}

function refusedText(refusal: string | undefined): string[] {
  return refusal === undefined ? [] : [`Not taken: ${refusal}.`];
}

/** Which plan there is now, and what has to be done with it. */
function updateWords(
  plan: Plan | null,
  { contentChanged, appended, delta }: AcceptedUpdate,
  mode: Mode,
): string[] {
  if (!plan || !appended) return [];
  if (!contentChanged) return ["Noted."];
  const { addSteps = [], removeSteps = [] } = delta;
  const moved = addSteps.length + removeSteps.length > 0;
  return [
    `Plan updated: it is now ${versionWords(plan)}.`,
    moved ? `Steps: ${plan.steps.map(({ id }) => id).join(", ")}.` : "",
    plan.status === "draft" && mode === "plan" ? "It has to be submitted with exit_plan." : "",
  ];
}

/** Which step is worked on now, where one was put before the active one. */
function orderWords(before: Plan | null, now: Plan | null): string[] {
  const was = before && activeStep(before);
  const current = now && currentStep(now);
  return was && current && current.id !== was.id && findStep(now, was.id)?.status === "pending"
    ? [`Step ${current.id} comes first and is the active one now; step ${was.id} is pending again.`]
    : [];
}

/** Only the statuses of the arguments, without changes of content. */
function statusesOf(args: unknown): unknown {
  const { steps = [] } = z.parse(UpdatePlanArgs, tidyUpdatePlan(args));
  return { steps: steps.flatMap(({ id, status, note }) => (status ? [{ id, status, note }] : [])) };
}
