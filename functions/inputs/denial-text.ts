// What the model reads about a call that the person did not allow: what did not run, why, and whether to ask again.
import { isRecord } from "../../shared/is-record.ts";
import type { ToolCall } from "../../shared/message.ts";
import { planDifference } from "../../shared/plan/ledger.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { applyUpdate } from "../../shared/plan/update-plan.ts";
import { planText } from "../../shared/plan/written-plan.ts";
import { parseArguments } from "../calls/prepared.ts";
import { notChecked } from "../plan/checks.ts";

/** `commands`: what the call would have run; `reason`: the person's own words; `plan`: as it was when they were asked. */
export function denialText(
  call: ToolCall,
  { commands, reason, plan }: { commands: readonly string[]; reason: string | undefined; plan: Plan | null },
): string {
  const again = reason
    ? "Do not ask for it again unless their words allow it."
    : "They gave no reason: do not ask for it again, in this form or another, unless they bring it up.";
  const change = changeDenied(call, plan);
  return [
    `denied by the person${reason ? `: ${reason}` : ""}`,
    ...change,
    ...(change.length > 0 && commands.length === 0 ? [] : [notRun(call, commands)]),
    ...(call.name === "update_plan" && commands.length > 0 ? [notChecked.denied] : []),
    // The person was asked once for the whole call.
    ...(call.name === "update_plan" && commands.length > 1
      ? ["None of its reports was taken: report one by one what needs no permission."]
      : []),
    `${again} Continue without it, or say what cannot be done without it.`,
  ].join("\n");
}

/** The change of the plan that was not allowed, in the same words that the person read. */
function changeDenied({ name, arguments: json }: ToolCall, plan: Plan | null): string[] {
  const parsed = parseArguments(json);
  if (!plan || !parsed.ok) return [];
  const changes =
    name === "update_plan"
      ? updateChanges(plan, parsed.value)
      : name === "set_plan"
        ? newVersionChanges(plan, parsed.value)
        : [];
  return changes.length === 0
    ? []
    : [`The plan stays as the person approved it, without what you wanted: ${changes.join("; ")}.`];
}

function updateChanges(plan: Plan, args: unknown): string[] {
  const update = applyUpdate(plan, args);
  return update.ok && update.contentChanged ? planDifference(plan, update.plan) : [];
}

function newVersionChanges(plan: Plan, args: unknown): string[] {
  const text = planText(args, { plan, goal: plan.goal });
  if (!text.ok) return [];
  const steps = text.body.steps.map((step) => ({ ...step, status: "pending" as const }));
  return planDifference(plan, { ...plan, ...text.body, markdown: text.markdown, steps });
}

function notRun(call: ToolCall, commands: readonly string[]): string {
  if (commands.length === 0) return `Nothing was done: ${call.name}${pathOf(call)}.`;
  if (commands.every((command) => !command.includes("\n")))
    return `Not run: ${commands.map((command) => `\`${command}\``).join(", ")}.`;
  // Keep the lines of a script.
  const indented = commands.map((command) => command.replace(/^/gm, "    "));
  return ["Not run:", ...indented].join("\n");
}

function pathOf({ arguments: json }: ToolCall): string {
  const parsed = parseArguments(json);
  const path = parsed.ok && isRecord(parsed.value) ? parsed.value.path : undefined;
  return typeof path === "string" ? ` of ${path}` : "";
}
