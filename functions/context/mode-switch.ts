// The synthetic message of a change of mode (PROTOCOL 7): its wording, when it carries the plan, and what is left of it later.
import type { Mode } from "../../shared/mode.ts";
import { approvedPlanBlock, proposedPlanBlock } from "../../shared/plan/blocks.ts";
import { withDecided } from "../../shared/plan/decided-points.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";

export interface ModeSwitch {
  from: Mode;
  to: Mode;
  tools: readonly string[];
  plan: Plan | null;
  /** true = the person approved the plan as it is. */
  approved: boolean;
  /** The planning instruction, where a caller's system message keeps it out of the system prompt. */
  instruction?: string | undefined;
  /** What the project's instructions say for the mode `to`. */
  rules?: string | undefined;
}

const meaning: Record<Mode, string> = {
  normal: "Files can be changed; destructive and remote commands ask the person first.",
  plan: "Nothing can be written until the person approves a plan.",
  auto: "Work without asking; only remote commands ask the person first.",
};

/** The plan that a switch shows: only when leaving plan mode, and only if the plan is not over. */
export function carriedPlan({ from, to, plan }: Pick<ModeSwitch, "from" | "to" | "plan">): Plan | null {
  if (from !== "plan" || to === "plan" || plan === null || plan.markdown.trim() === "") return null;
  return isActivePlan(plan) ? plan : null;
}

/** The text that the model reads, directly before the last user message. Parts are set apart by a blank line. */
export function modeSwitchText(change: ModeSwitch): string {
  const { from, to, tools, plan, approved, instruction, rules } = change;
  const head = `[Mode switched from ${from} to ${to}. ${meaning[to]} Tools now available: ${tools.join(", ")}.]`;
  const shown = carriedPlan({ from, to, plan });
  return [head, instruction, rules, shown ? planPart(shown, approved) : undefined]
    .filter((part) => part !== undefined)
    .join("\n\n");
}

function planPart(plan: Plan, approved: boolean): string {
  const { version } = plan;
  const text = withDecided(plan);
  return approved
    ? `The person approved version ${version}. It was developed in plan mode: judge whether it is relevant to their message, and if so follow it step by step, from the one that is active.\n${approvedPlanBlock(version, text)}`
    : `The person switched mode without approving version ${version}: it has not begun, and begins only when they approve it. Do what their message asks.\n${proposedPlanBlock(version, text)}`;
}

/** The switch itself, without instruction and plan. */
export function switchHead(text: string): string {
  return text.split("\n\n", 1)[0] ?? "";
}

/** `text` with `line` in place of the plan that it carries. The payload is escaped: the first closing tag is the block's own. */
export function withoutCarriedPlan(text: string, line: string): string {
  return text.replace(/<(approved|proposed)-plan version="\d+">[\s\S]*?<\/\1-plan>/, () => line);
}

export function carriedPlanLine(version: number): string {
  return `[Plan version ${version} was here; the newest plan is elsewhere.]`;
}
