// A change of mode as durable events: `mode`, and the hidden message that the model reads.
import type { DurableDraft } from "../../shared/event.ts";
import { isObject } from "../../shared/is-record.ts";
import type { Message } from "../../shared/message.ts";
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
  /** The messages so far: the project's instructions may have a part for the mode `to`. */
  history: readonly Message[];
}

/** That part; see ModeParts. */
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
