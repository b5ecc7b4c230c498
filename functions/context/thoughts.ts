// Decides which reasoning is sent back to the model: only its own, and only as long as its provider may require it.
import type { AssistantMessage, Message } from "../../shared/message.ts";
import type { PromptCall, PromptThought } from "../model/prompt.ts";

/**
 * `history` with the thoughts that requests to `model` (`provider/model`) contain. An answer keeps its own if its turn
 * called tools: DeepSeek and Moonshot require it in every later request, and ignore or refuse that of other turns.
 * https://api-docs.deepseek.com/guides/thinking_mode (read 2026-11)
 */
export function withOwnThoughts(history: readonly Message[], model: string): Message[] {
  const calling = answersOfCallingTurns(history);
  return history.map((message) => {
    if (message.role !== "assistant" || message.thought === undefined) return message;
    if (message.thought.model === model && calling.has(message)) return message;
    const { thought: _, ...rest } = message;
    return rest;
  });
}

function answersOfCallingTurns(history: readonly Message[]): Set<Message> {
  const found = new Set<Message>();
  let answers: AssistantMessage[] = [];
  const close = () => {
    if (answers.some(({ toolCalls }) => toolCalls?.length)) for (const answer of answers) found.add(answer);
    answers = [];
  };
  for (const message of history) {
    if (message.role === "user") close();
    else if (message.role === "assistant") answers.push(message);
  }
  close();
  return found;
}

/** The parts of an answer, other than its text, that a request contains. */
export function sentBack({ toolCalls, thought, reasoning = "" }: AssistantMessage): {
  toolCalls?: PromptCall[];
  thought?: PromptThought;
} {
  const { field, details, calls = {} } = thought ?? {};
  return {
    ...(toolCalls?.length ? { toolCalls: toolCalls.map((call) => withExtra(call, calls[call.id])) } : {}),
    ...(field || details
      ? { thought: { text: reasoning, ...(field ? { field } : {}), ...(details ? { details } : {}) } }
      : {}),
  };
}

function withExtra(call: PromptCall, extra: PromptCall["extra"]): PromptCall {
  return extra ? { ...call, extra } : call;
}
