// The synthetic message of a change of mode (PROTOCOL 7): its wording, and when it carries the plan.
import type { Mode } from "../../shared/mode.ts";
import { approvedPlanBlock, proposedPlanBlock } from "../../shared/plan/blocks.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";

export interface ModeSwitch {
  from: Mode;
  to: Mode;
  tools: readonly string[];
  plan: Plan | null;
  /** true = the person approved the plan as it stands. */
  approved: boolean;
  /** The planning instruction, where a caller's system message keeps it out of the system prompt. */
  instruction?: string | undefined;
}

const meaning: Record<Mode, string> = {
  normal: "Files can be changed; destructive and remote commands ask the person first.",
  plan: "Nothing can be written until the person approves a plan.",
  auto: "Work without asking; only remote commands ask the person first.",
};

/** The plan that a switch shows: from planning to work, one that still matters. */
export function carriedPlan({ from, to, plan }: Pick<ModeSwitch, "from" | "to" | "plan">): Plan | null {
  if (from !== "plan" || to === "plan" || plan === null || plan.markdown.trim() === "") return null;
  return plan.status === "done" || plan.status === "abandoned" ? null : plan;
}

/** The text that the model reads, directly before the last user message. */
export function modeSwitchText(change: ModeSwitch): string {
  const { from, to, tools, plan, approved, instruction } = change;
  const head = `[Mode switched from ${from} to ${to}. ${meaning[to]} Tools now available: ${tools.join(", ")}.]`;
  const parts = [head];
  if (instruction !== undefined) parts.push(instruction);
  const shown = carriedPlan({ from, to, plan });
  if (shown) {
    parts.push(
      approved
        ? `The person approved version ${shown.version}. It was developed in plan mode: judge whether it is relevant to their message, and if so follow it.\n${approvedPlanBlock(shown.version, shown.markdown)}`
        : `The person switched mode without approving version ${shown.version}; do not start it unless their message asks for it. Judge whether it is relevant.\n${proposedPlanBlock(shown.version, shown.markdown)}`,
    );
  }
  return parts.join("\n\n");
}
