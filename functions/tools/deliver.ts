// `deliver`: a commit, a push or a pull request, which only the person's own tap on a sheet makes. The call waits for it,
// and its result is what the sheet says was done.
import * as z from "zod/mini";
import { describeProblem } from "../../shared/schema-problem.ts";
import { askPermission } from "../calls/permission.ts";
import { failed, type PendingCall, type PreparedCall, settled, type Waits } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { engineTool } from "./tool.ts";

const DeliverArgs = z.strictObject({
  do: z.enum(["commit", "push", "pull_request"]),
  text: z.optional(z.string()),
});

const words = { commit: "commit", push: "push", pull_request: "open a pull request" } as const;

export const deliver = engineTool({
  name: "deliver",
  description: "Ask the person to commit, push or open a pull request. text: your draft, its title first.",
  schema: DeliverArgs,
  modes: ["normal", "auto"],
  waits: true,
  prepare,
  asks: (turn, pending, args) => {
    const prepared = prepare(turn, pending, args);
    return prepared.kind === "waits" ? prepared : undefined;
  },
  trimming: { kept: true },
});

function prepare(turn: ToolTurn, pending: PendingCall, args: unknown): Waits | PreparedCall {
  const parsed = z.safeParse(DeliverArgs, args);
  if (!parsed.success)
    return failed(`error: deliver: ${describeProblem(parsed.error, "arguments", args)}`, true);
  const { options, input } = turn.env.request;
  if (options.deliver !== true)
    return failed("error: deliver: there is no sheet for it here. Say what is to be delivered instead.");
  if (!pending.permitted)
    return askPermission(pending, {
      risk: "remote",
      why: `It asks you to ${words[parsed.data.do]}. A sheet shows all of it first.`,
    });
  const said = input.type === "permit" ? [input, ...(input.others ?? [])] : [];
  const text = said.find(({ toolCallId }) => toolCallId === pending.call.id)?.text?.trim();
  return text
    ? settled(`The person did it: ${text}`)
    : failed("error: deliver: nothing was done: only the person's tap on the sheet delivers.");
}
