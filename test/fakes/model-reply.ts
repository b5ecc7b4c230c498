// The replies that a script can give the model, and the chunks into which they are turned.

/** A call in a script: `args` as an object, or raw text for malformed ones. `id` null = no id is sent. */
export interface ScriptedCall {
  id?: string | null;
  name: string;
  args?: Record<string, unknown> | string;
  /** The `extra_content` of the call. */
  extra?: Record<string, unknown>;
}

export interface ModelReply {
  text?: string;
  reasoning?: string;
  /** `reasoning_details`, each in a separate chunk. */
  details?: Record<string, unknown>[];
  calls?: ScriptedCall[];
  /**
   * For Responses and Messages, instead of the three above: parts in their order. Empty reasoning ("") is
   * redacted.
   */
  sequence?: ({ text: string } | { reasoning: string } | { call: ScriptedCall })[];
  /** `finish_reason`; by default `tool_calls` with calls, otherwise `stop`; null = none is sent. */
  finish?: string | null;
  usage?: { prompt_tokens: number; completion_tokens: number; [field: string]: unknown } | null;
  /** Other than 200: `body` is sent unchanged (an object as JSON). */
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** The byte of the stream after which the socket is destroyed. */
  cut?: number;
  /** The request is accepted and never answered. */
  hang?: boolean;
  /** Everything but the end is sent, and the connection stays open. */
  stall?: boolean;
  /** Nothing is sent before this resolves. */
  hold?: Promise<unknown>;
  /**
   * The number of pieces into which the stream is cut, at seeded places; "bytes" = every byte separately. By
   * default it is not cut.
   */
  fragments?: number | "bytes";
  /** Characters of text, reasoning and arguments in one chunk; 7 by default, so that strings are cut. */
  deltaChars?: number;
  quirks?: Quirks;
  /** Chunks to send unchanged, instead of everything above except cut, fragments and framing quirks. */
  chunks?: unknown[];
}

export interface Quirks {
  noDone?: boolean;
  crlf?: boolean;
  /** Comment lines between the events. */
  comments?: boolean;
  /** Calls have no index. */
  noIndex?: boolean;
  /** Every call has the index 0. */
  sameIndex?: boolean;
  /** Arguments are an object instead of text. */
  objectArguments?: boolean;
  /** All calls are in one chunk. */
  callsInOneChunk?: boolean;
  /** Usage is in the last chunk instead of a separate one. */
  usageWithFinish?: boolean;
  /** The name of the field for reasoning. */
  reasoningField?: string;
  /** The whole answer is one JSON body. */
  plainJson?: boolean;
  /** Reasoning has no words, only a signature or an encrypted text. */
  hiddenThinking?: boolean;
  /** The phase of messages in Responses. */
  phase?: string;
}

/** The chunks of a reply, as objects. */
export function replyChunks(reply: ModelReply, id: string): unknown[] {
  if (reply.chunks !== undefined) return reply.chunks;
  const quirks = reply.quirks ?? {};
  const chars = reply.deltaChars ?? 7;
  const chunk = (delta: unknown, finish: string | null = null, extra: object = {}) => ({
    id,
    object: "chat.completion.chunk",
    created: 1,
    model: "scripted",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...extra,
  });
  const chunks: unknown[] = [chunk({ role: "assistant", content: "" })];
  const reasoningField = quirks.reasoningField ?? "reasoning_content";
  for (const piece of pieces(reply.reasoning ?? "", chars)) chunks.push(chunk({ [reasoningField]: piece }));
  for (const detail of reply.details ?? []) chunks.push(chunk({ reasoning_details: [detail] }));
  for (const piece of pieces(reply.text ?? "", chars)) chunks.push(chunk({ content: piece }));
  const deltas = (reply.calls ?? []).map((call, index) => callDeltas(call, index, id, chars, quirks));
  if (quirks.callsInOneChunk) chunks.push(chunk({ tool_calls: deltas.flat() }));
  else for (const delta of deltas.flat()) chunks.push(chunk({ tool_calls: [delta] }));
  const usage = reply.usage === undefined ? { prompt_tokens: 100, completion_tokens: 20 } : reply.usage;
  const finish = finishOf(reply);
  if (finish !== null) chunks.push(chunk({}, finish, usage && quirks.usageWithFinish ? { usage } : {}));
  if (usage && !quirks.usageWithFinish)
    chunks.push({ id, object: "chat.completion.chunk", choices: [], usage });
  return chunks;
}

/** The reply as one body, from a server that does not stream. */
export function replyBody(reply: ModelReply, id: string): unknown {
  const calls = (reply.calls ?? []).map((call, index) => ({
    id: call.id ?? `${id}-${index}`,
    type: "function",
    function: { name: call.name, arguments: argumentText(call) },
  }));
  const message = {
    role: "assistant",
    content: reply.text ?? null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    id,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
    usage: reply.usage ?? { prompt_tokens: 100, completion_tokens: 20 },
  };
}

function finishOf({ finish, calls }: ModelReply): string | null {
  if (finish !== undefined) return finish;
  return (calls?.length ?? 0) > 0 ? "tool_calls" : "stop";
}

function callDeltas(
  call: ScriptedCall,
  index: number,
  replyId: string,
  chars: number,
  quirks: Quirks,
): unknown[] {
  const numbered = quirks.noIndex ? {} : { index: quirks.sameIndex ? 0 : index };
  const extra = call.extra ? { extra_content: call.extra } : {};
  const id =
    call.id === null ? extra : { id: call.id ?? `call_${replyId}_${index}`, type: "function", ...extra };
  if (quirks.objectArguments)
    return [{ ...numbered, ...id, function: { name: call.name, arguments: call.args ?? {} } }];
  const text = argumentText(call);
  const first = { ...numbered, ...id, function: { name: call.name, arguments: quirks.noIndex ? text : "" } };
  if (quirks.noIndex) return [first];
  return [first, ...pieces(text, chars).map((piece) => ({ ...numbered, function: { arguments: piece } }))];
}

function argumentText({ args }: ScriptedCall): string {
  return typeof args === "string" ? args : JSON.stringify(args ?? {});
}

/** `text` in pieces of `size` code points, because half a character is not valid JSON text. */
export function pieces(text: string, size: number): string[] {
  const chars = [...text];
  const out: string[] = [];
  for (let at = 0; at < chars.length; at += size) out.push(chars.slice(at, at + size).join(""));
  return out;
}
