// A posted turn becomes one that runs: what may be refused is refused here, then the journal is claimed. Knows no HTTP.
import * as z from "zod/mini";
import type { TurnEvent } from "../../shared/event.ts";
import type { ClaimRequest } from "../../shared/journal.ts";
import { planContent } from "../../shared/plan/plan-body.ts";
import { createRedactor } from "../../shared/redact/redactor.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import { promptBudget } from "../context/estimate.ts";
import { cutToMarker } from "../context/long-history.ts";
import type { Deps } from "../deps.ts";
import { openTurn } from "../inputs/opening.ts";
import { lookAround } from "../inputs/scan.ts";
import { sha256Hex } from "../plan/hash.ts";
import { checkPlanFits } from "../plan/plan-room.ts";
import type { Attending } from "../sandbox/client.ts";
import { newContext, openingMeta } from "./budget.ts";
import { checkHistory } from "./check-request.ts";
import { runTurn } from "./loop.ts";
import { durableEvent, TurnLog } from "./replay-log.ts";
import { checkAttachments, checkOptions, chooseModel, chooseProtocol, omitted } from "./settings.ts";
import type { Say, TurnSignals, TurnState } from "./state.ts";
import { TurnContext } from "./turn-context.ts";

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
