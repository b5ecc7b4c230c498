// Plans come into force here: `set_plan`, a plan given as text, a person's edit. Each leaves one hidden plan message.

import { HandrailError } from "../../shared/errors.ts";
import type { DurableDraft } from "../../shared/event.ts";
import { unifiedDiff } from "../../shared/hashline/diff.ts";
import type { PlanMessage } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import { renderPlan } from "../../shared/plan/markdown.ts";
import { bodyOf } from "../../shared/plan/plan-body.ts";
import type { Plan, PlanBody } from "../../shared/plan/plan-file.ts";
import { installPlan, markdownPlan } from "../../shared/plan/set-plan.ts";
import { planMessageId } from "../context/plan-view.ts";
import { sha256Hex } from "./hash.ts";

export interface Installation {
  plan: Plan;
  /** `plan`, then the hidden message that keeps the version as it was installed. */
  drafts: DurableDraft[];
}

/** `origin`: id of the call or message whose body this is. `at`: milliseconds. */
export async function install(
  previous: Plan | null,
  made: { body: PlanBody; markdown: string },
  from: { source: Plan["source"]; origin: string; at: number; mode: Mode },
): Promise<Installation> {
  const plan = installPlan(previous, { ...made, hash: await sha256Hex(made.markdown), source: from.source });
  const id = from.source === "person" ? from.origin : planMessageId(from.origin);
  return {
    plan,
    drafts: [
      { event: "plan", data: { plan } },
      { event: "message", data: { message: planMessage(plan, id, from) } },
    ],
  };
}

/** The hidden message that keeps a plan version as it was installed. */
export function planMessage(plan: Plan, id: string, from: { at: number; mode: Mode }): PlanMessage {
  return { id, role: "plan", content: "", createdAt: from.at, mode: from.mode, extra: { plan } };
}

/**
 * A plan whose text the person changed since the engine wrote it: the next version, and one notice with
 * the difference. Undefined where the text is the engine's. Throws `invalid_request` naming the line.
 */
export async function handEdit(
  plan: Plan,
  at: { turnId: string; now: number; mode: Mode },
): Promise<Installation | undefined> {
  if ((await sha256Hex(plan.markdown)) === plan.hash) return undefined;
  const made = markdownPlan(
    plan.markdown,
    plan.steps.map((step) => step.id),
  );
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
  });
  const before = plan.version;
  const notice: DurableDraft = {
    event: "message",
    data: {
      message: {
        id: `${at.turnId}.edit.notice`,
        role: "event",
        content: `The person edited the plan: version ${before} became version ${installed.plan.version}.${diffOf(plan, installed.plan)}`,
        createdAt: at.now,
        mode: at.mode,
        extra: {
          event: { subkind: "system_notice", source: "plan_edit", data: { version: installed.plan.version } },
        },
      },
    },
  };
  return { plan: installed.plan, drafts: [...installed.drafts, notice] };
}

/** What was changed, against the structure that the engine last knew: its own text is gone with the edit. */
function diffOf(before: Plan, after: Plan): string {
  const old = renderPlan(bodyOf(before));
  const diff = unifiedDiff(old, after.markdown, "plan", "plan");
  return diff === "" ? "" : `\n${diff}`;
}
