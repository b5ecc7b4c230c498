// Long histories (PROTOCOL 3.1): the marker that replaces messages that are no longer posted, and what it carries of them.
// Pure. A history after a marker reads the same whether it was posted whole or as its tail.
import * as z from "zod/mini";
import type { EventMessage, Message } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { historyForTurn, isAnswered, isEventOf, isFinish, isMarker } from "../../shared/session/history.ts";
import { byteLength } from "../calls/result-text.ts";
import { calibrationOf } from "../context/calibration.ts";
import { Carried, nothingCarried } from "../context/carried.ts";
import { carriedPlanLine, withoutCarriedPlan } from "../context/mode-switch.ts";
import { originOf } from "../context/plan-view.ts";
import * as limits from "../limits.ts";
import { readFallback } from "../model/fallback.ts";
import { withChangedFiles } from "../plan/history-facts.ts";
import { digest } from "./digest.ts";
import { lastSummary } from "./model-summary.ts";

/** A history as the engine works with it: `messages` from the last marker on, with what comes before in its stead. */
export interface CutHistory {
  messages: Message[];
  carried: Carried;
}

/** The same for a history posted whole and for its tail. One without a marker of ours stays as it is. */
export function cutToMarker(posted: readonly Message[]): CutHistory {
  const carried = z.safeParse(Carried, posted.findLast(isMarker)?.extra.event.data);
  if (!carried.success) return { messages: [...posted], carried: nothingCarried };
  const messages = historyForTurn(posted);
  const there = new Set(messages.map(({ id }) => id));
  const kept = carried.data.kept.filter(({ id }) => !there.has(id));
  messages.splice(messages.findLastIndex(isMarker), 0, ...kept);
  return { messages, carried: carried.data };
}

/** The most bytes of UTF-8 for one unit of UTF-16. */
const maxBytesPerChar = 3;

/** Whether a marker is due: the history, or what follows the last marker, has passed its limit. */
export function needsMarker(messages: readonly Message[]): boolean {
  const marker = messages.findLastIndex(isMarker);
  const maxBytes = marker < 0 ? limits.longHistoryBytes : limits.longTailBytes;
  const text = JSON.stringify(messages.slice(marker + 1));
  return text.length * maxBytesPerChar > maxBytes && byteLength(text) > maxBytes;
}

/** The marker for all of `history`. `plan`: the plan file that was posted with it. `at`: milliseconds. */
export function summarize(
  { messages, carried }: CutHistory,
  plan: Plan | null,
  from: { id: string; at: number; mode: Mode },
): EventMessage {
  const data = carry(messages, carried, plan);
  return {
    id: from.id,
    role: "event",
    content: summary(messages, data.messages),
    createdAt: from.at,
    mode: from.mode,
    extra: { event: { subkind: "summarization_marker", source: "long_history", data: { ...data } } },
  };
}

function carry(messages: readonly Message[], before: Carried, plan: Plan | null): Carried {
  const finish = messages.findLastIndex(isFinish);
  const since = messages.slice(finish + 1);
  const earlier = finish < 0 ? before : nothingCarried;
  const last = messages.findLast((message) => message.role === "assistant");
  const answers = since.filter(isAnswered);
  const calibration = messages.map(calibrationOf).findLast(Boolean) ?? before.calibration;
  const proposed = plan?.status === "proposed";
  return {
    messages: before.messages + messages.length - (messages.findLastIndex(isMarker) + 1),
    mode: last?.mode ?? before.mode,
    contextTokens: last?.contextTokens ?? before.contextTokens,
    ...(calibration ? { calibration } : {}),
    asked: earlier.asked + answers.length,
    files: withChangedFiles(since, earlier.files),
    ledger: answers.at(-1)?.content ?? before.ledger,
    proposal: proposed ? { planVersion: plan.version, planHash: plan.hash } : null,
    kept: [
      ...messages.filter(isInstruction),
      ...messages.filter(isFallback),
      ...messages.filter(isGrant),
      ...(isActivePlan(plan)
        ? since.filter((message) => isEventOf(message, "verifier_report")).slice(-maxReports)
        : []),
      ...lastSwitch(messages),
    ],
  };
}

/** More checks than that of one plan in force say nothing that the newest do not. */
const maxReports = 100;

const projectSources: ReadonlySet<string> = new Set(["project_instructions", "project_commands"]);

function isInstruction(message: Message): message is EventMessage {
  return message.role === "event" && projectSources.has(message.extra.event.source);
}

function isFallback(message: Message): message is EventMessage {
  return readFallback(message) !== undefined;
}

function isGrant(message: Message): message is EventMessage {
  return isEventOf(message, "tool_decision") && message.extra.event.data.decision === "session";
}

/** Without the plan that it showed: the plan's own message shows that now. That it was approved is kept. */
function lastSwitch(messages: readonly Message[]): EventMessage[] {
  const switches = messages.filter((message) => isEventOf(message, "mode_switch"));
  const last = switches.at(-1);
  if (!last) return [];
  const { planVersion, ...data } = last.extra.event.data;
  const approved = switches.some((message) => message.extra.event.data.approved === true);
  return [
    {
      ...last,
      content: withoutCarriedPlan(last.content, carriedPlanLine(Number(planVersion))),
      extra: { event: { ...last.extra.event, data: { ...data, approved } } },
    },
  ];
}

const summaryChars = 6_000;
/** The last words of both sides: the conversation goes on from them. */
const lastTexts = 6;
const maxTextChars = 800;
/** What comes from an earlier marker, which this one replaces, and from the model's last summary. */
const maxEarlierChars = 3_000;

function summary(messages: readonly Message[], count: number): string {
  const [, ...lists] = digest(messages, summaryChars).content.split("\n");
  // A text that became the plan is in the plan's own message.
  const plans = new Set(messages.flatMap((message) => (message.role === "plan" ? [originOf(message)] : [])));
  const said = messages
    .flatMap((message) =>
      (message.role === "user" || message.role === "assistant") &&
      message.content.trim() !== "" &&
      !plans.has(message.id)
        ? [`${message.role === "user" ? "Person" : "You"}: ${head(message.content.trim(), maxTextChars)}`]
        : [],
    )
    .slice(-lastTexts);
  const earlier = messages.findLast(isMarker)?.content;
  const told = lastSummary(messages)?.content;
  return [
    `${count} messages before this are summarised here. Read files again before you rely on them.`,
    ...(earlier === undefined ? [] : [`Earlier:\n${head(earlier, maxEarlierChars)}`]),
    ...(told ? [`In your own words:\n${head(told, maxEarlierChars)}`] : []),
    ...lists,
    ...(said.length === 0 ? [] : ["Said last:", ...said]),
  ].join("\n");
}

function head(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
}
