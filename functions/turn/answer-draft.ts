// One answer of the model while it streams in: text, reasoning, calls, and what it costs.
import type {
  AssistantMessage,
  Calibration,
  Message,
  Thought,
  ToolCall,
  Usage,
} from "../../shared/message.ts";
import { isMarker } from "../../shared/session/history.ts";
import { droppedFront, observed } from "../context/calibration.ts";
import { estimateText } from "../context/estimate.ts";
import * as limits from "../limits.ts";
import type { AssembledCall } from "../model/call-assembly.ts";
import type { DeltaEvent, HowItCame } from "../model/model-event.ts";
import type { ModelSettings } from "../model/provider.ts";
import { modelName } from "./env.ts";
import type { PromptAttempt } from "./prompt-attempt.ts";
import type { Turn } from "./turn.ts";

/** Tokens as the provider counted them. */
type Counted = Pick<Usage, "inputTokens" | "outputTokens" | "cachedTokens" | "writtenTokens">;

export class AnswerDraft {
  readonly #turn: Turn;
  readonly #attempt: PromptAttempt;
  readonly #calls: ToolCall[] = [];
  /** Signatures and similar data that must be sent back with the calls, by call id. */
  #extras: NonNullable<Thought["calls"]> = {};
  #howItCame: HowItCame | undefined;
  #id = "";
  #content = "";
  #reasoning = "";
  #idsInUse: Set<string> | undefined;
  /** The provider's report; absent if it gave none. */
  counted: Counted | undefined;

  /** How much of a prompt the provider keeps, if it drops the beginning of longer ones. */
  get dropped(): Pick<Calibration, "window" | "scale"> | undefined {
    const { estimatedTokens, trimmed } = this.#attempt;
    const { env, state } = this.#turn;
    if (this.counted === undefined) return undefined;
    const now = { estimatedTokens, trimmed, inputTokens: this.counted.inputTokens };
    return droppedFront(state.history, env.request.turnId, now);
  }

  constructor(turn: Turn, attempt: PromptAttempt) {
    this.#turn = turn;
    this.#attempt = attempt;
    this.restart();
  }

  /** Starts over: a new sampling has a new message id. */
  restart(): void {
    const { env, state } = this.#turn;
    // TURN.ROUND.RANDOM: the keys of the message's calls are made of it.
    this.#id = `${env.request.turnId}.${state.round}.${env.deps.newId().slice(0, 8)}`;
    this.#content = "";
    this.#reasoning = "";
    this.#calls.length = 0;
    this.#extras = {};
    this.#howItCame = undefined;
    this.#idsInUse = idsIn(state.history);
  }

  /** Adds a piece of text and shows it to whoever watches. */
  say({ type, delta }: DeltaEvent): void {
    if (type === "text") this.#content += delta;
    else this.#reasoning += delta;
    this.#turn.env.say({ event: `${type}.delta`, data: { messageId: this.#id, delta } });
  }

  /** Adds a call; returns it with an id that is unique in the history. */
  add({ extra, ...made }: AssembledCall): ToolCall {
    const call = { ...made, id: this.#uniqueId(made.id) };
    this.#calls.push(call);
    if (extra) this.#extras[call.id] = extra;
    return call;
  }

  /** The provider's id, or TURN.ROUND.ORDINAL if it is missing or may be in use already. */
  #uniqueId(id: string): string {
    const { env, state } = this.#turn;
    const used = this.#idsInUse;
    const free = used !== undefined && id !== "" && id.length <= 200 && !used.has(id);
    const unique = free ? id : `${env.request.turnId}.${state.round}.${this.#calls.length}`;
    used?.add(unique);
    return unique;
  }

  get isFull(): boolean {
    const argumentChars = this.#calls.reduce((sum, call) => sum + call.arguments.length, 0);
    return this.#content.length + this.#reasoning.length + argumentChars > limits.maxAnswerChars;
  }

  /** The finished message, with the text of the model's last event. */
  complete(said: {
    text: string;
    reasoning: string;
    finish: AssistantMessage["finish"];
    thought?: HowItCame;
  }): AssistantMessage {
    this.#content = said.text;
    this.#reasoning = said.reasoning;
    this.#howItCame = said.thought;
    return this.message(this.#calls.length > 0 ? "tool_calls" : said.finish);
  }

  /** The message as far as it has arrived. Calls of an aborted answer are left out: they never ran. */
  message(finish: AssistantMessage["finish"]): AssistantMessage {
    const { env, state } = this.#turn;
    const toolCalls = finish === "aborted" ? [] : this.#calls;
    const written = this.#content + this.#reasoning + toolCalls.map((call) => call.arguments).join("");
    return {
      id: this.#id,
      role: "assistant",
      content: this.#content,
      createdAt: env.deps.now(),
      mode: state.mode,
      ...(toolCalls.length > 0 ? { toolCalls } : {}),
      ...(this.#reasoning === "" ? {} : { reasoning: this.#reasoning }),
      ...(finish === "aborted" ? {} : this.#thought()),
      finish,
      ...accountOf(this.#attempt, this.counted, written, env.model.price, this.dropped),
    };
  }

  /** Only for a complete answer: a partial one has no signature. */
  #thought(): { thought?: Thought } {
    const calls = Object.keys(this.#extras).length > 0 ? { calls: this.#extras } : {};
    if (this.#howItCame === undefined && calls.calls === undefined) return {};
    return { thought: { model: modelName(this.#turn.env), ...this.#howItCame, ...calls } };
  }
}

/** Undefined after a marker: it replaces messages whose call ids are not known here. */
function idsIn(history: readonly Message[]): Set<string> | undefined {
  if (history.some(isMarker)) return undefined;
  const ids = new Set<string>();
  for (const message of history) {
    if (message.role === "assistant") for (const call of message.toolCalls ?? []) ids.add(call.id);
  }
  return ids;
}

type Account = Pick<AssistantMessage, "contextTokens" | "trimmed" | "usage" | "calibration">;

/** Sizes and price of the answer, and the calibration that its token count gives for the next prompt. */
export function accountOf(
  { estimatedTokens, trimmed, known, refused }: PromptAttempt,
  counted: Counted | undefined,
  written: string,
  price: ModelSettings["price"],
  dropped?: Pick<Calibration, "window" | "scale">,
): Account {
  // A second attempt keeps the calibration that it was made with, so that later requests leave out the same messages.
  // If the provider dropped part of the prompt, its count does not show how it counts tokens.
  const calibration =
    dropped !== undefined
      ? { ...known, ...dropped }
      : counted && !refused
        ? observed(known, estimatedTokens, counted.inputTokens)
        : known;
  const contextTokens = Math.round(estimatedTokens * calibration.scale);
  const learned =
    calibration.scale !== 1 || calibration.window !== undefined || calibration.room !== undefined;
  const used: Usage | undefined =
    counted ??
    (price && {
      inputTokens: contextTokens,
      outputTokens: Math.round(estimateText(written) * calibration.scale),
      cachedTokens: 0,
      estimated: true,
    });
  return {
    contextTokens,
    ...(trimmed > 0 ? { trimmed } : {}),
    ...(used ? { usage: price ? { ...used, cost: costOf(used, price) } : used } : {}),
    ...(learned || known.scale !== 1 ? { calibration } : {}),
  };
}

/**
 * Anthropic charges 25 % more for input that it writes to its five-minute cache.
 * https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching#pricing (read 2026-11)
 */
const writingShare = 0.25;

/** US dollars, to a millionth. */
export function costOf(
  used: Counted,
  { input, output, cached = input }: NonNullable<ModelSettings["price"]>,
): number {
  const { inputTokens, cachedTokens, writtenTokens = 0 } = used;
  const fresh = Math.max(0, inputTokens - cachedTokens) + writtenTokens * writingShare;
  // Prices are per million tokens, so this is in millionths of a dollar.
  return Math.round(fresh * input + cachedTokens * cached + used.outputTokens * output) / 1e6;
}
