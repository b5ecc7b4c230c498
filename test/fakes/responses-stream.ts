// A scripted reply as a stream of OpenAI's Responses API, or as one body.
// https://platform.openai.com/docs/api-reference/responses-streaming (read 2026-11)
import { type ModelReply, pieces } from "./model-reply.ts";
import { sealOf } from "./seal.ts";

type Item = Record<string, unknown> & { type: string };

function itemsOf(reply: ModelReply, id: string, model: string): Item[] {
  const { reasoning, text, calls = [] } = reply;
  const usual = [
    ...(reasoning ? [{ reasoning }] : []),
    ...(text ? [{ text }] : []),
    ...calls.map((call) => ({ call })),
  ];
  return (reply.sequence ?? usual).map((part, index): Item => {
    if ("text" in part)
      return {
        ...{ type: "message", id: `msg_${id}_${index}`, role: "assistant", status: "completed" },
        content: [{ type: "output_text", text: part.text, annotations: [] }],
        ...(reply.quirks?.phase ? { phase: reply.quirks.phase } : {}),
      };
    if ("call" in part) {
      const { id: given, name, args = {} } = part.call;
      const text = typeof args === "string" ? args : JSON.stringify(args);
      return {
        type: "function_call",
        id: `fc_${id}_${index}`,
        call_id: given ?? `call_${id}_${index}`,
        name,
        arguments: text,
      };
    }
    const summary = reply.quirks?.hiddenThinking ? [] : [{ type: "summary_text", text: part.reasoning }];
    return {
      type: "reasoning",
      id: `rs_${id}_${index}`,
      summary,
      encrypted_content: sealOf(model, JSON.stringify(summary)),
    };
  });
}

export function responsesEvents(reply: ModelReply, id: string, model: string): Item[] {
  if (reply.chunks !== undefined) return reply.chunks as Item[];
  const chars = reply.deltaChars ?? 7;
  const response = {
    id: `resp_${id}`,
    object: "response",
    model,
    status: "in_progress",
    output: [],
    error: null,
  };
  const events: Item[] = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    { type: "keepalive" },
  ];
  const items = itemsOf(reply, id, model);
  for (const [output_index, item] of items.entries()) {
    const at = { item_id: item.id, output_index };
    const begun =
      item.type === "function_call" ? { ...item, arguments: "" } : { type: item.type, id: item.id };
    events.push({ type: "response.output_item.added", output_index, item: begun });
    if (item.type === "message") {
      for (const delta of pieces(textOf(item.content), chars))
        events.push({ type: "response.output_text.delta", ...at, content_index: 0, delta });
      events.push({ type: "response.output_text.done", ...at, content_index: 0, text: textOf(item.content) });
    } else if (item.type === "function_call" && !reply.quirks?.objectArguments) {
      for (const delta of pieces(String(item.arguments), chars))
        events.push({ type: "response.function_call_arguments.delta", ...at, delta });
      events.push({ type: "response.function_call_arguments.done", ...at, arguments: item.arguments });
    } else if (item.type === "reasoning" && textOf(item.summary) !== "") {
      events.push({ type: "response.reasoning_summary_part.added", ...at, summary_index: 0 });
      for (const delta of pieces(textOf(item.summary), chars))
        events.push({ type: "response.reasoning_summary_text.delta", ...at, summary_index: 0, delta });
    }
    events.push({ type: "response.output_item.done", output_index, item });
  }
  if (reply.finish !== null) events.push(endOf(reply, response, items));
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

/** The answer of a gateway that does not stream. */
export function responsesWhole(reply: ModelReply, id: string, model: string): unknown {
  return endOf(reply, { id: `resp_${id}`, object: "response", model }, itemsOf(reply, id, model)).response;
}

function endOf({ finish, usage }: ModelReply, response: object, output: Item[]): Item {
  const status = finish === undefined ? "completed" : finish === "failed" ? "failed" : "incomplete";
  const counted = usage === null ? {} : { usage: usageOf(usage) };
  return {
    type: `response.${status}`,
    response: {
      ...{ ...response, ...counted, status, output },
      error: status === "failed" ? { code: "server_error", message: "The server had an error." } : null,
      incomplete_details: status === "incomplete" ? { reason: finish } : null,
    },
  };
}

function usageOf(usage: ModelReply["usage"]): object {
  const { prompt_tokens: input_tokens = 100, completion_tokens: output_tokens = 20, ...more } = usage ?? {};
  return { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens, ...more };
}

function textOf(parts: unknown): string {
  return (parts as { text: string }[]).map(({ text }) => text).join("");
}
