// The events of an answer with its calls corrected: they get our names and arguments, even if the model wrote them into
// its text in another form. The code that does so is loaded with the first malformed call, or the first text that may
// contain calls.

import { isRecord } from "../../shared/is-record.ts";
import type { AssembledCall } from "./call-assembly.ts";
import { type JsonRecord, parseRecord } from "./json-value.ts";
import type { DeltaEvent, ModelEvent } from "./model-event.ts";
import type { PromptMessage } from "./prompt.ts";
import { mending } from "./text-calls/text-calls.ts";

interface Asked {
  /** Names of all tools. */
  known: ReadonlySet<string>;
  /** The JSON schemas of arguments, by tool. */
  parameters: ReadonlyMap<string, JsonRecord>;
  form: "native" | "text";
  say?: ((piece: DeltaEvent) => void) | undefined;
  messages: readonly PromptMessage[];
}

export async function* mendedAnswer(
  events: AsyncGenerator<ModelEvent>,
  asked: Asked,
): AsyncGenerator<ModelEvent> {
  const calls: AssembledCall[] = [];
  for await (const event of events) {
    if (event.type === "retry") calls.length = 0;
    if (event.type === "call") {
      const call = isPlain(event.call, asked) ? undefined : await mendedCall(event.call, asked);
      calls.push(call ?? event.call);
      if (call === undefined) yield event;
      else {
        yield { type: "diagnostic", kind: "field_form", repaired: true };
        yield { ...event, call };
      }
    } else if (event.type !== "end") yield event;
    else if (event.calls.length === 0 && mayHoldCalls(event, asked)) yield* fromText(event, asked);
    else yield { ...event, calls };
  }
}

/** Whether this is a call of a known tool whose arguments have the form that the model was shown. */
function isPlain({ name, arguments: text }: AssembledCall, { known, parameters }: Asked): boolean {
  const args = parseRecord(text);
  return args !== undefined && known.has(name) && fitsSchema(args, parameters.get(name));
}

async function mendedCall(call: AssembledCall, asked: Asked): Promise<AssembledCall | undefined> {
  const { mendCall } = await mending();
  return mendCall(call, asked.known, asked.parameters.get(call.name));
}

type LastEvent = Extract<ModelEvent, { type: "end" }>;

/** With native calls, only a text that names one of our tools can contain calls. */
function mayHoldCalls({ text, finish }: LastEvent, { form, known }: Asked): boolean {
  if (finish !== "stop" || known.size === 0) return false;
  return form === "text"
    ? /[{<(]|^\W*(?:Action|Tool|Function|Call)\b/im.test(text)
    : /[{<(]/.test(text) && [...known].some((name) => text.includes(name));
}

/** If streamed text turns out to contain calls, it is retracted and sent again without them. */
async function* fromText(
  end: LastEvent,
  { known, parameters, form, say, messages }: Asked,
): AsyncGenerator<ModelEvent> {
  const { mendCall, nearCalls } = await mending();
  const results = messages.flatMap(({ role, content }) => (role === "tool" ? content : []));
  const near = nearCalls(end.text, known, form, results);
  if (near.kind !== "calls" && near.kind !== "ends") {
    yield end;
    return;
  }
  yield { type: "retry" };
  const { text } = near;
  const pieces: DeltaEvent[] = [
    { type: "reasoning", delta: end.reasoning },
    { type: "text", delta: text },
  ];
  for (const piece of pieces) {
    if (piece.delta === "") continue;
    if (say) say(piece);
    else yield piece;
  }
  if (near.kind === "ends") {
    yield { ...end, text };
    return;
  }
  const calls = near.calls.map((call) => mendCall(call, known, parameters.get(call.name)) ?? call);
  yield { type: "diagnostic", kind: "near_call", repaired: true };
  for (const [index, call] of calls.entries()) yield { type: "call", index, call };
  yield { ...end, text, calls, finish: "tool_calls" };
}

/**
 * Supports only the keywords that our schemas use. A field that is not in the schema does not fit, although the tool
 * may accept it.
 */
function fitsSchema(value: unknown, schema: unknown): boolean {
  if (!isRecord(schema)) return true;
  const { type, properties, items, required } = schema;
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return false;
  if (type === "integer" || type === "number") return typeof value === "number";
  if (type === "array")
    return Array.isArray(value) && value.every((item: unknown) => fitsSchema(item, items));
  if (type !== "object") return typeof type !== "string" || typeof value === type;
  const shown = isRecord(properties) ? properties : {};
  return (
    isRecord(value) &&
    Object.entries(value).every(
      ([name, field]) => Object.hasOwn(shown, name) && fitsSchema(field, shown[name]),
    ) &&
    (Array.isArray(required) ? required : []).every((name) => Object.hasOwn(value, name))
  );
}
