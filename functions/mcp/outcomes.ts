// The text for the model if a call of a server's tool did not simply succeed, or was answered by a program.
import * as z from "zod/mini";
import { type CallResult, ExecValue } from "../../shared/sandbox.ts";
import { visibleText } from "../../shared/visible-text.ts";
import type { Outcome } from "../calls/prepared.ts";
import { networkFacts, sandboxNotes } from "../calls/sandbox-notes.ts";
import { McpFailure } from "./failure.ts";
import { asData, resultWords } from "./result-words.ts";
import type { Redact } from "./secrets.ts";
import { answerOf } from "./stdio-server.ts";

export function failureOutcome(
  server: string,
  { message, mayHaveRun, said }: McpFailure,
  redact: Redact,
): Outcome {
  const unknown = mayHaveRun ? "outcome unknown, it may have run: look before you call it again. " : "";
  // The text is cut after secrets are removed, because half a secret is not recognised.
  const words = said ? `\n${asData(server, redact(said).slice(0, 1_000), redact, true)}` : "";
  return {
    ok: false,
    text: `error: ${unknown}The MCP server ${server} ${redact(message)}${words}`,
    ...(mayHaveRun ? { facts: { code: "outcome_unknown" } } : {}),
  };
}

export function lost(server: string, name: string): Outcome {
  const tool = visibleText(name, "line");
  return {
    ok: false,
    text: `error: outcome unknown: Handrail was interrupted while the MCP server ${server} was asked for ${tool}. It may have run; it is not sent again. Look before you call it again.`,
    facts: { code: "outcome_unknown" },
  };
}

/** The tool has changed since the person allowed it, or no longer exists. */
export function changed(server: string, name: string, isGone: boolean): Outcome {
  const tool = visibleText(name, "line");
  return {
    ok: false,
    text: isGone
      ? `error: the MCP server ${server} no longer has a tool ${tool}. Continue without it.`
      : `error: the tool ${tool} of the MCP server ${server} has changed since the person allowed it: it is off until they have seen both texts (Settings, MCP servers). Continue without it.`,
    facts: { code: "tool_changed" },
  };
}

/** A server of HANDRAIL_MCP whose address or command differs from the one that the person saw. */
export function moved(server: string): Outcome {
  return {
    ok: false,
    text: `error: the MCP server ${server} has moved to a new address since the person allowed its tools: they are off until the person has seen it (Settings, MCP servers). Continue without them.`,
    facts: { code: "tool_changed" },
  };
}

/** For a call that the sandbox made. */
export function stdioOutcome(
  { server, tool }: { server: string; tool: string },
  result: CallResult | undefined,
  redact: Redact,
): Outcome {
  if (!result || result.error?.code === "outcome_unknown") return lost(server, tool);
  const exec = z.safeParse(ExecValue, result.value).data;
  const network = exec ? networkFacts(exec) : {};
  try {
    const said = answerOf(result);
    if ("changed" in said) return changed(server, tool, said.changed === "gone");
    // The program that asks prints no errors itself, so these come from the sandbox, or from a server that writes to
    // the wrong stream.
    const { ok, text } = resultWords(server, said.result, redact, exec?.stderr.trim());
    return { ok, text: [text, ...(exec ? sandboxNotes(exec) : [])].join("\n"), facts: network };
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    const outcome = failureOutcome(server, error, redact);
    return { ...outcome, facts: { ...network, ...outcome.facts } };
  }
}
