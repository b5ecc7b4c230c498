// What a grant for the session covers, in the words of the permission card and of the list of what is allowed.
import type { Grant } from "../../shared/grant.ts";

export function grantInWords({ program, subcommand, only }: Omit<Grant, "risk">): string {
  if (program === "*") return "The network, for every command";
  if (program === "never") return "No network, and no question about it";
  if (only === undefined) return `${program} ${subcommand}`.trim();
  return `${only.command} ${only.cwd === "" ? "in the workspace's folder" : `in ${only.cwd}`}`;
}
