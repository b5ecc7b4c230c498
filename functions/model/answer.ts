// Assembles one answer: takes chunks of any wire format and returns events. Pure: it knows no network and no clock.
import type { Finish, ReasoningField } from "../../shared/message.ts";
import { type AssembledCall, CallAssembly } from "./call-assembly.ts";
import type { JsonRecord } from "./json-value.ts";
import type { HowItCame, ModelEvent } from "./model-event.ts";
import { maxGoBackChars, ReasoningDetails, RepeatedText } from "./reasoning-details.ts";
import { repairCall } from "./repair.ts";
import type { TextAndCalls, TextCallReader } from "./text-calls/text-calls.ts";
import { splitAtClosing, ThinkTags } from "./think-tags.ts";
import type { ChunkFields, ProviderUsage, ReadChunk } from "./wires/chunk-fields.ts";

/**
 * The finish reasons, in lower case with `_`; an unlisted one counts as a normal stop. Sources: OpenAI, Anthropic,
 * Google, Mistral, DeepSeek, Zhipu.
 */
const finishes = new Map<string, Finish>(
  Object.entries({
    stop: "stop",
    eos: "stop",
    end_turn: "stop",
    tool_calls: "tool_calls",
    tool_use: "tool_calls",
    function_call: "tool_calls",
    length: "length",
    max_tokens: "length",
    model_length: "length",
    max_output_tokens: "length",
    model_context_window_exceeded: "length",
    incomplete: "length",
    refusal: "content_filter",
    content_filter: "content_filter",
    safety: "content_filter",
    sensitive: "content_filter",
    recitation: "content_filter",
    prohibited_content: "content_filter",
    blocklist: "content_filter",
    spii: "content_filter",
  }),
);

/** Finish reasons that mean the provider aborted the answer, as used by DeepSeek, Zhipu, OpenRouter and gateways. */
const brokenOff =
  /^(error|insufficient_system_resource|network_error|abort(ed)?|cancel(l?ed)?|time(d?_)?out)$/;

export class ModelAnswer {
  #knownNames: ReadonlySet<string>;
  #assembly: CallAssembly;
  #textCalls: TextCallReader;
  #thinkTags = new ThinkTags();
  #text = "";
  #reasoning = "";
  #repeated = new RepeatedText();
  /** Whether reasoning came in a field of its own. */
  #inField = false;
  #reasoningField: ReasoningField | undefined;
  #details: ReasoningDetails | undefined;
  #calls: AssembledCall[] = [];
  /** Total length of the signatures that must be sent back with the calls. */
  #extraChars = 0;
  #usage: ProviderUsage | undefined;
  #finish: string | undefined;
  #events: ModelEvent[] = [];
  #read: ReadChunk;
  /** Whether reasoning has just ended: the answer begins after the space that follows it. */
  #followsThought = false;

  /** Whether the finish reason says that the provider aborted the answer. */
  brokeOff = false;

  /** Whether nothing more can follow. */
  over = false;

  /** The first error that a chunk carried. */
  error: ChunkFields["error"];

  constructor(knownNames: ReadonlySet<string>, textCalls: TextCallReader, read: ReadChunk) {
    this.#read = read;
    this.#knownNames = knownNames;
    this.#assembly = new CallAssembly(knownNames);
    this.#textCalls = textCalls;
  }

  /** Whether the provider has said why it stopped: after that, only usage can follow. */
  get finished(): boolean {
    return this.#finish !== undefined;
  }

  get empty(): boolean {
    return this.#text === "" && this.#reasoning === "" && this.#calls.length === 0 && this.#assembly.empty;
  }

  /** The events of chunks that arrived together; their text becomes one event. */
  push(chunks: readonly JsonRecord[]): ModelEvent[] {
    for (const chunk of chunks) this.#chunk(this.#read(chunk));
    return this.#take();
  }

  /** The last events, including `end`. */
  finish(): ModelEvent[] {
    this.#say("reasoning", this.#repeated.finish());
    const cutByLength = finishes.get(this.#finish ?? "") === "length";
    if (!this.#thinkTags.over) this.#content(this.#thinkTags.finish());
    this.#append(this.#textCalls.finish(cutByLength), cutByLength);
    for (const call of this.#assembly.finish()) this.#call(call, cutByLength);
    if (this.#calls.length === 0 && this.#text.trim() === "") this.#callsInReasoning(cutByLength);
    const usage = this.#usage;
    if (usage !== undefined) this.#events.push({ type: "usage", ...usage });
    this.#events.push({
      type: "end",
      finish: this.#finishOf(),
      text: this.#text,
      reasoning: this.#reasoning,
      calls: this.#calls,
      ...this.#howItCame(),
    });
    return this.#take();
  }

  #chunk(fields: ChunkFields): void {
    this.error ??= fields.error;
    this.over ||= fields.over ?? false;
    if (fields.usage !== undefined) this.#usage = fields.usage;
    const called = this.#calls.length > 0 || !this.#assembly.empty;
    // A whole message after deltas repeats them, but its calls may be new.
    if (!fields.whole || this.empty) {
      this.#inField ||= fields.reasoning !== "";
      if (fields.reasoning !== "") this.#say("reasoning", this.#repeated.push(fields.reasoning));
      if (fields.reasoningField !== undefined) this.#cameIn(fields.reasoningField, fields.reasoning);
      if (fields.details !== undefined) {
        this.#details ??= new ReasoningDetails();
        this.#details.add(fields.details);
      }
      if (fields.text !== "" || fields.fragments.length > 0) this.#say("reasoning", this.#repeated.finish());
      if (fields.text !== "") {
        if (this.#thinkTags.over) this.#append(this.#textCalls.push(fields.text));
        else this.#content(this.#thinkTags.push(fields.text));
      }
    }
    if (!fields.whole || !called) {
      for (const fragment of fields.fragments) {
        for (const call of this.#assembly.add(fragment)) this.#call(call, false);
      }
    }
    // A whole message is complete even without a finish reason.
    if (fields.finish === undefined && !fields.whole) return;
    const finish = fields.finish?.toLowerCase().replaceAll("-", "_") ?? "stop";
    this.#finish ??= finish;
    this.brokeOff ||= brokenOff.test(finish);
  }

  /** Reasoning that was present but empty is sent back empty, because Moonshot's models reject a history without it. */
  #howItCame(): { thought?: HowItCame } {
    const details = this.#details?.all;
    const field = this.#reasoningField;
    if (details === undefined && field === undefined) return {};
    return { thought: { ...(field ? { field } : {}), ...(details ? { details } : {}) } };
  }

  /** If an answer consists only of reasoning, a call at its end is treated as a real call. */
  #callsInReasoning(cutByLength: boolean): void {
    if (!/[<[`{]/.test(this.#reasoning)) return;
    const reader = this.#textCalls.withoutFences();
    const begun = reader.push(this.#reasoning);
    const found = reader.finish(cutByLength);
    const calls = [...begun.calls, ...found.calls];
    if (!reader.endsInCall) return;
    this.#events.push({ type: "diagnostic", kind: "dialect", repaired: true });
    for (const call of calls) this.#call(call, cutByLength);
  }

  #cameIn(field: ReasoningField, said: string): void {
    if (said !== "" || this.#reasoningField === undefined) this.#reasoningField = field;
  }

  #content({ reasoning, text }: { reasoning: string; text: string }): void {
    // Some servers send the reasoning twice, also in a field of its own: vellum-ai/vellum-assistant#34556 (2026-06).
    if (reasoning !== "" && !this.#inField) this.#say("reasoning", reasoning);
    if (text !== "") this.#append(this.#textCalls.push(text));
  }

  #append(found: TextAndCalls, cutByLength = false): void {
    const reasoned =
      found.callsAbove !== undefined && this.#reasoning === "" && this.#reasonedAbove(found.text);
    if (!reasoned && found.text !== "") this.#say("text", found.text);
    for (const { kind, repaired } of found.diagnostics)
      this.#events.push({ type: "diagnostic", kind, repaired });
    for (const call of reasoned ? found.calls.slice(found.callsAbove) : found.calls)
      this.#call(call, cutByLength);
  }

  /** If streamed text turns out to be reasoning, retracts it with its calls and sends it as reasoning. */
  #reasonedAbove(more: string): boolean {
    const told = splitAtClosing(this.#text + more);
    if (told === undefined) return false;
    this.#text = "";
    this.#calls = [];
    this.#followsThought = true;
    this.#events.push({ type: "retry" });
    if (told.reasoning !== "") this.#say("reasoning", told.reasoning);
    if (told.text !== "") this.#say("text", told.text);
    return true;
  }

  #say(type: "text" | "reasoning", said: string): void {
    const delta = this.#followsThought && this.#text === "" && type === "text" ? said.trimStart() : said;
    if (delta === "") return;
    if (type === "text") this.#text += delta;
    else this.#reasoning += delta;
    const last = this.#events.at(-1);
    if (last?.type === type) last.delta += delta;
    else this.#events.push({ type, delta });
  }

  #call({ extra, ...assembled }: AssembledCall, cutByLength: boolean): void {
    this.#extraChars += extra ? JSON.stringify(extra).length : 0;
    const kept = extra && this.#extraChars <= maxGoBackChars ? { extra } : {};
    const { call, diagnostics } = repairCall({ ...assembled, ...kept }, this.#knownNames, cutByLength);
    for (const diagnostic of diagnostics) this.#events.push({ type: "diagnostic", ...diagnostic });
    this.#events.push({ type: "call", index: this.#calls.length, call });
    this.#calls.push(call);
  }

  #finishOf(): Finish {
    const finish = finishes.get(this.#finish ?? "") ?? "stop";
    if (finish === "stop" && this.#calls.length > 0) return "tool_calls";
    return finish === "tool_calls" && this.#calls.length === 0 ? "stop" : finish;
  }

  #take(): ModelEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }
}
