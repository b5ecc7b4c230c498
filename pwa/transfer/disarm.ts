// Keeps the text of an imported session and removes everything that would act, because anybody may have made the file.
// Pure.
import * as z from "zod/mini";
import type { EventMessage, Message, UserMessage } from "../../shared/message.ts";
import { Mode } from "../../shared/mode.ts";
import { planContent } from "../../shared/plan/plan-body.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { markdownPlan } from "../../shared/plan/set-plan.ts";
import { isEventOf, isMarker, planClosed } from "../../shared/session/history.ts";
import type { Entry, SessionHead } from "../../shared/session/session-state.ts";
import { shownMarkdown } from "../markdown/shown-markdown.ts";
import { finishFacts } from "../transcript/finish-facts.ts";
import { asksSo } from "./asks-so.ts";
import { withShownCalls } from "./shown-calls.ts";

/** The origin of a session, which decides how its decisions are shown. */
type Elsewhere = "device" | "session";

/**
 * Notices that change how turns run: instructions, features that a model refuses, the engine's own summaries,
 * approvals.
 */
const steering = new Set([
  "project_instructions",
  "context_scan",
  "model",
  "model_summary",
  "approval",
  // The cards of the steps show these facts, but not this text.
  "plan_step",
  "plan_open",
]);

/**
 * Turns the entries of a file into a history that can only be read. It removes system messages, notices that steer
 * turns, plans that no card shows, the provider's reasoning data, token calibration, the wish to run a plan, and hosts
 * to allow. Decisions and markers keep their words and lose their effect. Parts of calls, results and events that the
 * transcript does not show are hidden from the model as well.
 */
export function disarmed(entries: readonly Entry[]): Entry[] {
  const proposed = new Set(
    entries.flatMap((entry) => (entry.event === "proposal" ? [entry.data.planVersion] : [])),
  );
  const shown = new Set<number>();
  return withShownCalls(entries).flatMap((entry): Entry[] => {
    if (entry.event !== "message") return [entry];
    const { message: said } = entry.data;
    if (said.role === "plan") {
      const { version } = said.extra.plan;
      // The card of a proposal shows the first plan of its version, and every card shows the steps and not the text.
      if ((proposed.has(version) && shown.has(version)) || !saysWhatItDoes(said.extra.plan)) return [];
      shown.add(version);
    }
    const message = withoutPower(said);
    return message === undefined ? [] : [{ ...entry, data: { message } }];
  });
}

function withoutPower(message: Message): Message | undefined {
  switch (message.role) {
    case "system":
      return undefined;
    case "assistant": {
      const { calibration: _, thought: __, usage, ...rest } = message;
      const counts = usage && [usage.inputTokens, usage.outputTokens, usage.cachedTokens, usage.cost ?? 0];
      // A negative cost would be subtracted from what the person spends later.
      return usage && counts?.every((count) => count >= 0) ? { ...rest, usage } : rest;
    }
    case "tool": {
      // A refused host would be shown with a button that allows it.
      const { run: _, refusedHosts: __, needsNetwork: ___, ...facts } = message.meta?.facts ?? {};
      return message.meta?.facts === undefined ? message : { ...message, meta: { ...message.meta, facts } };
    }
    case "event":
      if (steering.has(message.extra.event.source)) return undefined;
      if (isMarker(message)) return plainMarker(message);
      return withoutHiddenWords(message);
    case "plan":
      // The plan has a card of its own; under its old id it would be taken for part of the call that made it.
      return { ...message, id: message.id.replace(/^plan:/, "imported:") };
    case "user":
      return withoutNames(message);
  }
}

/** Replaces the names of pictures: nobody sees them, but the model would read them if a picture were left out. */
function withoutNames({ attachments, ...message }: UserMessage): UserMessage {
  if (attachments === undefined) return message;
  return {
    ...message,
    attachments: attachments.map((each) => (each.kind === "image" ? { ...each, name: "picture" } : each)),
  };
}

/** Rows show these subkinds. The text of any other would be read only by the model. */
const namedEvents = new Set([
  ...["plan_delta", "tick", "cron_fire", "ide_callback", "process_completed"],
  ...["tool_decision", "verifier_report", "cancellation_note", "mode_switch"],
]);

/**
 * The screen shows the data of such events, so the text for the model is rebuilt from the data. The event is detached
 * from its call, because the call's result was shortened and no longer shows it.
 */
function withoutHiddenWords(message: EventMessage): EventMessage {
  const { event } = message.extra;
  const subkind = namedEvents.has(event.subkind) ? event.subkind : "system_notice";
  // With this field, the screen would show a line of the app in place of the text.
  const { hold: _, ...data } = event.data;
  const { from, to } = data;
  const become = (content: string, { toolCallId: _, ...rest }: Record<string, unknown>): EventMessage => ({
    ...message,
    content,
    extra: { event: { subkind, source: event.source === planClosed ? planClosed : "imported", data: rest } },
  });
  switch (subkind) {
    case "mode_switch": {
      const [was, is] = [from, to].map((mode) => z.safeParse(Mode, mode).data ?? "normal");
      return become(`[Mode switched from ${was} to ${is}.]`, { from: was, to: is });
    }
    case "tool_decision":
      return decisionElsewhere(
        {
          ...message,
          content: "The person decided about a command.",
          extra: { event: { ...event, source: "imported" } },
        },
        "device",
      );
    case "cancellation_note":
      return become("The person stopped the turn.", data);
    case "verifier_report":
      if (data.kind === "finish") return become(shownFinish(message.content), data);
      // A step shows only whether its plan's check passed, so the model gets no more than that.
      return become(`A check ${endOfCheck(data)}.`, withoutWords(data));
    default:
      return become(message.content, data);
  }
}

function endOfCheck({ passed, timedOut, notRun }: Record<string, unknown>): string {
  if (passed === true) return "passed";
  if (notRun !== undefined) return "could not be run";
  return timedOut === true ? "ran out of time" : "failed";
}

/**
 * Leaves out how the check ended on the unchanged files, since an imported file is not trusted to say so, and what
 * network it lacked, since that would be shown with a button that allows it.
 */
function withoutWords({
  before: _,
  note: __,
  needsNetwork: ___,
  refusedHosts: ____,
  ...data
}: Record<string, unknown>): Record<string, unknown> {
  return data.notRun === undefined ? data : { ...data, notRun: "not told" };
}

/** Leaves out the lines that the card would not show: it shows the first, and the others only if it can parse them. */
function shownFinish(text: string): string {
  const [goal = "", ...rest] = text.split("\n");
  const below = rest.join("\n");
  const first = shownMarkdown(goal) === goal ? goal : "Finished: a plan";
  if (finishFacts(text).facts.length === 0 || shownMarkdown(below) !== below) return first;
  return [first, ...rest].join("\n");
}

/** The words of the marker, without the data that would take effect. */
function plainMarker(marker: EventMessage): EventMessage {
  const { calibration: _, run: __, hold: ___, ...data } = marker.extra.event.data;
  const plain = { ...data, kept: [], proposal: null };
  return { ...marker, extra: { event: { ...marker.extra.event, data: plain } } };
}

/** Turns the decisions in the entries into reports without effect, because they were made for another session. */
export function decidedElsewhere(entries: readonly Entry[], where: Elsewhere): Entry[] {
  return entries.map((entry) => {
    if (entry.event !== "message" || !isEventOf(entry.data.message, "tool_decision")) return entry;
    return { ...entry, data: { message: decisionElsewhere(entry.data.message, where) } };
  });
}

/**
 * The result grants nothing: a permission counts only in the journal of the sandbox for which it was given.
 */
function decisionElsewhere(message: EventMessage, where: Elsewhere): EventMessage {
  const { event } = message.extra;
  const place = where === "device" ? "On another device" : "In another session";
  return {
    ...message,
    content: `${place}: ${message.content} Here it allows nothing.`,
    extra: { event: { ...event, data: { ...event.data, elsewhere: where } } },
  };
}

/**
 * The waiting questions and the active plan of the file, for a session that continues in its original workspace, whose
 * journal decides whether they are valid. Removed here are only those that would do something other than what the
 * person sees.
 */
export function pendingOf(file: SessionHead | null, folded: SessionHead): Partial<SessionHead> {
  const plan = file?.plan && saysWhatItDoes(file.plan) ? file.plan : null;
  const proposed = plan?.status === "proposed" && folded.proposal?.planHash === plan.hash;
  const [call] = folded.openCalls;
  const { permission, asked } = folded;
  return {
    plan,
    proposal: proposed ? folded.proposal : null,
    permission:
      permission && call?.id === permission.toolCallId && call.arguments === permission.arguments
        ? { ...permission, name: call.name }
        : null,
    asked: asked && call?.id === asked.toolCallId && asksSo(call.arguments, asked.questions) ? asked : null,
  };
}

/** The person sees a plan's steps and the model gets its text, so both have to say the same. */
function saysWhatItDoes(plan: Plan): boolean {
  const read = markdownPlan(
    plan.markdown,
    plan.steps.map(({ id }) => id),
  );
  if (!read.ok) return false;
  const steps = read.body.steps.map((step) => ({ ...step, status: "pending" as const }));
  return planContent({ ...plan, ...read.body, steps }) === planContent(plan);
}
