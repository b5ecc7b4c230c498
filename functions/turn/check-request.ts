// A posted history is checked before anything else: the form that PROTOCOL 2 demands, or a clear refusal.
import { HandrailError } from "../../shared/errors.ts";
import type { Message } from "../../shared/message.ts";
import { limits } from "../limits.ts";
import { byteLength } from "../tools/clip.ts";
import { findTool } from "../tools/tool-index.ts";

/** Throws `invalid_request` naming the message that does not fit. */
export function checkHistory(messages: readonly Message[]): void {
  const ids = new Set<string>();
  const calls = new Set<string>();
  let open: { id: string; name: string }[] = [];
  messages.forEach((message, index) => {
    const at = `messages[${index}]`;
    if (ids.has(message.id))
      throw invalid(`${at}.id`, `the id ${JSON.stringify(message.id)} stands twice; send each message once`);
    ids.add(message.id);
    if (message.role === "system" && index > 0)
      throw invalid(`${at}.role`, "a system message can only be the first");
    if (message.role === "tool") {
      if (byteLength(message.content) > limits.maxToolContentBytes) {
        throw invalid(`${at}.content`, "a tool message holds at most 16 KB; send it as it came");
      }
      const [expected, ...rest] = open;
      if (!expected) throw invalid(at, "a tool result without a call before it; send the history as it came");
      if (message.toolCallId !== expected.id) {
        throw invalid(
          `${at}.toolCallId`,
          `the next result has to be that of call ${JSON.stringify(expected.id)}; send results in call order`,
        );
      }
      open = rest;
    }
    if (message.role === "user" || message.role === "assistant") {
      if (open[0])
        throw invalid(
          at,
          `call ${JSON.stringify(open[0].id)} has no result before it; send the whole history as it came`,
        );
    }
    for (const call of message.role === "assistant" ? (message.toolCalls ?? []) : []) {
      if (calls.has(call.id))
        throw invalid(
          `${at}.toolCalls`,
          `the call id ${JSON.stringify(call.id)} stands twice; ids are unique in a session`,
        );
      calls.add(call.id);
    }
    if (message.role === "assistant") open = (message.toolCalls ?? []).map(({ id, name }) => ({ id, name }));
  });
  if (open[0] && !findTool(open[0].name)?.waits) {
    throw invalid(
      "messages",
      `call ${JSON.stringify(open[0].id)} of ${open[0].name} has no result and is not one that waits; send the whole history`,
    );
  }
}

function invalid(field: string, problem: string): HandrailError {
  return new HandrailError("invalid_request", `${field}: ${problem}.`, { details: { field } });
}
