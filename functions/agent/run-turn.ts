// One turn from claim to last event: opening, rounds, ending. Run again after any interruption, it goes the same
// way over the journal and takes up where that ends. Knows no HTTP.
import * as z from "zod/mini";
import { HandrailError, toHandrailError, traceOf } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import type { ClaimRequest } from "../../shared/journal.ts";
import type { AssistantMessage, Message } from "../../shared/message.ts";
import { planContent } from "../../shared/plan/plan-body.ts";
import { createRedactor } from "../../shared/redact/redactor.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import { promptBudget } from "../context/estimate.ts";
import { cutToMarker } from "../context/long-history.ts";
import { lastSummary } from "../context/summary.ts";
import type { Deps } from "../deps.ts";
import { limits } from "../limits.ts";
import { propose, showLedger, startRun, textStopProposes } from "../plan/exit-plan.ts";
import { sha256Hex } from "../plan/hash.ts";
import { hides } from "../plan/hidden-commands.ts";
import { checkPlanFits } from "../plan/plan-room.ts";
import { rewind } from "../plan/rewind.ts";
import type { Attending } from "../sandbox/client.ts";
import { commit, flush } from "../turn/commit.ts";
import { readFallback } from "../turn/fallback.ts";
import { TurnContext } from "../turn/turn-context.ts";
import { durableEvent, TurnLog } from "../turn/turn-log.ts";
import { emit, modelRef, type Say, type TurnSignals, type TurnState } from "../turn/turn-state.ts";
import { askModel } from "./ask-model.ts";
import { budgetUsedUp, checkSpending, newContext, openingMeta } from "./budget.ts";
import { checkHistory } from "./check-history.ts";
import { afterEmptyAnswer } from "./empty-answer.ts";
import { endStopped } from "./end-stopped.ts";
import { type Opening, openTurn } from "./opening.ts";
import { type RoundEnd, runRound } from "./run-round.ts";
import { lookAround } from "./scan.ts";
import { checkAttachments, checkOptions, chooseModel, chooseProtocol, omitted } from "./settings.ts";

/** A turn that has been accepted: what may be refused has been, what is journaled is known. */
export interface ClaimedTurn {
  /** The events to their end, but for the pieces of text that are said. Closes without a last event where the host has to leave. Throws HandrailError. */
  events(): AsyncGenerator<TurnEvent>;
}

/** What a turn is given by the request that runs it. */
interface Caller {
  requestId: string;
  inputHash: string;
  apiKey?: string | undefined;
  say: Say;
  attending: Attending;
}

/** Hash of what makes a turn this turn: another input under the same id is refused. */
export function hashInput(request: TurnRequest): Promise<string> {
  const { mode, model, input, options, sandboxId, messages, plan } = request;
  // Of the history its ids: content under an id never changes, and hashing megabytes costs every post.
  const history = messages.map(({ id }) => id);
  const held = plan && { version: plan.version, hash: plan.hash };
  return sha256Hex(JSON.stringify({ mode, model, input, options, sandboxId, history, held }));
}

/**
 * Checks the request and claims the turn. Throws HandrailError before anything ran: `invalid_request`,
 * `stale_plan`, `stale_epoch`, `key_reused`, `sandbox_unreachable`.
 */
export async function claimTurn(
  deps: Deps,
  posted: TurnRequest,
  signals: TurnSignals,
  caller: Caller,
): Promise<ClaimedTurn> {
  const { apiKey, inputHash, requestId, say } = caller;
  checkOptions(posted);
  checkHistory(posted.messages);
  const { messages, carried } = cutToMarker(posted.messages);
  const request = { ...posted, messages };
  const chosen = chooseModel(deps.providers, request.model);
  checkAttachments(request, chosen.model);
  const toolProtocol = await chooseProtocol(deps, request, chosen, apiKey);
  const opening = await openTurn({
    request,
    model: { provider: chosen.provider.id, id: chosen.model.id },
    toolProtocol,
    now: deps.now(),
    scan: await lookAround(deps, request),
    carried,
    meta: openingMeta(deps.host, request, carried, chosen),
  });
  // Going back needs no model.
  if (request.input.type !== "rewind") checkPlanFits(opening.plan, promptBudget(chosen.model.contextWindow));
  const draft = new TurnLog([], []);
  for (const event of opening.drafts) draft.stage(event);
  const { contextWindow } = chosen.model;
  const context = newContext(deps.host, request, { ...opening, contextWindow });
  const claim: ClaimRequest = {
    epoch: request.attempt,
    inputHash,
    record: draft.unrecorded.map(({ id, event, data }) => ({ id, event, data })),
    ...(opening.resolves === undefined ? {} : { resolves: opening.resolves }),
    ...(opening.permits === undefined ? {} : { permits: opening.permits }),
    context,
    ...(await heldPlan(request)),
  };
  const claimed = await deps.sandbox.claim(request.sandboxId, request.turnId, claim, caller.attending);
  if (claimed.finished) {
    return {
      async *events() {
        yield* claimed.records.map(durableEvent);
      },
    };
  }
  const state: TurnState = {
    deps,
    request,
    // The opening is journaled with the claim, but for a turn that was stopped before it started.
    log: new TurnLog(
      claimed.records.length > 0 || claimed.stopped ? claimed.records : draft.unrecorded,
      claimed.results,
    ),
    say,
    signals: claimed.stopped ? { ...signals, stop: AbortSignal.abort() } : signals,
    provider: chosen.provider,
    model: chosen.model,
    apiKey,
    redactors: redactorsOf([...deps.secrets, ...(apiKey ? [apiKey] : [])]),
    requestId,
    startedAt: deps.now(),
    context: firstContext(claimed.context) ?? context,
    // The claim, and the scan or the probe that may have gone before it.
    used: { subrequests: 3 },
    history: [...request.messages],
    carried,
    grants: claimed.grants ?? [],
    plan: request.plan,
    mode: request.mode,
    toolProtocol,
    omit: omitted(deps, request, chosen),
    retries: 0,
    round: 0,
    ledger: null,
    run: opening.takesUpRun ? (claimed.run ?? null) : null,
    badRounds: 0,
  };
  return { events: () => runTurn(state, opening) };
}

/**
 * What the client says of the plan, for the sandbox to compare with its journal. Of a text that the person edited the
 * structure is made anew. A conversation that begins need not know of a plan.
 */
async function heldPlan({ plan, messages }: TurnRequest): Promise<Pick<ClaimRequest, "plan">> {
  if (plan) {
    const { version, hash, status } = plan;
    const underWay = status === "approved" || status === "executing";
    const edited = (await sha256Hex(plan.markdown)) !== hash;
    const content = edited ? {} : { content: await sha256Hex(planContent(plan)) };
    return { plan: { version, hash, underWay, ...content } };
  }
  return messages.length > 0 ? { plan: null } : {};
}

function redactorsOf(secrets: readonly string[]): TurnState["redactors"] {
  return { all: createRedactor(secrets), own: createRedactor(secrets, "values") };
}

/** What an earlier claim fixed; nothing where this one is the first, or a version before us made it. */
function firstContext(kept: unknown): TurnContext | undefined {
  const parsed = z.safeParse(TurnContext, kept);
  return parsed.success ? parsed.data : undefined;
}

async function* runTurn(state: TurnState, opening: Opening): AsyncGenerator<TurnEvent> {
  for (const draft of opening.drafts) {
    const event = emit(state, draft);
    if (event.event === "turn.started") {
      state.mode = event.data.mode;
      state.toolProtocol = event.data.toolProtocol;
    }
  }
  yield* flush(state);
  if (opening.prelude.kind === "ends") return;
  state.ledger = opening.ledger;
  state.run = opening.run ?? state.run;
  try {
    const end = yield* rounds(state, opening);
    if (end === "left") return;
    if (end === "stopped") endStopped(state);
    else {
      if (end === "proposed") propose(state);
      showLedger(state);
      emit(state, { event: "turn.done", data: { reason: end, rounds: state.round } });
    }
  } catch (error) {
    if (endsElsewhere(error)) {
      // A stop fences the turn in the sandbox: what was refused there is ended here.
      if (!state.signals.stop.aborted) throw error;
      endStopped(state);
    } else fail(state, error);
  }
  yield* commit(state);
}

/** Failures of the model, and of ours, end the turn in words; the input is in the history. */
function fail(state: TurnState, error: unknown): void {
  const failure = toHandrailError(error);
  if (failure.code === "internal") {
    const trace = traceOf(error);
    state.deps.log({ event: "turn_error", turnId: state.request.turnId, ...modelRef(state), trace });
  }
  showLedger(state);
  emit(state, { event: "turn.failed", data: { error: failure.toInfo(state.requestId) } });
}

/** The sandbox is away, or the turn is not ours to end any more. */
function endsElsewhere(error: unknown): boolean {
  return (
    error instanceof HandrailError &&
    ["sandbox_unreachable", "stale_epoch", "turn_finished", "key_reused"].includes(error.code)
  );
}

type End = Extract<RoundEnd, { kind: "ends" }>["reason"] | "continue" | "stopped" | "left";

/** Rounds until the turn has an end. Throws what the model or the sandbox fails with. */
async function* rounds(state: TurnState, { prelude }: Opening): AsyncGenerator<TurnEvent, End> {
  const { signals } = state;
  if (prelude.kind === "rewind") {
    if (signals.stop.aborted) return "stopped";
    if (signals.leave.aborted) return "left";
    yield* rewind(state, prelude.snapshot);
    return stopsHere(state) ? "stopped" : "stop";
  }
  if (prelude.kind === "resume") {
    const end = yield* runRound(state, prelude.resumes.message, prelude.resumes);
    if (stopsHere(state)) return "stopped";
    if (end.kind === "halted") return "left";
    if (end.kind === "ends") return end.reason;
  }
  for (;;) {
    const recorded = state.log.peek();
    if (!recorded) {
      if (signals.stop.aborted) return "stopped";
      if (signals.leave.aborted) return "left";
      checkSpending(state);
      if (budgetUsedUp(state)) return "continue";
    }
    const message = yield* nextMessage(state);
    if (!message) return "left";
    state.round += 1;
    if (message.finish === "aborted") return "stopped";
    const end =
      (message.toolCalls?.length ?? 0) > 0
        ? yield* runRound(state, message)
        : yield* textStop(state, message);
    if (stopsHere(state)) return "stopped";
    if (end.kind === "halted") return "left";
    if (end.kind === "ends") {
      // What does not show whole is not started by a word that was given before it was there.
      if (end.reason !== "proposed" || !state.run || hides(state.plan)) return end.reason;
      startRun(state, state.run, message.createdAt);
      continue;
    }
    state.badRounds = end.malformed ? state.badRounds + 1 : 0;
    if (state.badRounds >= limits.maxBadRounds) {
      const does = message.toolCalls
        ? "keeps calling tools that do not exist, or in a form that cannot be read"
        : "keeps answering with nothing";
      throw new HandrailError("model_error", `The model ${does}. Try again, or choose another model.`, {
        retryable: true,
      });
    }
  }
}

/** Stopped, and the journal is told to its end: an ending before that would meet recorded events in its place. */
function stopsHere({ signals, log }: TurnState): boolean {
  return signals.stop.aborted && !log.peek();
}

/** The recorded message of the next round, or a new sampling. Undefined where the host has to leave. */
async function* nextMessage(state: TurnState): AsyncGenerator<TurnEvent, AssistantMessage | undefined> {
  let recorded = state.log.peek();
  // What the provider refused, and what the model summed up, stands before the message that was sampled with it.
  while (recorded?.event === "message" && standsBefore(recorded.data.message)) {
    emit(state, recorded);
    recorded = state.log.peek();
  }
  if (recorded?.event === "message" && recorded.data.message.role === "assistant") {
    emit(state, recorded);
    return recorded.data.message;
  }
  const sampled = yield* askModel(state);
  if (!sampled) return undefined;
  const { message, stopped } = sampled;
  const empty = message.content === "" && message.reasoning === undefined;
  if (!stopped || !empty) emit(state, { event: "message", data: { message } });
  return message;
}

function standsBefore(message: Message): boolean {
  return readFallback(message) !== undefined || lastSummary([message]) !== undefined;
}

async function* textStop(state: TurnState, message: AssistantMessage): AsyncGenerator<TurnEvent, RoundEnd> {
  if (state.mode === "plan" && message.finish === "stop" && (await textStopProposes(state, message)))
    return { kind: "ends", reason: "proposed" };
  if (message.content.trim() === "") return yield* afterEmptyAnswer(state, message);
  return { kind: "ends", reason: "stop" };
}
