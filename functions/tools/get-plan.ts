// `get_plan`: the current plan with the status of its steps.
import * as z from "zod/mini";
import type { Message } from "../../shared/message.ts";
import { escapeBlock } from "../../shared/plan/blocks.ts";
import { withDecided } from "../../shared/plan/decided-points.ts";
import { stateLine, stepLines } from "../../shared/plan/plan-now.ts";
import { type PreparedCall, settled } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { viewPlans } from "../context/plan-view.ts";
import { engineTool } from "./tool.ts";

export const getPlan = engineTool({
  name: "get_plan",
  description: "Read the plan with each step's status.",
  schema: z.object({}),
  modes: ["normal", "plan", "auto"],
  noMeta: true,
  reads: true,
  prepare,
});

/** State, text and steps; if the request shows this very text already, the result says where instead. */
function prepare({ state: { plan, history } }: ToolTurn): PreparedCall {
  if (!plan) return settled('{"plan":null}', { noMeta: true });
  const now = withDecided(plan);
  const place = placeOfText(history, { markdown: plan.markdown, now });
  const text = place === undefined ? now : `Its text is the one above, ${place}; nothing changed since.`;
  const begun = plan.steps.some(({ status }) => status !== "pending");
  const steps = begun ? ["", "Steps now:", ...stepLines(plan.steps)] : [];
  const parts = [stateLine(plan), "", text, ...steps, "", `deltaCount: ${plan.deltas.length}`];
  return settled(parts.join("\n"), { noMeta: true });
}

/** Where the next request shows the plan's text just as it is `now`, or undefined if only this result can. */
function placeOfText(
  history: readonly Message[],
  { markdown, now }: { markdown: string; now: string },
): string | undefined {
  const { newest, carrier, shownSwitch, asBlock } = viewPlans(history);
  const carried = history.find(({ id }) => id === shownSwitch);
  if (carried?.content.includes(escapeBlock(now))) return "in the message about the change of mode";
  if (newest?.extra.plan.markdown !== markdown) return undefined;
  if (carrier !== undefined) return now === markdown ? "in the call or text that made it" : undefined;
  return asBlock && withDecided(newest.extra.plan) === now ? "in the <plan> block" : undefined;
}
