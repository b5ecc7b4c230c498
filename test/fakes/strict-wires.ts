// The refusal of an invalid request to Messages or Responses, in the API's words.
import type { ModelReply } from "./model-reply.ts";
import type { ModelRequest } from "./model-server.ts";
import { messagesProblem } from "./strict-messages.ts";
import { type ResponsesRules, responsesProblem } from "./strict-responses.ts";

/** Undefined if the request is valid, or uses chat completions. */
export function refusalOf(
  { wire, body, headers }: ModelRequest,
  rules?: ResponsesRules,
): (ModelReply & { words: string }) | undefined {
  const type = "invalid_request_error";
  if (wire === "messages") {
    const message = messagesProblem(body, headers);
    return message
      ? { words: message, status: 400, body: { type: "error", error: { type, message } } }
      : undefined;
  }
  const problem = wire === "responses" ? responsesProblem(body, rules) : undefined;
  if (problem === undefined) return undefined;
  const { status = 400, ...error } = problem;
  return { words: problem.message, status, body: { error: { type, ...error } } };
}
