// Runs the helpers of one answer side by side. Each round of a helper is recorded as a hidden message before its calls
// run. So an interrupted turn continues where its helpers were, and no answer is paid for twice.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import { helpersAtOnce } from "../../shared/explore.ts";
import type { AssistantMessage, EventMessage } from "../../shared/message.ts";
import { pendingCall, type Resumption } from "../calls/open-calls.ts";
import type { Outcome, PendingCall } from "../calls/prepared.ts";
import { parseArguments } from "../calls/prepared.ts";
import { leavesWithin } from "../turn/budget.ts";
import { chooseModel } from "../turn/check-request.ts";
import type { ChosenModel } from "../turn/env.ts";
import type { Turn } from "../turn/turn.ts";
import { Helper, helperOf } from "./helper.ts";

const ExploreTask = z.object({ task: z.string() });

/** The result of a helper's request to its model. */
type HelperAnswer = { helper: Helper } & ({ answer: AssistantMessage | undefined } | { fault: string });

/**
 * The report of the helper for `pending`. The helpers of `explore` calls directly after it run at the same time.
 * Undefined if the turn is stopped or detached; it then continues from the recorded rounds.
 */
export async function* explore(
  turn: Turn,
  message: AssistantMessage,
  pending: PendingCall,
): AsyncGenerator<TurnEvent, Outcome | undefined> {
  const helpers = together(turn, message, pending);
  yield* takeRecorded(turn, helpers);
  const own = helpers[0];
  // The result itself is recorded and replaces this value.
  if (turn.replays || !own) return { ok: false, text: "" };
  yield* look(turn, helpers);
  if (!own.report) return undefined;
  const { model, reads, rounds, report } = own;
  return {
    ...report,
    facts: { model, reads, rounds },
    at: turn.state.history.at(-1)?.createdAt ?? pending.at,
  };
}

function together(turn: Turn, message: AssistantMessage, { call }: PendingCall): Helper[] {
  const calls = message.toolCalls ?? [];
  const first = calls.findIndex(({ id }) => id === call.id);
  const other = calls.findIndex(({ name }, index) => index > first && name !== call.name);
  const chosen = helperModel(turn);
  const { turnId } = turn.env.request;
  const { resumes }: { resumes?: Resumption | undefined } = turn.env.context;
  const helpers: Helper[] = [];
  // The limit is per answer: a fourth helper is refused when its turn comes, and must not ask the model before that.
  const before = calls.slice(0, first).filter(({ name }) => name === call.name).length;
  const end = Math.min(other < 0 ? calls.length : other, first + helpersAtOnce - before);
  for (let ordinal = first; ordinal < end; ordinal += 1) {
    const one = pendingCall(message, ordinal, { turnId, resumes });
    const parsed = parseArguments(calls[ordinal]?.arguments ?? "");
    const task = parsed.ok ? z.safeParse(ExploreTask, parsed.value).data?.task : undefined;
    if (one && task !== undefined) helpers.push(new Helper(turn, one, task, chosen));
  }
  return helpers;
}

function helperModel({ env }: Turn): ChosenModel {
  const { model } = env.request.options.explore ?? {};
  return model ? chooseModel(env.deps.providers, model) : env;
}

/**
 * Applies the rounds that were recorded before, by this run of the turn or an earlier one: first those in the
 * history, then those that come next in the log.
 */
async function* takeRecorded(turn: Turn, helpers: readonly Helper[]): AsyncGenerator<TurnEvent> {
  for (const message of [...turn.state.history]) {
    const helper = ownerOf(helpers, message);
    if (helper && message.role === "event") yield* take(turn, helper, message);
  }
  for (;;) {
    const next = turn.log.peek();
    if (next?.event !== "message") return;
    const { message } = next.data;
    const helper = ownerOf(helpers, message);
    if (!helper || message.role !== "event") return;
    turn.emit(next);
    yield* take(turn, helper, message);
  }
}

function ownerOf(helpers: readonly Helper[], message: Parameters<typeof helperOf>[0]): Helper | undefined {
  const id = helperOf(message);
  return id === undefined ? undefined : helpers.find(({ call }) => call.call.id === id);
}

/** Records staged events and runs the calls of a round, in one request. */
async function* take(turn: Turn, helper: Helper, message: EventMessage): AsyncGenerator<TurnEvent> {
  const calls = helper.take(message);
  const results = yield* turn.runCalls(calls, { access: "readonly" });
  if (!helper.report) helper.takeResults(results);
}

/** Asks until all helpers have reported or the turn must stop. Answers are recorded one by one as they arrive. */
async function* look(turn: Turn, helpers: readonly Helper[]): AsyncGenerator<TurnEvent> {
  // The answer that called the helpers has been paid for, so it is recorded before they ask.
  yield* turn.journalStaged();
  const asking = new Map<Helper, Promise<HelperAnswer>>();
  // If one helper fails, or the sandbox refuses a record, the others are aborted.
  const over = new AbortController();
  try {
    for (;;) {
      const idle = helpers.filter((helper) => !helper.report && !asking.has(helper));
      for (const helper of idle) {
        if (leavesWithin(turn, asking.size + 1)) continue;
        const answer = answerOf(helper, helpers, over.signal);
        answer.catch(() => undefined);
        asking.set(helper, answer);
      }
      if (asking.size === 0) return;
      const answered = await Promise.race(asking.values());
      const { helper } = answered;
      asking.delete(helper);
      // If one is stopped or detached, the others end as well.
      if ("answer" in answered && answered.answer === undefined) return;
      turn.note(
        "answer" in answered ? helper.noteOf(answered.answer) : helper.noteOf(undefined, answered.fault),
      );
      const recorded = turn.state.history.at(-1);
      if (recorded?.role === "event") yield* take(turn, helper, recorded);
    }
  } finally {
    over.abort();
  }
}

/** Rejects only for errors that the model did not cause. */
async function answerOf(helper: Helper, all: readonly Helper[], over: AbortSignal): Promise<HelperAnswer> {
  try {
    return { helper, answer: await helper.ask(all, over) };
  } catch (error) {
    if (!(error instanceof HandrailError) || error.code === "internal") throw error;
    return { helper, fault: error.message };
  }
}
