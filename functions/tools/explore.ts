// `explore`: a helper looks around for the model, in a context of its own, and only its report comes back.
// functions/explore runs it.
import * as z from "zod/mini";
import { helpersAtOnce } from "../../shared/explore.ts";
import { describeProblem } from "../../shared/schema-problem.ts";
import { failed, type PendingCall, type PreparedCall } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { type CallMessage, engineTool } from "./tool.ts";

const ExploreArgs = z.strictObject({ task: z.string() });

const name = "explore";

export const explore = engineTool({
  name,
  description:
    "Send a helper to read; only its report comes back. At most 3 at once. task: all it must know.",
  schema: ExploreArgs,
  modes: ["normal", "plan", "auto"],
  reads: true,
  prepare,
});

function prepare(
  { env }: ToolTurn,
  { key }: PendingCall,
  args: unknown,
  { names }: CallMessage,
): PreparedCall {
  if (!env.request.options.explore) return failed("error: explore: there are no helpers here; read yourself");
  const parsed = z.safeParse(ExploreArgs, args);
  if (!parsed.success)
    return failed(`error: explore: ${describeProblem(parsed.error, "arguments", args)}`, true);
  const before = names.slice(0, Number(key.split("/")[2])).filter((other) => other === name);
  if (before.length >= helpersAtOnce)
    return failed(`error: explore: at most ${helpersAtOnce} at once; send it once these have reported`);
  return { kind: "runs", calls: [], alone: false, finish: { kind: "explore" } };
}
