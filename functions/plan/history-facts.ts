// What the history says about a plan: rounds of questions asked, versions, files changed; and whether "Answer and
// run", said to the plan that the person saw, holds for the plan as it is now (PROTOCOL 8). Pure.
import * as z from "zod/mini";
import { isRecord } from "../../shared/is-record.ts";
import type { EventMessage, Message, PlanMessage } from "../../shared/message.ts";
import { EditedFile } from "../../shared/plan/edited-file.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import { planCommandsOf } from "../../shared/plan/plan-commands.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { Decision, Question } from "../../shared/plan/question.ts";
import { checkQuestions } from "../../shared/plan/questions.ts";
import { findStep } from "../../shared/plan/steps.ts";
import { applyUpdate } from "../../shared/plan/update-plan.ts";
import {
  beginsPlan,
  isAnswered,
  isEventOf,
  isFinish,
  isMarker,
  isOfPlan,
} from "../../shared/session/history.ts";
import { isApproval } from "../calls/permission.ts";
import { parseArguments } from "../calls/prepared.ts";
import type { Carried } from "../context/carried.ts";
import { sha256Hex } from "../sha256.ts";
import { hidesCommand } from "./check-plan.ts";

/** Rounds of questions used so far: the plan's count, or without an active plan the answered calls since the last finish. */
export function roundsAsked(
  { plan, history }: { plan: Plan | null; history: readonly Message[] },
  carried: Carried,
): number {
  if (isActivePlan(plan)) return plan.round;
  const finished = history.findLastIndex(isFinish);
  const answered = history.slice(finished + 1).filter(isAnswered).length;
  return answered + (finished < 0 ? carried.asked : 0);
}

/** Source of the notice that updates were folded into a version that says the same. */
export const planFold = "plan_fold";

/**
 * The index of the last message that opened steps: a new version of the plan, or restored files. Earlier messages
 * about a step's id concern another attempt or another step. -1 = none.
 */
export function stepsOpenedAt(history: readonly Message[]): number {
  return history.findLastIndex((message, at) => {
    if (isVersion(message, history[at + 1])) return true;
    if (message.role !== "event") return false;
    const { source, data } = message.extra.event;
    return source === "rewind" || (source === "rollback" && data.restored === true);
  });
}

/**
 * Whether `message` is a version that was written, not one into which updates were folded. `next`: the message after
 * it.
 */
export function isVersion(message: Message, next: Message | undefined): message is PlanMessage {
  const isFold = next?.role === "event" && next.extra.event.source === planFold;
  return message.role === "plan" && !isFold;
}

/** Whether the person rejected exactly the version with this hash after it was last installed. */
export function wasRejected(history: readonly Message[], hash: string): boolean {
  const last = history.findLast((message) => message.role === "plan" || "rejects" in message);
  return last?.role === "user" && last.rejects === hash;
}

const Edited = z.object({ files: z.array(EditedFile) });

/** Files that results of `messages` say were changed, added to `before`, each path once. */
export function withChangedFiles(messages: readonly Message[], before: readonly EditedFile[]): EditedFile[] {
  const byPath = new Map(before.map((file) => [file.path, file]));
  for (const message of messages) {
    if (message.role !== "tool" || !message.ok) continue;
    const edited = z.safeParse(Edited, message.meta?.facts);
    for (const { path, added, removed } of edited.success ? edited.data.files : []) {
      const old = byPath.get(path) ?? { path, added: 0, removed: 0 };
      byPath.set(path, { path, added: old.added + added, removed: old.removed + removed });
    }
  }
  return [...byPath.values()];
}

/** Words of questions and answers that decide about the plan itself, not only about how a step is done. */
const ofThePlan = /\b(steps?|plan|checks?|checkpoints?|rollback|goal)\b/i;

/**
 * False if the plan hides a command or lost its patch, or if the person did not see what it would run: no step of the
 * plan that they answered to remains, it has a command that was neither in that plan nor in their choices or words, or
 * that plan was itself an unseen change of an approved one.
 */
export async function needsNoReview(history: readonly Message[], plan: Plan | null): Promise<boolean> {
  if (plan === null || hidesCommand(plan) || lostPatch(history, plan)) return false;
  const before = history.slice(0, history.findLastIndex(isAnswered));
  const seen = planAtEnd(before);
  const hash = history.findLast(isAnswered)?.meta?.facts?.planHash;
  // If the history does not tell what the person saw, nothing runs.
  if (!seen || (await sha256Hex(seen.markdown)) !== hash) return false;
  if (changesWhatWasApproved(before, seen)) return false;
  return runsWhatWasSeen(history, { seen, plan });
}

function runsWhatWasSeen(history: readonly Message[], { seen, plan }: { seen: Plan; plan: Plan }): boolean {
  const kept = plan.steps.some(({ id, description }) => findStep(seen, id)?.description === description);
  if (!kept && plan.markdown !== seen.markdown) return false;
  const commands = new Set(planCommandsOf(seen).map(({ command }) => command));
  const isChosen = chosenCommands(history, plan);
  return planCommandsOf(plan).every(({ command }) => commands.has(command) || isChosen(command));
}

/** Whether the newest answers should have changed the plan, but its text is the same as before them. */
function lostPatch(history: readonly Message[], plan: Plan): boolean {
  const answered = history.findLast(isAnswered);
  if (answered?.meta?.facts?.planHash !== plan.hash) return false;
  return plan.decisions.some((decision) => {
    const asked = questionOf(history, decision);
    return asked !== undefined && decisionWords(asked, decision).some((text) => ofThePlan.test(text));
  });
}

/** What the person read and said about a decision: the question, the options that they chose, their own words. */
function decisionWords({ prompt, options = [] }: Question, { answer }: Decision): string[] {
  const chosen = options.filter(({ label }) => answer.split(", ").includes(label));
  return [prompt, answer, ...chosen.map(({ description }) => description ?? "")];
}

/**
 * True if `seen`, the plan at the end of `history`, says something else than the person approved, and nobody asked
 * them. Their own edits, and changes outside plan mode, are as approved as the plan was.
 */
function changesWhatWasApproved(history: readonly Message[], seen: Plan): boolean {
  const begun = history.findLastIndex((message) => isFinish(message) || beginsPlan(message));
  const from = Math.max(history.findLastIndex(isApproval), lostApproval(history));
  if (from < 0 || from < begun) return false;
  const changed = history.findIndex((message, at) => at > from && isUnasked(message));
  if (changed < 0) return false;
  const approved = planAtEnd(history.slice(0, changed));
  return approved?.markdown !== seen.markdown;
}

/**
 * The index of the first message about a plan in the end of a long history, because a version before that may have
 * been approved; else -1.
 */
function lostApproval(history: readonly Message[]): number {
  return history.some(isMarker) ? history.findIndex(isOfPlan) : -1;
}

function isUnasked(message: Message): boolean {
  const edited = message.role === "plan" && message.extra.plan.source === "person";
  return isOfPlan(message) && message.mode === "plan" && !edited;
}

/**
 * The plan as a history leaves it: its newest version with the updates after it, without progress. Undefined if
 * `history` holds no version. Its hash is that of the version.
 */
function planAtEnd(history: readonly Message[]): Plan | undefined {
  const at = history.findLastIndex(({ role }) => role === "plan");
  const version = history[at];
  if (version?.role !== "plan") return undefined;
  const applied = new Set(
    history
      .slice(at + 1)
      .flatMap((message) => (isEventOf(message, "plan_delta") ? [deltaCallId(message)] : [])),
  );
  // One answer may contain both the call that made the version and the call that changed it.
  return history
    .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
    .filter(({ id }) => applied.has(id))
    .reduce((plan, call) => {
      const parsed = parseArguments(call.arguments);
      const updated = applyUpdate(plan, parsed.ok ? parsed.value : null);
      return updated.ok ? updated.plan : plan;
    }, version.extra.plan);
}

function deltaCallId({ extra }: EventMessage): unknown {
  return extra.event.data.toolCallId;
}

/**
 * Makes a function that tells whether the newest answers name a command completely. What only the question names does
 * not count.
 */
export function chosenCommands(
  history: readonly Message[],
  { decisions }: Pick<Plan, "decisions">,
): (command: string) => boolean {
  const said = decisions.flatMap((decision) => {
    const asked = questionOf(history, decision);
    return asked ? chosenWords(asked, decision) : [];
  });
  return (command) => said.some((text) => namesCommand(text, command));
}

/** The question of a decision, if it is among those answered last. */
function questionOf(history: readonly Message[], { id, label }: Decision): Question | undefined {
  const answered = history.findLast(isAnswered);
  const last = history.filter((message) => !isAnswered(message) || message === answered);
  return questionsAnswered(last).find((asked) => asked.id === id && asked.label === label);
}

/** What the person said by their answer alone: the options that they chose, and their own words. */
function chosenWords({ type, options = [] }: Question, { answer }: Decision): string[] {
  const labels = type === "single_select" ? [answer] : answer.split(", ");
  const chosen = options.filter(
    ({ label }) => labels.includes(label) && !(label.includes(", ") && label !== answer),
  );
  return [answer, ...chosen.map(({ description }) => description ?? "")];
}

/**
 * Words beside a command that may mean that it is not to run. If they mean something else, the plan is shown once more.
 */
const refuses = /\b(?:no|not|never|none|without|instead|avoid|except|skip|drop|remove|rather)\b|n[’']t\b/i;

/** Whether `text` names the whole command: as a line of its own or in backticks, and not in order to refuse it. */
function namesCommand(text: string, command: string): boolean {
  if (text.trim() === command) return true;
  const spans = [...text.matchAll(/(?<!`)(`+)(?!`)([^\n]*?[^`\n])\1(?!`)/g)].map(([, , code = ""]) =>
    code.trim(),
  );
  const named = text.split("\n").some((line) => line.trim() === command) || spans.includes(command);
  return named && !refuses.test(text.replaceAll(command, ""));
}

/** In the order in which they were asked. */
export function questionsAnswered(history: readonly Message[]): Question[] {
  const ids = new Set(history.filter(isAnswered).map(({ toolCallId }) => toolCallId));
  return history
    .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
    .filter(({ id }) => ids.has(id))
    .flatMap((call) => {
      const parsed = parseArguments(call.arguments);
      const args = parsed.ok && isRecord(parsed.value) ? parsed.value : null;
      const checked = checkQuestions(args, { summaryRequired: false });
      return checked.ok ? checked.questions : [];
    });
}
