// "Start fresh": a plan is approved with a clean context. The plan, answers, the person's words and the project's
// instructions stay; everything read for the plan is dropped. It reuses the marker of long histories, at the beginning of
// this turn.
import * as z from "zod/mini";
import type { EventMessage, Message } from "../../shared/message.ts";
import { isAnswered, isFinish, isMarker } from "../../shared/session/history.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import { openCalls } from "../calls/open-calls.ts";
import { clip } from "../calls/result-text.ts";
import { makeMarker } from "../compaction/make-marker.ts";
import { type CutHistory, cutToMarker } from "../compaction/marker.ts";
import { calibrationOf } from "../context/calibration.ts";
import { estimateText } from "../context/estimate.ts";
import type { ModelSettings } from "../model/provider.ts";

export interface Fresh extends CutHistory {
  /** Recorded at the beginning of the turn; `messages` are what remains after it. */
  marker: EventMessage;
}

/** Estimated tokens that every request has beside its history: system prompt and tools. */
const baseTokens = 1_100;
/**
 * Long messages, such as a pasted log, are cut in the middle; within the total, the newest have priority. Cuts are
 * marked.
 */
const maxSaidBytes = 8_000;
const maxAllBytes = 40_000;
const freshSource = "start_fresh";

/**
 * The person's words and answers since the last finished plan, as a marker keeps them for the next one. `summed`: what
 * the marker of a long history said, which is nowhere else.
 */
const KeptWords = z.object({
  said: z.array(z.string()),
  answers: z.array(z.string()),
  summed: z.optional(z.string()),
});
type KeptWords = z.infer<typeof KeptWords>;

/** `name`, `price`: of the model that will continue. Undefined if calls wait for their results: those come first. */
export function startFresh(
  whole: CutHistory,
  { turnId, plan, mode }: TurnRequest,
  { name, price }: { name: string; price?: ModelSettings["price"] },
  at: number,
): Fresh | undefined {
  if (openCalls(whole.messages)) return undefined;
  const made = makeMarker(whole, plan, { id: `${turnId}.fresh`, at, mode });
  const { event } = made.extra;
  const kept = keptOf(whole.messages);
  const content = freshText(kept, Number(event.data.messages));
  const bare: EventMessage = {
    ...made,
    content,
    extra: { event: { ...event, source: freshSource, data: { ...event.data, ...kept } } },
  };
  const cut = cutToMarker([...whole.messages, bare]);
  const texts = cut.messages.flatMap((message) => (message.role === "plan" ? [] : [message.content]));
  const left = estimateText([...texts, plan?.markdown ?? ""].join("\n")) + baseTokens;
  const { before, scale } = countedBy(name, whole);
  const figures = { before, after: Math.round(left * scale) };
  // Most of a request comes from the provider's cache.
  const perToken = price && (price.cached ?? price.input) / 1e6;
  const data = { ...bare.extra.event.data, ...figures, ...(perToken === undefined ? {} : { perToken }) };
  const marker = { ...bare, extra: { event: { ...bare.extra.event, data } } };
  return { messages: cut.messages.filter(({ id }) => id !== marker.id), carried: cut.carried, marker };
}

/**
 * Tokens of the newest request with the results of its calls, as the model `name` counts them: that model continues,
 * though another one may have planned. `scale`: its tokens per estimated token; if it never answered,
 * those of the last model that did.
 */
function countedBy(name: string, { messages, carried }: CutHistory): { before: number; scale: number } {
  const sizes = messages.map((message) => {
    if (message.role === "tool") return message.meta?.contextTokens;
    return message.role === "assistant" ? message.contextTokens : undefined;
  });
  const counted = [carried.calibration, ...messages.map(calibrationOf)].filter(
    (known) => known !== undefined,
  );
  const last = counted.at(-1)?.scale ?? 1;
  const scale = counted.findLast(({ model }) => model === name)?.scale ?? last;
  const before = sizes.findLast((size) => size !== undefined) ?? carried.contextTokens;
  return { before: Math.round((before * scale) / last), scale };
}

/** What an earlier fresh start kept still counts, unless a plan was finished since. */
function keptOf(messages: readonly Message[]): KeptWords {
  const since = messages.slice(messages.findLastIndex(isFinish) + 1);
  const first = messages.find(({ role }) => role === "user");
  const marker = messages.findLast(isMarker);
  const known = z.safeParse(KeptWords, marker?.extra.event.data).data;
  const before = marker && since.includes(marker) ? known : undefined;
  const isFresh = marker?.extra.event.source === freshSource;
  const summed = isFresh ? known?.summed : marker && clip(marker.content, maxSaidBytes);
  const said = since
    .filter((message) => message.role === "user" && message !== first)
    .map((message) => clip(message.content + attachmentNotes(message), maxSaidBytes));
  const answers = since.filter(isAnswered).map(({ content }) => content);
  return {
    said: [...(before?.said ?? []), ...said],
    answers: [...(before?.answers ?? []), ...answers],
    ...(summed === undefined ? {} : { summed }),
  };
}

function attachmentNotes(message: Message): string {
  const files = message.role === "user" ? (message.attachments ?? []) : [];
  return files.map(({ name }) => `\n[with the file ${name}, which is left out]`).join("");
}

function freshText({ said, answers, summed }: KeptWords, count: number): string {
  let room = maxAllBytes;
  const shown = said.toReversed().filter(({ length }) => {
    room -= length;
    return room >= 0;
  });
  const gone = said.length - shown.length;
  return [
    `The person lets you start fresh: ${count} messages before this, with all that was read for the plan, are left out. Plan, answers and what they said stay. Read what you need before you change it.`,
    ...(summed === undefined ? [] : ["Before that:", summed]),
    ...(said.length === 0 ? [] : ["The person also said, while it was planned:"]),
    ...(gone > 0 ? [`- [${gone} of their earlier messages are left out]`] : []),
    ...shown.toReversed().map((text) => `- ${text}`),
    ...(answers.length === 0 ? [] : ["Their answers:", ...answers]),
  ].join("\n");
}
