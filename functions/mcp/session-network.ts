// The network of servers that are programs. The person is not asked about it for each call, but their decisions count.
import type { ToolTurn } from "../calls/tool-turn.ts";

/** Whether the person allowed the network for all commands of this session, which had none. */
export function hasNetwork({ env, state }: ToolTurn): boolean {
  const decided = env.grants.filter(({ risk }) => risk === "network");
  const open = decided.length > 0 && decided.every(({ program }) => program !== "never");
  return open && env.network === "none" && state.mode !== "plan";
}
