// What a file says of a session, without what would act: a file may come from anybody. Pure.
import * as z from "zod/mini";
import type { EventMessage, Message } from "../../shared/message.ts";
import { Mode } from "../../shared/mode.ts";
import { planContent } from "../../shared/plan/plan-body.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { Question } from "../../shared/plan/question.ts";
import { checkQuestions } from "../../shared/plan/questions.ts";
import { markdownPlan } from "../../shared/plan/set-plan.ts";
import { isEventOf, isMarker } from "../../shared/session/history.ts";
import type { Entry, SessionHead } from "../../shared/session/session-state.ts";

/** Where a session came from: decides how its decisions are told. */
type Elsewhere = "device" | "session";

/** Notices that say how turns run: instructions, what a model takes, its own summaries, what was approved. */
const steering = new Set([
  "project_instructions",
  "context_scan",
  "model",
  "model_summary",
  "approval",
  // Told by the cards of the steps: their words are not shown.
  "plan_step",
  "plan_open",
]);

/**
 * The entries of a file as history to be read. Left out: system messages, notices that steer turns, plans that no card
 * shows. Kept without effect: decisions, counts of the model, the wish to run a plan, hosts to be allowed, what a marker
 * carries. Of events whose words the transcript does not show, the model gets none either.
 */
export function disarmed(entries: readonly Entry[]): Entry[] {
  const proposed = new Set(
    entries.flatMap((entry) => (entry.event === "proposal" ? [entry.data.planVersion] : [])),
  );
  const shown = new Set<number>();
  const results = new Map(
    entries.flatMap((entry) =>
      entry.event === "message" && entry.data.message.role === "tool"
        ? [[entry.data.message.toolCallId, entry] as const]
        : [],
    ),
  );
  return entries.flatMap((entry): Entry[] => {
    if (entry.event !== "message") return [entry];
    const { message: said } = entry.data;
    if (said.role === "plan") {
      const { version } = said.extra.plan;
      // The card of a proposal shows the first plan of its version, and every card the steps and not the text.
      if ((proposed.has(version) && shown.has(version)) || !saysWhatItDoes(said.extra.plan)) return [];
      shown.add(version);
    }
    // A call's card shows the last of its results.
    if (said.role === "tool" && results.get(said.toolCallId) !== entry) return [];
    const message = withoutPower(said);
    return message === undefined ? [] : [{ ...entry, data: { message } }];
  });
}

function withoutPower(message: Message): Message | undefined {
  switch (message.role) {
    case "system":
      return undefined;
    case "assistant": {
      const { calibration: _, usage, ...rest } = message;
      const counts = usage && [usage.inputTokens, usage.outputTokens, usage.cachedTokens, usage.cost ?? 0];
      // A negative cost would pay for what comes.
      return usage && counts?.every((count) => count >= 0) ? { ...rest, usage } : rest;
    }
    case "tool": {
      // A refused host would be shown with a button that allows it.
      const { run: _, refusedHosts: __, ...facts } = message.meta?.facts ?? {};
      return message.meta?.facts === undefined ? message : { ...message, meta: { ...message.meta, facts } };
    }
    case "event":
      if (steering.has(message.extra.event.source)) return undefined;
      if (isMarker(message)) return plainMarker(message);
      return withoutHiddenWords(message);
    case "user":
    case "plan":
      return message;
  }
}

/** Such events are shown by what their data say; their text, which the model reads, is made of that here. */
function withoutHiddenWords(message: EventMessage): EventMessage {
  const { event } = message.extra;
  // With it, a line of the app's own is shown in place of the text.
  const { hold: _, ...data } = event.data;
  const { from, to, command, passed } = data;
  const become = (content: string, data: Record<string, unknown>): EventMessage => ({
    ...message,
    content,
    extra: { event: { ...event, data } },
  });
  switch (event.subkind) {
    case "mode_switch": {
      const [was, is] = [from, to].map((mode) => z.safeParse(Mode, mode).data ?? "normal");
      return become(`[Mode switched from ${was} to ${is}.]`, { from: was, to: is });
    }
    case "tool_decision":
      return decisionElsewhere({ ...message, content: "The person decided about a command." }, "device");
    case "cancellation_note":
      return become("The person stopped the turn.", data);
    case "verifier_report":
      return data.kind === "checkpoint"
        ? become(`Checked by \`${String(command)}\`: ${passed === true ? "passed" : "failed"}`, data)
        : become(message.content, data);
    default:
      return become(message.content, data);
  }
}

/** The marker's words without what it would put in force. */
function plainMarker(marker: EventMessage): EventMessage {
  const { calibration: _, run: __, hold: ___, ...data } = marker.extra.event.data;
  const plain = { ...data, kept: [], proposal: null };
  return { ...marker, extra: { event: { ...marker.extra.event, data: plain } } };
}

/** Decisions of the entries as what they are in another session: told, and no more. */
export function decidedElsewhere(entries: readonly Entry[], where: Elsewhere): Entry[] {
  return entries.map((entry) => {
    if (entry.event !== "message" || !isEventOf(entry.data.message, "tool_decision")) return entry;
    return { ...entry, data: { message: decisionElsewhere(entry.data.message, where) } };
  });
}

/** Nothing counts it: the journal of the sandbox in which it was made does, and that is not here. */
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
 * What waited or was in force in the file, for a session that goes on in the very workspace it had. That workspace's
 * journal has the last word on each; here only what shows something else than it would do is dropped.
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

/** A plan is shown by its steps and sent by its text: both have to say the same. */
function saysWhatItDoes(plan: Plan): boolean {
  const read = markdownPlan(
    plan.markdown,
    plan.steps.map(({ id }) => id),
  );
  if (!read.ok) return false;
  const steps = read.body.steps.map((step) => ({ ...step, status: "pending" as const }));
  return planContent({ ...plan, ...read.body, steps }) === planContent(plan);
}

function asksSo(json: string, shown: readonly Question[]): boolean {
  try {
    const asked = checkQuestions(JSON.parse(json), { summaryRequired: false });
    return asked.ok && sameQuestions(asked.questions) === sameQuestions(shown);
  } catch {
    return false;
  }
}

function sameQuestions(questions: readonly Question[]): string {
  return JSON.stringify(questions.map((question) => z.parse(Question, question)));
}
