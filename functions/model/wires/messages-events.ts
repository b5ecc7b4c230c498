// Reads the events of Anthropic's Messages API: what each adds to an answer.
// https://docs.anthropic.com/en/docs/build-with-claude/streaming (read 2026-11)
import { isRecord } from "../../../shared/is-record.ts";
import { type JsonRecord, stringOrEmpty } from "../json-value.ts";
import type { Placeholder } from "./answer-parts.ts";
import { type ChunkFields, noFields, piece, type ReadChunk, readError, readUsage } from "./chunk-fields.ts";

export function messagesReader(): ReadChunk {
  /** The block that is being received; for thinking, with everything received so far. */
  let block: JsonRecord = {};
  let index: number | undefined;
  let chars = 0;
  let thoughts = 0;
  const counted: JsonRecord = {};

  const said = (fields: ChunkFields, text: string) => {
    fields.text += text;
    chars += text.length;
  };
  const thought = (fields: ChunkFields, text: string) => {
    fields.reasoning += text;
    block.thinking = stringOrEmpty(block.thinking) + text;
  };
  const stop = (fields: ChunkFields) => {
    const { type, input } = block;
    // Some gateways send the whole input of a call with its beginning.
    if (type === "tool_use" && chars === 0 && isRecord(input) && Object.keys(input).length > 0)
      fields.fragments = [...fields.fragments, piece({ index, arguments: JSON.stringify(input) })];
    const kept: JsonRecord | Placeholder | undefined =
      type === "text"
        ? { type: "said", chars }
        : type === "tool_use"
          ? { type: "called" }
          : type === "thinking" || type === "redacted_thinking"
            ? block
            : undefined;
    if (kept) fields.details = [...(fields.details ?? []), { ...kept }];
    block = {};
  };
  const start = (fields: ChunkFields, content: unknown, at: unknown) => {
    // Some gateways do not send the end of a block.
    stop(fields);
    block = isRecord(content) ? { ...content } : {};
    index = typeof at === "number" ? at : undefined;
    chars = 0;
    if (block.type === "text") said(fields, stringOrEmpty(block.text));
    else if (block.type === "tool_use") fields.fragments = [piece({ index, id: block.id, name: block.name })];
    else if (block.type === "thinking") {
      if (thoughts++ > 0) fields.reasoning = "\n\n";
      fields.reasoning += stringOrEmpty(block.thinking);
    }
  };
  const add = (fields: ChunkFields, delta: JsonRecord) => {
    said(fields, stringOrEmpty(delta.text));
    if (delta.thinking !== undefined) thought(fields, stringOrEmpty(delta.thinking));
    if (delta.signature !== undefined) block.signature = delta.signature;
    if (block.type !== "tool_use" || delta.partial_json === undefined) return;
    chars += stringOrEmpty(delta.partial_json).length;
    fields.fragments = [piece({ index, arguments: delta.partial_json })];
  };
  const count = (fields: ChunkFields, usage: unknown) => {
    for (const [name, value] of Object.entries(isRecord(usage) ? usage : {}))
      if (typeof value === "number") counted[name] = value;
    fields.usage = readUsage(counted);
  };

  return (event) => {
    const fields = noFields();
    const { type, message, delta, error } = event;
    if (type === "error" || error) fields.error = readError(error ?? event);
    else if (type === "message_start" && isRecord(message)) count(fields, message.usage);
    else if (type === "content_block_start") start(fields, event.content_block, event.index);
    else if (type === "content_block_delta" && isRecord(delta)) add(fields, delta);
    else if (type === "content_block_stop") stop(fields);
    else if (type === "message_delta" && isRecord(delta)) {
      stop(fields);
      fields.finish = stringOrEmpty(delta.stop_reason) || undefined;
      count(fields, event.usage);
    } else if (type === "message_stop") fields.over = true;
    else if (type === "message" && Array.isArray(event.content)) {
      // The whole answer at once, from a server that does not stream.
      fields.whole = true;
      let fragments = fields.fragments;
      event.content.forEach((content: unknown, at) => {
        start(fields, content, at);
        stop(fields);
        fragments = [...fragments, ...fields.fragments];
        fields.fragments = [];
      });
      fields.fragments = fragments;
      fields.finish = stringOrEmpty(event.stop_reason) || undefined;
      count(fields, event.usage);
    }
    return fields;
  };
}
