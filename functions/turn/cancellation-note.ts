// What a stop interrupted: for each call without a result, what the journal says about it (whether it began, which
// check was running), and the note that tells the model in the next turn. Made from the journal alone, like the whole
// ending.
import * as z from "zod/mini";
import type { DurableDraft } from "../../shared/event.ts";
import type { Message } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Checkpoint, Plan } from "../../shared/plan/plan-file.ts";
import { activeStep } from "../../shared/plan/steps.ts";
import { endChecks } from "../../shared/plan/undecided-ends.ts";
import { type CallResult, ExecValue } from "../../shared/sandbox.ts";
import { callArguments } from "../../shared/session/call-facts.ts";
import { originOfMessage, pendingCall, type Resumption } from "../calls/open-calls.ts";
import type { PendingCall } from "../calls/prepared.ts";
import { eventMessage } from "../calls/tool-turn.ts";
import { checkEnd, checkOutput, notChecked } from "../plan/checks.ts";
import { checkedKey } from "../plan/rail.ts";

/** The turn as far as it is recorded. */
interface CancelledTurn extends CallRecords {
  turnId: string;
  messages: readonly Message[];
  mode: Mode;
  round: number;
  context: { resumes?: Resumption | undefined };
}

/** `results`: the drafts that give open calls their results. */
export function cancellationNote(turn: CancelledTurn, results: readonly DurableDraft[]): DurableDraft {
  const { turnId, messages, plan } = turn;
  const closed = results.flatMap((draft) => (draft.event === "message" ? [draft.data.message] : []));
  const { cut, unread, unbegun, helpers } = endedCalls(turn, closed);
  const untaken = cut.filter((call) => checkOf(turn, call)?.ended);
  const within = cut.filter((call) => !untaken.includes(call));
  const last = messages.findLast(({ role }) => role === "assistant" || role === "user");
  const answer = last?.role === "assistant" && last.finish === "aborted";
  const step = plan ? activeStep(plan) : undefined;
  const byItself = cutByItself(turn, checkedKey(turnId, turn.round));
  const running = [
    ...within.map((call) => callWords(turn, call)),
    ...(byItself ? [`a check that ran without your report, ${quoted(byItself.command)}`] : []),
  ];
  const content = [
    "The person stopped the turn.",
    ...(answer
      ? ["Your answer was cut off: what is above is its beginning, and none of its calls ran."]
      : []),
    ...(running.length > 0
      ? [
          `Cut while it ran: ${running.join(", ")}. It may have been done in part: look before you do it again.`,
        ]
      : []),
    ...(untaken.length > 0
      ? [`Ended, but the report was not taken: ${untaken.map((call) => callWords(turn, call)).join(", ")}.`]
      : []),
    ...(unread.length > 0
      ? [`Ended, but the result was not taken: ${unread.map((call) => callWords(turn, call)).join(", ")}.`]
      : []),
    ...(unbegun.length > 0
      ? [`Not begun, so nothing was done: ${unbegun.map((call) => callWords(turn, call)).join(", ")}.`]
      : []),
    ...(helpers.length > 0
      ? [`Stopped before it reported: ${helpers.map((call) => callWords(turn, call)).join(", ")}.`]
      : []),
    ...(step
      ? [
          `Step ${step.id} was active and is not finished.${byItself ? ` ${notChecked.stopped} Report the step done to run it.` : ""}`,
        ]
      : []),
    ...(answer || running.length + untaken.length + unread.length + unbegun.length + helpers.length > 0
      ? []
      : ["Nothing was cut: they stopped while you were to answer."]),
  ].join("\n");
  return {
    event: "message",
    data: {
      message: eventMessage(turn, {
        id: `${turnId}.stopped`,
        at: latest([...messages, ...closed]),
        subkind: "cancellation_note",
        source: "engine",
        content,
        data: {
          calls: [...cut, ...unread, ...unbegun, ...helpers].map(({ call }) => call.id),
          ...(answer ? { answer: true } : {}),
        },
      }),
    },
  };
}

type EndedCalls = Record<"cut" | "unread" | "unbegun" | "helpers", PendingCall[]>;

/**
 * Calls in the last answer of this turn that the stop ended, and those that it prevented from beginning. Either the
 * runner or this ending writes their messages, whichever is faster.
 */
function endedCalls(turn: CancelledTurn, closed: readonly Message[]): EndedCalls {
  const ended: EndedCalls = { cut: [], unread: [], unbegun: [], helpers: [] };
  const { cut, unread, unbegun, helpers } = ended;
  const { turnId, messages, context } = turn;
  const at = messages.findLastIndex((message) => message.role === "assistant" && message.toolCalls);
  const message = messages[at];
  const { resumes } = context;
  if (message?.role !== "assistant") return ended;
  const resumed = resumes?.message.id === message.id;
  if (!resumed && originOfMessage(message.id)?.turnId !== turnId) return ended;
  for (const ordinal of (message.toolCalls ?? []).keys()) {
    const pending = pendingCall(message, ordinal, { turnId, resumes });
    if (!pending || (resumed && ordinal < resumes.from)) continue;
    const is = (other: Message) => other.role === "tool" && other.toolCallId === pending.call.id;
    const result = messages.slice(at + 1).find(is) ?? closed.find(is);
    if (result?.role !== "tool") continue;
    if (result.content === neverBegan) unbegun.push(pending);
    else if (result.content === endedUnread) unread.push(pending);
    else if (result.content === neverReported) helpers.push(pending);
    else if (result.meta?.facts?.code === stoppedCode) cut.push(pending);
  }
  return ended;
}

function latest(messages: readonly Message[]): number {
  return messages.reduce((at, { createdAt }) => Math.max(at, createdAt), 0);
}

const maxArgumentChars = 200;

function callWords(turn: CancelledTurn, pending: PendingCall): string {
  const { name, arguments: json } = pending.call;
  const check = checkOf(turn, pending);
  if (check) return `${name} ${check.ended ? "with" : "in"} its check ${quoted(check.command)}`;
  const { command, path, task } = callArguments(json);
  const what = command ?? path ?? task ?? "";
  return what === "" ? name : `${name} ${quoted(what)}`;
}

function checkOf(turn: CancelledTurn, pending: PendingCall): CutCall["check"] {
  return turn.began(pending.key) ? undefined : cutCall(turn, pending).check;
}

function quoted(text: string): string {
  return `\`${text.slice(0, maxArgumentChars)}\``;
}

/** Error code of a call that the stop ended. */
export const stoppedCode = "stopped";
/** The whole result of a call that had ended without anybody reading its output. */
const endedUnread =
  "stopped: it had ended by then, but its result was not taken: look before you call it again";
/** The whole result of a helper that was still reading. */
export const neverReported = "stopped: the helper has not reported";
/** The whole result of a call that had not begun. */
const neverBegan = "not run: the person stopped the turn before this began";

/** What the journal holds of the turn's calls. `began`: whether the call ran, completely or in part. */
export interface CallRecords {
  plan: Plan | null;
  result(key: string): CallResult | undefined;
  began(key: string): boolean;
}

interface CutCall {
  /** What the model reads as its result. */
  text: string;
  ran: boolean;
  at?: number | undefined;
  /** The command of the check it was running, and whether that had ended. */
  check?: { command: string; ended: boolean };
}

/** The result of a call that has none under its own key. */
export function cutCall(turn: CallRecords, { call, key }: PendingCall): CutCall {
  const last = call.name === "update_plan" ? lastCheck(turn, key) : undefined;
  if (last) return inCheck(last);
  if (!turn.began(key)) return { text: neverBegan, ran: false };
  const kept = turn.result(key);
  // An MCP tool that is a program keeps its output under the key; other tools keep only a mark.
  if (kept?.ok && z.safeParse(ExecValue, kept.value).success)
    return { text: endedUnread, ran: true, at: kept.at };
  return {
    text: "stopped while it ran: what it had done stays, and is not known here",
    ran: true,
  };
}

interface BegunCheck {
  check: Checkpoint;
  result: CallResult | undefined;
}

/** The last check that had begun for the report under `key`. */
function lastCheck(turn: CallRecords, key: string): BegunCheck | undefined {
  const last = checksOf(turn.plan, key).findLast((check) => turn.began(check.key));
  return last && { check: last.check, result: turn.result(last.key) };
}

/** The check under `key` that was interrupted while it ran without a report from the model. */
function cutByItself(turn: CallRecords, key: string): Checkpoint | undefined {
  const last = lastCheck(turn, key);
  return last && (!last.result || last.result.error?.code === stoppedCode) ? last.check : undefined;
}

/** The checks that a report of progress runs, in order: that of the active step, then those of the whole plan. */
function checksOf(plan: Plan | null, key: string): { key: string; check: Checkpoint }[] {
  const check = plan && activeStep(plan)?.checkpoint;
  const ofSteps = check
    ? plan.steps.map((_, index) => ({ key: `${key}/cp${index === 0 ? "" : index + 1}`, check }))
    : [];
  const ends = plan ? endChecks(plan) : [];
  return [...ofSteps, ...ends.map(({ check: end, number }) => ({ key: `${key}/end${number}`, check: end }))];
}

function inCheck({ check, result }: BegunCheck): CutCall {
  const exec = z.safeParse(ExecValue, result?.value).data;
  const how = result?.ok
    ? `Its check had ended: ${checkEnd(check, exec, undefined)}.`
    : `${notChecked.stopped}${exec ? " Its output until then:" : ""}`;
  const text = [
    `stopped: the person stopped the turn before the report was taken. ${how}`,
    ...(exec ? [checkOutput(exec)] : []),
  ].join("\n");
  const ended = result?.ok === true;
  return { text, ran: true, at: result?.at, check: { command: check.command, ended } };
}
