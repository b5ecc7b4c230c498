// What the model reads of a call that the person did not allow: what did not run, why, and whether to ask again.
import { isRecord } from "../../shared/is-record.ts";
import type { ToolCall } from "../../shared/message.ts";
import { parseArguments } from "../calls/parse-arguments.ts";

/** `commands`: what the call would have run; `reason`: the person's own words. */
export function denialText(
  call: ToolCall,
  { commands, reason }: { commands: readonly string[]; reason: string | undefined },
): string {
  const again = reason
    ? "Ask for it again only when what they say is met."
    : "They gave no reason: do not ask for it again, in this form or another, unless they bring it up.";
  return [
    `denied by the person${reason ? `: ${reason}` : ""}`,
    notRun(call, commands),
    `${again} Go on without it, or say what cannot be done without it.`,
  ].join("\n");
}

function notRun(call: ToolCall, commands: readonly string[]): string {
  if (commands.length === 0) return `Nothing of it was done: ${call.name}${pathOf(call)}.`;
  if (commands.every((command) => !command.includes("\n")))
    return `Not run: ${commands.map((command) => `\`${command}\``).join(", ")}.`;
  // Lines of a script stay lines.
  const indented = commands.map((command) => command.replace(/^/gm, "    "));
  return ["Not run:", ...indented].join("\n");
}

function pathOf({ name, arguments: json }: ToolCall): string {
  const parsed = parseArguments(name, json);
  const path = parsed.ok && isRecord(parsed.value) ? parsed.value.path : undefined;
  return typeof path === "string" ? ` of ${path}` : "";
}
