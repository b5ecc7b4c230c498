// Describes what a permission for the session covers, for the permission card and for the list of permissions.
import { asCode } from "../../shared/as-code.ts";
import type { Grant } from "../../shared/grant.ts";

/** An MCP tool's name is followed by a hash that binds it to its server's address. It means nothing to a person. */
const toolHash = / [0-9a-f]{16}$/;

export function grantInWords({ program, subcommand, only }: Omit<Grant, "risk">): string {
  if (program === "*") return "The network, for every command";
  if (program === "never") return "No network, without asking";
  if (only === undefined) return `${program} ${subcommand.replace(toolHash, "")}`.trim();
  return `${only.command} ${only.cwd === "" ? "in the workspace's folder" : `in ${only.cwd}`}`;
}

/** What "This session" on a permission card covers. `commands` are all that the card shows, in their order. */
export function coverInWords(grant: Omit<Grant, "risk">, commands: readonly string[]): string {
  const { program, subcommand, only } = grant;
  if (toolHash.test(subcommand)) {
    const tool = asCode(subcommand.replace(toolHash, ""));
    return `“This session” covers every call of ${tool} from ${asCode(program)}.`;
  }
  if (only === undefined)
    return `“This session” covers ${asCode(grantInWords(grant))} every time it is used.`;
  const which =
    commands.length > 1 ? `number ${commands.indexOf(only.command) + 1} of these` : "this command";
  return `“This session” covers exactly ${which}, in ${only.cwd === "" ? "this folder" : asCode(only.cwd)}, and no other.`;
}
