// Reasons for which providers refuse the reasoning of a history with 400, in their own words. One switch for
// each.
import { isRecord } from "../../shared/is-record.ts";
import type { RequestBody, RequestMessage } from "./model-server.ts";

export const strictThinking = {
  /**
   * Every answer of a turn with tool calls needs the field.
   * https://api-docs.deepseek.com/guides/thinking_mode
   */
  deepseek: ({ messages }) =>
    complaint(messages, (message, calling) =>
      calling && typeof message.reasoning_content !== "string"
        ? "Missing `reasoning_content` field in the assistant message at message index"
        : undefined,
    ),
  /**
   * Every answer with calls needs the field, and it must not be empty.
   * https://github.com/anomalyco/opencode/issues/10996
   */
  moonshot: ({ messages }) =>
    complaint(messages, (message) =>
      message.tool_calls && !message.reasoning_content
        ? "thinking is enabled but reasoning_content is missing in assistant tool call message at index"
        : undefined,
    ),
  /**
   * The first call of an answer needs its signature, or the documented substitute.
   * https://ai.google.dev/gemini-api/docs/thought-signatures
   */
  gemini: ({ messages }) =>
    complaint(messages, ({ tool_calls: [first] = [] }) => {
      const { google } = isRecord(first?.extra_content) ? first.extra_content : {};
      const signature = isRecord(google) ? google.thought_signature : undefined;
      return first && !/^(sig-|skip_thought_signature_validator$)/.test(String(signature))
        ? "Function call is missing a thought_signature in functionCall parts. Function call at position"
        : undefined;
    }),
  /** An unknown field is refused. https://github.com/janhq/jan/issues/8136 */
  groq: ({ messages }) =>
    complaint(messages, (message) =>
      "reasoning_content" in message
        ? "for 'role:assistant' the following must be satisfied[property 'reasoning_content' is unsupported] in 'messages'"
        : undefined,
    ),
} satisfies Record<string, (body: RequestBody) => string | undefined>;

export type StrictThinking = keyof typeof strictThinking;

/** The first complaint about an answer. `calling`: tools were called between the user messages around it. */
function complaint(
  messages: readonly RequestMessage[],
  judge: (message: RequestMessage, calling: boolean) => string | undefined,
): string | undefined {
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const from = messages.findLastIndex(({ role }, at) => role === "user" && at < index);
    const to = messages.findIndex(({ role }, at) => role === "user" && at > index);
    const turn = messages.slice(from + 1, to < 0 ? undefined : to);
    const problem = judge(
      message,
      turn.some(({ tool_calls }) => tool_calls !== undefined),
    );
    if (problem) return `${problem} ${index}`;
  }
  return undefined;
}
