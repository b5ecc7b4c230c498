// Reads the events of OpenAI's Responses API: what each adds to an answer.
// https://platform.openai.com/docs/api-reference/responses-streaming (read 2026-11)
import { isRecord } from "../../../shared/is-record.ts";
import { type JsonRecord, stringOrEmpty } from "../json-value.ts";
import { type ChunkFields, noFields, piece, type ReadChunk, readError, readUsage } from "./chunk-fields.ts";

export function responsesReader(): ReadChunk {
  /** Items that were streamed; the events that end them repeat their text or arguments. */
  const inPieces = new Set<unknown>();
  return (event) => {
    const fields = noFields();
    const { type, output_index: index, item, error } = event;
    const response = event.object === "response" ? event : event.response;
    switch (type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        inPieces.add(index);
        fields.text = stringOrEmpty(event.delta);
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        fields.reasoning = stringOrEmpty(event.delta);
        break;
      case "response.reasoning_summary_part.added":
        if (event.summary_index) fields.reasoning = "\n\n";
        break;
      case "response.function_call_arguments.delta":
        inPieces.add(index);
        fields.fragments = [piece({ index, arguments: event.delta })];
        break;
      // LM Studio sends the arguments only here: earendil-works/pi#917 (2026-01).
      case "response.function_call_arguments.done":
        if (!inPieces.has(index)) fields.fragments = [piece({ index, arguments: event.arguments })];
        if (event.arguments) inPieces.add(index);
        break;
      case "response.output_item.added":
        if (isRecord(item) && item.type === "function_call") addCall(fields, item, index, "");
        break;
      case "response.output_item.done":
        if (!isRecord(item)) break;
        if (item.type === "function_call")
          addCall(fields, item, index, inPieces.has(index) ? "" : item.arguments);
        else if (item.type === "message" && !inPieces.has(index)) fields.text = textIn(item.content);
        keep(fields, item);
        break;
      default:
        if (
          isRecord(response) &&
          /^(completed|incomplete|failed|cancelled)$/.test(stringOrEmpty(response.status))
        )
          end(fields, response);
        else if (type === "error" || error) fields.error = readError(error ?? event);
    }
    return fields;
  };
}

function addCall(
  fields: ChunkFields,
  { call_id, id, name }: JsonRecord,
  index: unknown,
  args: unknown,
): void {
  fields.fragments = [...fields.fragments, piece({ index, id: call_id || id, name, arguments: args })];
}

/** Keeps what must be sent back of an item, with its position among the others. */
function keep(fields: ChunkFields, item: JsonRecord): void {
  const details = fields.details ?? [];
  fields.details = details;
  const { type, summary, encrypted_content: encrypted, content } = item;
  if (type === "function_call") details.push({ type: "called" });
  else if (type === "message")
    details.push({
      ...{ type: "said", chars: textIn(content).length },
      ...(item.phase ? { phase: item.phase } : {}),
    });
  // Self-hosted servers send reasoning unencrypted. Without either form there is nothing to send back.
  else if (type === "reasoning" && (encrypted || (Array.isArray(content) && content.length > 0)))
    details.push({
      ...{ type, summary: summary ?? [] },
      ...(encrypted ? { encrypted_content: encrypted } : { content }),
    });
}

function end(fields: ChunkFields, response: JsonRecord): void {
  const { status, output, usage, error, incomplete_details: incomplete } = response;
  fields.over = true;
  fields.usage = readUsage(usage);
  if (status === "failed") {
    fields.error = readError(error ?? { message: "The response failed." });
    return;
  }
  fields.finish = (isRecord(incomplete) && stringOrEmpty(incomplete.reason)) || stringOrEmpty(status);
  if (!Array.isArray(output) || output.length === 0) return;
  // This repeats the whole answer, and counts only if nothing was streamed.
  fields.whole = true;
  output.filter(isRecord).forEach((item, index) => {
    if (item.type === "message") fields.text += textIn(item.content);
    else if (item.type === "function_call") addCall(fields, item, index, item.arguments);
    else if (item.type === "reasoning") fields.reasoning += textIn(item.summary) + textIn(item.content);
    keep(fields, item);
  });
}

function textIn(parts: unknown): string {
  if (!Array.isArray(parts)) return "";
  return parts
    .map((part) => (isRecord(part) ? stringOrEmpty(part.text) || stringOrEmpty(part.refusal) : ""))
    .join("");
}
