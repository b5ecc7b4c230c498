// Makes the marker of a long history (PROTOCOL 3.1), and what it carries of the messages that it replaces. Pure.
import type { EventMessage, Message } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { isAnswered, isEventOf, isFinish, isMarker } from "../../shared/session/history.ts";
import { calibrationOf } from "../context/calibration.ts";
import { type Carried, nothingCarried } from "../context/carried.ts";
import { carriedPlanLine, withoutCarriedPlan } from "../context/mode-switch.ts";
import { originOf } from "../context/plan-view.ts";
import { readFallback } from "../model/fallback.ts";
import { withChangedFiles } from "../plan/history-facts.ts";
import { digest } from "./digest.ts";
import type { CutHistory } from "./marker.ts";
import { lastSummary } from "./model-summary.ts";

/** The marker for all of `history`. `plan`: the plan file that was posted with it. `at`: milliseconds. */
export function makeMarker(
  { messages, carried }: CutHistory,
  plan: Plan | null,
  from: { id: string; at: number; mode: Mode },
): EventMessage {
  const data = carry(messages, carried, plan);
  return {
    id: from.id,
    role: "event",
    content: markerText(messages, data.messages),
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

/** Reports of the active plan's checks that are kept: older ones add nothing to these. */
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

/** The last switch of mode, without the plan that it showed, which now has a message of its own. Keeps that it was approved. */
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
/** How many of the last messages of both sides the marker quotes, so that the conversation can continue from them. */
const lastTexts = 6;
const maxTextChars = 800;
/** For the text of the earlier marker, which this one replaces, and for the model's last summary. */
const maxEarlierChars = 3_000;

function markerText(messages: readonly Message[], count: number): string {
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
