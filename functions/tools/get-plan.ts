// `get_plan`: the plan as it reads now.
import * as z from "zod/mini";
import type { Message } from "../../shared/message.ts";
import { deltaText } from "../../shared/plan/blocks.ts";
import { viewPlans } from "../context/plan-view.ts";
import { type Prepared, settled } from "./prepared.ts";
import { engineTool } from "./tool.ts";
import type { ToolTurn } from "./tool-turn.ts";

export const getPlan = engineTool({
  name: "get_plan",
  description: "Read the current plan.",
  schema: z.object({}),
  modes: ["normal", "plan", "auto"],
  noMeta: true,
  prepare,
});

/** Text, updates and progress; where the request shows the text already, the result says where instead. */
function prepare({ state: { plan, history } }: ToolTurn): Prepared {
  if (!plan) return settled('{"plan":null}', { noMeta: true });
  const deltas = plan.deltas.map((delta) => deltaText(delta)).join("\n");
  const progress = plan.steps.map((step) => `${step.id}: ${step.status}`).join(", ");
  const updates = plan.deltas.length > 0 ? `\n\n## Plan updates\n${deltas}` : "";
  const place = shownPlace(history);
  const body =
    place === undefined ? plan.markdown : `The plan of version ${plan.version} stands above, ${place}.`;
  return settled(
    `${body}${updates}\n\nProgress: ${progress || "no steps"}\ndeltaCount: ${plan.deltas.length}`,
    { noMeta: true },
  );
}

/** Where the next request shows the plan's text, or undefined where only this result can. */
function shownPlace(history: readonly Message[]): string | undefined {
  const view = viewPlans(history);
  if (view.carrier !== undefined) return "in the call or text that made it";
  if (view.shownSwitch !== undefined) return "in the message about the change of mode";
  return view.asBlock ? "in the <plan> block" : undefined;
}
