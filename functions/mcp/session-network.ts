// The network of servers that are programs: their calls are never asked about it, but what the person decided counts.
import type { ToolTurn } from "../calls/tool-turn.ts";

/** Whether the person opened the network to all commands of this session, which had none. */
export function hasNetwork({ env, state }: ToolTurn): boolean {
  const decided = env.grants.filter(({ risk }) => risk === "network");
  const open = decided.length > 0 && decided.every(({ program }) => program !== "never");
  return open && env.network === "none" && state.mode !== "plan";
}
