// A change of mode as durable events: `mode`, and the hidden message that the model reads.
import type { DurableDraft } from "../../shared/event.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { carriedPlan, modeSwitchText } from "../context/mode-switch.ts";

export interface Switching {
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
}

export function modeSwitchDrafts(change: Switching): DurableDraft[] {
  const { id, at, from, to, reason, plan, approved, offered, instruction } = change;
  const shown = carriedPlan({ from, to, plan });
  return [
    { event: "mode", data: { from, to, reason } },
    {
      event: "message",
      data: {
        message: {
          id,
          role: "event",
          content: modeSwitchText({ from, to, tools: offered, plan, approved, instruction }),
          createdAt: at,
          mode: to,
          extra: {
            event: {
              subkind: "mode_switch",
              source: "engine",
              data: { from, to, ...(shown ? { planVersion: shown.version, approved } : {}) },
            },
          },
        },
      },
    },
  ];
}
