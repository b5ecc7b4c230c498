// A change of mode (PROTOCOL 7) as durable events: `mode`, and the hidden message that the model reads. Also decides
// how it is worded, when it contains the plan, and what later requests keep of it.

import type { DurableDraft } from "../../shared/event.ts";
import { isObject } from "../../shared/is-record.ts";
import type { Message } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import { approvedPlanBlock, proposedPlanBlock } from "../../shared/plan/blocks.ts";
import { withDecided } from "../../shared/plan/decided-points.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { TurnOptions } from "../../shared/turn.ts";

interface ModeSwitch {
  from: Mode;
  to: Mode;
  tools: readonly string[];
  plan: Plan | null;
  /** true = the person approved the plan unchanged. */
  approved: boolean;
  /** The planning instruction, if a caller's system message replaces ours in the system prompt. */
  instruction?: string | undefined;
  /** The project's instructions for the mode `to`. */
  rules?: string | undefined;
}

const meaning: Record<Mode, string> = {
  normal: "Files can be changed; destructive and remote commands ask the person first.",
  plan: "Nothing can be written until the person approves a plan.",
  auto: "Work without asking; only remote commands ask the person first.",
};

/** What a switch says about the tools of MCP servers, in addition to the names of our tools. */
export function foreignTools({ mcp = [] }: Pick<TurnOptions, "mcp">): string[] {
  return mcp.length > 0 ? ["those of MCP servers"] : [];
}

/** The plan that a switch shows: only when leaving plan mode, and only if the plan has not ended. */
function carriedPlan({ from, to, plan }: Pick<ModeSwitch, "from" | "to" | "plan">): Plan | null {
  if (from !== "plan" || to === "plan" || plan === null || plan.markdown.trim() === "") return null;
  return isActivePlan(plan) ? plan : null;
}

/** The text that the model reads, directly before the last user message. Its parts are separated by a blank line. */
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

/**
 * `text` with `line` in place of the plan in it. The payload is escaped, so the first closing tag belongs to the block.
 */
export function withoutCarriedPlan(text: string, line: string): string {
  return text.replace(/<(approved|proposed)-plan version="\d+">[\s\S]*?<\/\1-plan>/, () => line);
}

export function carriedPlanLine(version: number): string {
  return `[Plan version ${version} was here; the newest plan is elsewhere.]`;
}

interface Switching {
  /** Id of the hidden message. */
  id: string;
  at: number;
  from: Mode;
  to: Mode;
  reason: string;
  plan: Plan | null;
  approved: boolean;
  /** Names of the tools that the mode `to` offers. */
  offered: readonly string[];
  instruction: string | undefined;
  /** The messages so far: the project's instructions may have a part for the mode `to`. */
  history: readonly Message[];
}

/** Returns that part; see ModeParts. */
function partFor(mode: Mode, history: readonly Message[]): string | undefined {
  for (const message of history) {
    const modes = message.role === "event" ? message.extra.event.data.modes : undefined;
    const part = isObject(modes) ? modes[mode] : undefined;
    if (typeof part === "string") return `The project's instructions for this mode:\n${part}`;
  }
  return undefined;
}

export function modeSwitchDrafts(change: Switching): DurableDraft[] {
  const { id, at, from, to, reason, plan, approved, offered, instruction, history } = change;
  const shown = carriedPlan({ from, to, plan });
  const rules = partFor(to, history);
  return [
    { event: "mode", data: { from, to, reason } },
    {
      event: "message",
      data: {
        message: {
          id,
          role: "event",
          content: modeSwitchText({ from, to, tools: offered, plan, approved, instruction, rules }),
          createdAt: at,
          mode: to,
          extra: {
            event: {
              subkind: "mode_switch",
              source: "engine",
              data: {
                from,
                to,
                ...(rules ? { rules: true } : {}),
                ...(shown ? { planVersion: shown.version, approved } : {}),
              },
            },
          },
        },
      },
    },
  ];
}
