// "Start fresh": a plan is approved with a clean context. Plan, answers, what the person said and the project's instructions
// stay; what was read for the plan is left behind. The marker of a long history does it, at the beginning of this turn.
import type { EventMessage, Message } from "../../shared/message.ts";
import { isAnswered, isFinish } from "../../shared/session/history.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import { openCalls } from "../calls/open-calls.ts";
import { type CutHistory, cutToMarker, summarize } from "../compaction/marker.ts";
import { calibrationIn } from "../context/calibration.ts";
import { estimateText } from "../context/estimate.ts";
import type { ModelSettings } from "../model/provider.ts";

export interface Fresh extends CutHistory {
  /** Recorded at the beginning of the turn; `messages` are what it leaves. */
  marker: EventMessage;
}

/** System prompt and tools: what every request has beside its history, about. */
const baseTokens = 1_100;
const maxSaidChars = 800;
const maxSaid = 20;

/** `model`: its name and settings. Undefined where calls wait for their results: those are settled first. */
export function startFresh(
  whole: CutHistory,
  { turnId, plan, mode }: TurnRequest,
  { name, price }: { name: string; price?: ModelSettings["price"] },
  at: number,
): Fresh | undefined {
  if (openCalls(whole.messages)) return undefined;
  const kept = summarize(whole, plan, { id: `${turnId}.fresh`, at, mode });
  const { event } = kept.extra;
  const content = freshText(whole.messages, Number(event.data.messages));
  const bare: EventMessage = { ...kept, content, extra: { event: { ...event, source: "start_fresh" } } };
  const cut = cutToMarker([...whole.messages, bare]);
  const { scale } = calibrationIn(whole.messages, name, whole.carried.calibration);
  const texts = cut.messages.flatMap((message) => (message.role === "plan" ? [] : [message.content]));
  const left = estimateText([...texts, plan?.markdown ?? ""].join("\n")) + baseTokens;
  const figures = { before: contextIn(whole), after: Math.round(left * scale) };
  // Most of a request comes from the provider's cache.
  const perToken = price && (price.cached ?? price.input) / 1e6;
  const data = { ...event.data, ...figures, ...(perToken === undefined ? {} : { perToken }) };
  const marker = { ...bare, extra: { event: { ...bare.extra.event, data } } };
  return { messages: cut.messages.filter(({ id }) => id !== marker.id), carried: cut.carried, marker };
}

/** Tokens of the newest request, with what its calls brought. */
function contextIn({ messages, carried }: CutHistory): number {
  const sizes = messages.map((message) => {
    if (message.role === "tool") return message.meta?.contextTokens;
    return message.role === "assistant" ? message.contextTokens : undefined;
  });
  return sizes.findLast((size) => size !== undefined) ?? carried.contextTokens;
}

function freshText(messages: readonly Message[], count: number): string {
  const since = messages.slice(messages.findLastIndex(isFinish) + 1);
  const first = messages.find(({ role }) => role === "user");
  const said = since
    .filter((message) => message.role === "user" && message !== first)
    .slice(-maxSaid)
    .map(
      ({ content }) => `- ${content.length > maxSaidChars ? `${content.slice(0, maxSaidChars)}…` : content}`,
    );
  const answers = since.filter(isAnswered).map(({ content }) => content);
  return [
    `The person lets you start fresh: ${count} messages before this, with all that was read for the plan, are left out. Plan, answers and what they said stay. Read what you need before you change it.`,
    ...(said.length === 0 ? [] : ["The person also said, while it was planned:", ...said]),
    ...(answers.length === 0 ? [] : ["Their answers:", ...answers]),
  ].join("\n");
}
