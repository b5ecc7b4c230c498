// The end of a stopped turn: results for the open calls (the recorded one, or "not run"), then `turn.done`.
import type { DurableDraft } from "../../shared/event.ts";
import type { Message } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { openCalls, pendingCall } from "../calls/open-calls.ts";
import { type Outcome, type PendingCall, parseArguments } from "../calls/prepared.ts";
import type { OpenLedger } from "../calls/tool-turn.ts";
import { ledgerDraft } from "../plan/proposal.ts";
import { rewindKey, rewound, rollbackKey, rolledBack } from "../plan/restore.ts";
import { findTool } from "../tools/tool-index.ts";
import {
  type CallRecords,
  cancellationNote,
  cutCall,
  neverReported,
  stoppedCode,
} from "./cancellation-note.ts";
import { isOlder, type TurnContext, toolMessage } from "./env.ts";
import { gaveWay } from "./replay-log.ts";
import { planAfter, type Turn } from "./turn.ts";

/** Stages the ending; the sandbox accepts it as the last record of a stopped turn. */
export function stageStopped(turn: Turn): void {
  const { env, state, log } = turn;
  const { mode, plan, round, history: messages, ledger } = state;
  const { turnId } = env.request;
  const result = (key: string) => log.result(key);
  const began = (key: string) => log.began(key);
  const stopped = { turnId, messages, context: env.context, mode, plan, round, ledger, result, began };
  for (const draft of stoppedEnding(stopped)) turn.emit(draft);
}

export interface StoppedTurn extends CallRecords {
  turnId: string;
  /** The history as far as it is recorded; the last calls in it may lack results. */
  messages: readonly Message[];
  context: TurnContext;
  mode: Mode;
  round: number;
  ledger: OpenLedger | null;
}

/** A pure function of the journal, so the ending is the same whichever process writes it. */
export function stoppedEnding(turn: StoppedTurn): DurableDraft[] {
  const results = stoppedResults(turn);
  const plan = results.reduce<Plan | null>(planAfter, turn.plan);
  const ledger = turn.ledger ? [ledgerDraft(turn.ledger, plan)] : [];
  return [...results, ...ledger, { event: "turn.done", data: { reason: "stopped", rounds: turn.round } }];
}

/** In call order. A client may have seen the first ones; they are the same as those of the runner. */
function stoppedResults(turn: StoppedTurn): DurableDraft[] {
  const open = openCalls(turn.messages);
  const { resumes } = turn.context;
  const from = open && resumes?.message.id === open.message.id ? resumes.from : 0;
  const results = (open?.ordinals ?? [])
    .filter((ordinal) => ordinal >= from)
    .flatMap((ordinal): DurableDraft[] => {
      const pending = open && pendingCall(open.message, ordinal, { turnId: turn.turnId, resumes });
      if (!pending) return [];
      const { drafts = [], outcome } = rollbackOf(turn, pending) ?? outcomeOf(turn, pending);
      const message = toolMessage(turn, open.message, pending.call, outcome);
      return [...drafts, { event: "message", data: { message } }];
    });
  const restored = rewound(turn.context.rewind, turn.result(rewindKey(turn.turnId)));
  // The person asked for a rewind themselves, so no answer was interrupted.
  const note = turn.context.rewind ? [] : [cancellationNote(turn, results)];
  return [...restored, ...results, ...note];
}

interface StoppedCall {
  outcome: Outcome;
  /** Drafts that come before the result. */
  drafts?: DurableDraft[];
}

/** For a call with a failed checkpoint, whose files were or should have been restored. */
function rollbackOf(turn: StoppedTurn, pending: PendingCall): StoppedCall | undefined {
  const result = turn.result(rollbackKey(pending));
  // The rollback follows the last check of the call, or the model's own report of a failure.
  const reports = [`${pending.call.id}.check`, `${pending.call.id}.failed`];
  const check = turn.messages.findLast(({ id }) => reports.some((report) => id.startsWith(report)));
  if (!result || check?.role !== "event") return undefined;
  const stepId = String(check.extra.event.data.stepId);
  const { drafts, text } = rolledBack(turn, pending, { stepId, result, isOlder: isOlder(turn.context) });
  return { drafts, outcome: { ok: false, text: `${check.content}\n${text}`, at: result.at } };
}

function outcomeOf(turn: StoppedTurn, pending: PendingCall): StoppedCall {
  const { call, key, denied } = pending;
  if (denied !== undefined) return { outcome: { ok: false, text: denied } };
  const kept = turn.result(key);
  const result = kept && (turn.began(key) || gaveWay(kept)) ? kept : undefined;
  const parsed = parseArguments(call.arguments);
  const tool = findTool(call.name);
  const ran = tool?.kind === "sandbox" && parsed.ok && tool.toCall(parsed.value).ok ? tool : undefined;
  if (result && ran) return { outcome: { ...ran.resultText(result), at: result.at } };
  if (turn.messages.some(({ id }) => id === `${call.id}.explore0`.slice(0, 300)))
    return { outcome: { ok: false, text: neverReported } };
  const { text, ran: began, at } = cutCall(turn, pending);
  return {
    outcome: {
      ok: false,
      text,
      ...(at === undefined ? {} : { at }),
      ...(began ? { facts: { code: stoppedCode } } : {}),
    },
  };
}
