// Checks a posted turn and claims its journal. Every refusal happens here. Does not know HTTP.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import type { ClaimRequest, Steer } from "../../shared/journal.ts";
import { isUnderWay } from "../../shared/plan/is-active-plan.ts";
import { planContent } from "../../shared/plan/plan-body.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { RunMode, TurnRequest } from "../../shared/turn.ts";
import { type CutHistory, cutToMarker } from "../compaction/marker.ts";
import { promptBudget } from "../context/estimate.ts";
import type { Deps } from "../deps.ts";
import type { Fresh } from "../inputs/fresh-context.ts";
import { type Insight, type Opening, openTurn } from "../inputs/opening.ts";
import { scanWorkspace } from "../inputs/scan.ts";
import { checkPlanFits } from "../plan/check-plan.ts";
import type { Installation } from "../plan/installing.ts";
import type { Attending } from "../sandbox/client.ts";
import { sha256Hex } from "../sha256.ts";
import { newContext, openingMeta } from "./budget.ts";
import {
  checkAttachments,
  checkHistory,
  checkOptions,
  chooseModel,
  chooseProtocol,
  omitted,
  withEffort,
  withLoadedWindow,
} from "./check-request.ts";
import { type ChosenModel, isOlder, modelName, type Say, TurnContext, type TurnSignals } from "./env.ts";
import { redactorsOf } from "./redactors.ts";
import { ReplayLog } from "./replay-log.ts";
import { toldToEnd } from "./told.ts";
import { Turn } from "./turn.ts";

/** An accepted turn: either it `runs` now, or it had `ended` before and its events are sent again. */
export type ClaimedTurn =
  | { kind: "runs"; turn: Turn; opening: Opening }
  | { kind: "ended"; events: readonly TurnEvent[] };

/** What the HTTP request gives to the turn that it runs. */
interface Caller {
  requestId: string;
  inputHash: string;
  apiKey?: string | undefined;
  /** Header `x-mcp-tokens`. */
  mcpTokens?: string | undefined;
  /** See ClaimRequest. Undefined keeps what an earlier claim brought. */
  posted?: string | null | undefined;
  say: Say;
  /** Grows while the turn runs. */
  steers: Steer[];
  attending: Attending;
}

/** Hash of what identifies a turn. Another input under the same id is refused. */
export function hashInput(request: TurnRequest): Promise<string> {
  const { mode, model, input, sandboxId, messages, plan } = request;
  // Browsers replace subscriptions at any time, so the push address is not part of a turn's identity.
  const { notify: _, ...options } = request.options;
  // Only the ids of the history are hashed: content under an id never changes, and each post would hash megabytes.
  const history = messages.map(({ id }) => id);
  const held = plan && { version: plan.version, hash: plan.hash };
  return sha256Hex(JSON.stringify({ mode, model, input, options, sandboxId, history, held }));
}

/**
 * Checks the request and claims the turn. Throws HandrailError before anything ran: `invalid_request`,
 * `stale_plan`, `stale_epoch`, `key_reused`, `history_differs`, `sandbox_unreachable`.
 */
export async function claimTurn(
  deps: Deps,
  posted: TurnRequest,
  signals: TurnSignals,
  caller: Caller,
): Promise<ClaimedTurn> {
  for (let insight: Insight = {}; ; ) {
    try {
      return await claimAs(deps, posted, insight, signals, caller);
    } catch (error) {
      const more = insightOf(error, posted, insight);
      if (!more) throw error;
      insight = { ...insight, ...more };
    }
  }
}

/** What the sandbox's refusal says about an opening that it would accept; undefined if `known` contains it already. */
function insightOf(error: unknown, { plan, counts }: TurnRequest, known: Insight): Insight | undefined {
  if (!(error instanceof HandrailError) || error.code !== "stale_plan") return undefined;
  if (error.details?.mayHaveRun === true) return known.mayHaveRun ? undefined : { mayHaveRun: true };
  return counts === "client" && plan && !known.asProposed ? { asProposed: true } : undefined;
}

async function claimAs(
  deps: Deps,
  posted: TurnRequest,
  insight: Insight,
  signals: TurnSignals,
  caller: Caller,
): Promise<ClaimedTurn> {
  const { apiKey, inputHash, requestId, say, steers } = caller;
  checkOptions(posted);
  checkHistory(posted.messages);
  const model = withEffort(chooseModel(deps.providers, posted.model), posted.options.effort);
  const { explore } = posted.options;
  if (explore?.model) chooseModel(deps.providers, explore.model, "options.explore.model");
  const chosen = await withLoadedWindow(deps, model);
  const whole = cutToMarker(posted.messages);
  const fresh = await cleanContext(posted, whole, chosen, deps.now());
  const { messages, carried } = fresh ?? whole;
  const request = { ...posted, messages };
  checkAttachments(request, chosen.model);
  const toolProtocol = await chooseProtocol(deps, request, chosen, apiKey);
  const brought = request.options.mcp?.length
    ? (await import("../mcp/for-turn.ts")).forTurn(deps, request, caller.mcpTokens)
    : undefined;
  const hooking =
    request.options.hooks || request.input.type === "hooks"
      ? await import("../hooks/for-turn.ts")
      : undefined;
  const hooks = await hooking?.hooksForTurn(deps, request);
  const opening = await openTurn({
    request,
    model: { provider: chosen.provider.id, id: chosen.model.id },
    toolProtocol,
    now: deps.now(),
    scan: [
      ...(fresh ? [] : await scanWorkspace(deps, request)),
      ...(hooking?.hooksChanged(hooks, { ...posted, ...whole }, deps.now()) ?? []),
    ],
    fresh: fresh?.marker,
    taken: await takenPlan(deps, request),
    hooks,
    carried,
    meta: openingMeta(deps.host, request, carried, chosen),
    insight,
  });
  // A rewind asks no model, so the plan need not fit its window.
  if (request.input.type !== "rewind") checkPlanFits(opening.plan, promptBudget(chosen.model.contextWindow));
  const draft = new ReplayLog([], []);
  for (const event of opening.drafts) draft.stage(event);
  const { contextWindow } = chosen.model;
  const context = {
    ...newContext(deps.host, request, { ...opening, contextWindow }),
    ...(hooks ? { hooks } : {}),
    ...(request.plan ? { planContent: await heldContent(request.plan) } : {}),
  };
  const claim: ClaimRequest = {
    epoch: request.attempt,
    inputHash,
    record: draft.unrecorded.map(({ id, event, data }) => ({ id, event, data })),
    ...(opening.resolves === undefined ? {} : { resolves: opening.resolves }),
    ...(opening.permits === undefined ? {} : { permits: opening.permits }),
    ...(opening.alsoPermits === undefined ? {} : { alsoPermits: opening.alsoPermits }),
    ...(opening.cancels === undefined ? {} : { cancels: opening.cancels }),
    context,
    ...(insight.asProposed ? {} : await postedPlan(request)),
    ...clientHistory(request),
    ...(caller.posted === undefined ? {} : { posted: caller.posted }),
  };
  const claimed = await deps.sandbox.claim(request.sandboxId, request.turnId, claim, caller.attending);
  const { turnId, after, seen, counts } = request;
  const stored = { turnId, after, ...(seen === undefined ? {} : { seen }) };
  if (claimed.finished) return { kind: "ended", events: [...toldToEnd(claimed.records, stored, counts)] };
  // The opening is journaled with the claim, except for a turn that was stopped before it started.
  const records = claimed.records.length > 0 || claimed.stopped ? claimed.records : draft.unrecorded;
  steers.unshift(...(claimed.steers ?? []));
  const fixed = firstContext(claimed.context) ?? context;
  // Only the first claim's plan was compared with the journal.
  if (fixed.planContent !== undefined && fixed.planContent !== context.planContent)
    throw new HandrailError(
      "key_reused",
      "This turn was posted with another plan. Post it as it was, or send a new turn with a new id.",
    );
  const redactors = redactorsOf(deps, apiKey, brought?.secrets);
  const log = new ReplayLog(records, claimed.results, { stored, own: redactors.own });
  for (const key of claimed.begun ?? []) log.markBegun(key);
  const ends = claimed.stopped ? { ...signals, stop: AbortSignal.abort() } : signals;
  const turn: Turn = new Turn(
    {
      deps,
      request,
      requestId,
      ...chosen,
      apiKey,
      redactors,
      startedAt: deps.elapsed(),
      context: fixed,
      isOlder: isOlder(fixed),
      baseline: fixed.baseline === true,
      carried,
      grants: claimed.grants ?? [],
      asked: claimed.asked,
      network: claimed.network,
      hooks: hooking?.hooksOf(fixed.hooks, claimed.grants, request.plan),
      foreign: await brought?.tools(ends.stop, (input, init) => turn.fetch(input, init)),
      signals: ends,
      say,
      steers,
    },
    { ...stateBefore(request, opening, claimed.run), toolProtocol, omit: omitted(deps, request, chosen) },
    log,
  );
  return { kind: "runs", turn, opening };
}

/**
 * The remaining history when the person approves a plan and starts fresh. Loaded when needed: few turns start fresh.
 */
async function cleanContext(
  request: TurnRequest,
  whole: CutHistory,
  chosen: ChosenModel,
  now: number,
): Promise<Fresh | undefined> {
  if (request.input.type !== "approve" || request.input.fresh !== true) return undefined;
  const { startFresh } = await import("../inputs/fresh-context.ts");
  return startFresh(whole, request, { name: modelName(chosen), price: chosen.model.price }, now);
}

async function takenPlan(deps: Deps, request: TurnRequest): Promise<Installation | undefined> {
  const { input } = request;
  if (input.type !== "take_plan") return undefined;
  const { takePlan } = await import("../inputs/take-plan.ts");
  return takePlan(deps, request, input, deps.now());
}

/** The state before the opening is emitted. `asked`: the run that earlier answers asked for, as the journal says. */
function stateBefore(request: TurnRequest, { ledger, run, takesUpRun }: Opening, asked: RunMode | undefined) {
  const { messages, mode, plan } = request;
  return {
    history: [...messages],
    mode,
    plan,
    ledger,
    run: run ?? (takesUpRun ? (asked ?? null) : null),
    round: 0,
  };
}

/**
 * What the client knows about the plan, for the sandbox to compare with its journal. A text that the person edited is
 * parsed again, so its old structure is not compared. A new conversation need not know about a plan.
 */
async function postedPlan({ plan, messages }: TurnRequest): Promise<Pick<ClaimRequest, "plan">> {
  if (plan) {
    const { version, hash, status } = plan;
    const underWay = isUnderWay(status);
    const edited = (await sha256Hex(plan.markdown)) !== hash;
    const content = edited ? {} : { content: await sha256Hex(planContent(plan)) };
    return { plan: { version, hash, underWay, ...content } };
  }
  return messages.length > 0 ? { plan: null } : {};
}

/** Hash of what the plan would run, and whether it may. */
function heldContent(plan: Plan): Promise<string> {
  return sha256Hex(JSON.stringify([isUnderWay(plan.status), planContent(plan)]));
}

/** What the client says it has, for the sandbox to compare and keep. */
function clientHistory({ after, client, seen, stored, counts }: TurnRequest): Partial<ClaimRequest> {
  return {
    ...(after > 0 ? { after } : {}),
    ...(client === undefined ? {} : { client }),
    ...(seen === undefined ? {} : { seen }),
    ...(stored === undefined ? {} : { stored }),
    ...(counts === undefined ? {} : { counts }),
  };
}

/** What an earlier claim fixed; undefined if this claim is the first, or an older version made the earlier one. */
function firstContext(kept: unknown): TurnContext | undefined {
  const parsed = z.safeParse(TurnContext, kept);
  return parsed.success ? parsed.data : undefined;
}
