// The opening of a turn (PROTOCOL 3.1 "Opening"): its first durable events, made from the request alone.
import { invalidField } from "../../shared/errors.ts";
import type { DurableDraft, ModelRef, ToolProtocol } from "../../shared/event.ts";
import type { Permit } from "../../shared/grant.ts";
import type { ProjectHooks } from "../../shared/hooks.ts";
import type { EventMessage, Message, ResultMeta } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import { isUnderWay } from "../../shared/plan/is-active-plan.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { isEventOf } from "../../shared/session/history.ts";
import type { RunMode, TurnRequest } from "../../shared/turn.ts";
import { openCalls } from "../calls/open-calls.ts";
import { wasApproved } from "../calls/permission.ts";
import type { OpenLedger } from "../calls/tool-turn.ts";
import { needsMarker } from "../compaction/marker.ts";
import type { Carried } from "../context/carried.ts";
import { foreignTools, modeSwitchDrafts } from "../context/mode-switch.ts";
import { planPrompt } from "../context/system-prompt.ts";
import { approvalNotice, handEdit, type Installation } from "../plan/installing.ts";
import { isPlanned, visibleTools } from "../tools/offered-tools.ts";
import { findTool } from "../tools/tool-index.ts";
import { asksQuestions } from "./answers.ts";
import { asMessage, draftWithMeta, type InputEffect, type Prelude, resultMessage } from "./messages.ts";
import { readInput } from "./read-input.ts";

export interface Opening {
  drafts: DurableDraft[];
  /** The plan file after the opening. */
  plan: Plan | null;
  /** What this turn alone may decide: `proposal:VERSION:HASH` or `call:ID`. */
  resolves?: string;
  permits?: Permit;
  alsoPermits?: Permit[];
  /** The first open call, closed as one that waited for a permission: see ClaimRequest. */
  cancels?: string;
  prelude: Prelude;
  ledger: OpenLedger | null;
  run: RunMode | null;
  /**
   * Whether the turn continues after answered questions. It then also continues the run that the answers asked for, if
   * the journal holds one.
   */
  takesUpRun: boolean;
}

export interface OpeningContext {
  request: TurnRequest;
  model: ModelRef;
  toolProtocol: ToolProtocol;
  now: number;
  /** Hidden messages before the input's own: the context scan. */
  scan: Message[];
  /** The marker of a turn that starts fresh; the request's messages are what remains after it. */
  fresh?: EventMessage | undefined;
  /** For the input `take_plan`: the plan made from its text. */
  taken?: Installation | undefined;
  /** The project's hooks as they are now. */
  hooks?: ProjectHooks | undefined;
  /** What the turn still needs of the messages that a marker replaced. */
  carried: Carried;
  /** `[meta]` numbers of the results that are given here. */
  meta: ResultMeta;
  /** Missing if the sandbox has not refused an opening. */
  insight?: Insight;
}

/** Facts that only the sandbox's journal knows, learned from a refused claim. */
export interface Insight {
  /** The first open call may have run before the person denied it or said something else, or before its turn ended. */
  mayHaveRun?: true;
  /** The client's history counts, but its plan differs from the journal's, so it is proposed and approved again. */
  asProposed?: true;
}

/** Throws HandrailError: `invalid_request` or `stale_plan`, before anything is claimed. */
export async function openTurn(context: OpeningContext): Promise<Opening> {
  const { request, model, toolProtocol, now, scan, carried, insight = {} } = context;
  const { turnId } = request;
  const edited = request.plan
    ? await handEdit(request.plan, { turnId, now, mode: request.mode }, request.messages)
    : undefined;
  const posted = context.taken?.plan ?? edited?.plan ?? request.plan;
  const plan = posted && insight.asProposed ? asProposed(posted) : posted;
  const { input } = request;
  const effect =
    input.type === "hooks"
      ? (await import("../hooks/allow-hooks.ts")).allowHooks(request, input.hash, context.hooks, now)
      : await readInput(request, input, plan, now, insight.mayHaveRun);
  // A waiting call stays open beside the hooks: the edit could change what it runs.
  if (input.type === "hooks" && edited && effect.keeps?.length)
    throw invalidField("plan.markdown", "a call waits. Decide on it first, then send the edit");
  const mode = effect.mode ?? request.mode;

  const drafts: DurableDraft[] = [
    { event: "turn.started", data: { turnId, mode, model, toolProtocol, format: 1 } },
    ...(edited?.drafts ?? []),
    ...(context.taken?.drafts ?? []),
    ...(plan && insight.asProposed ? proposedAnew(plan) : []),
  ];
  const planNow = effect.plan ?? plan;
  if (effect.plan) drafts.push({ event: "plan", data: { plan: effect.plan } });

  const callers = request.messages[0]?.role === "system";
  const from =
    knownMode(request.messages, mode) ?? carried.mode ?? (callers && mode === "plan" ? "normal" : mode);
  if (from !== mode) {
    const switched = modeSwitchDrafts({
      id: `${turnId}.switch`,
      at: now,
      from,
      to: mode,
      reason: effect.reason ?? "chosen by the person",
      plan: planNow,
      approved: effect.approved ?? wasApproved(planNow, request.messages),
      offered: [
        ...visibleTools(request.options, mode, isPlanned(mode, planNow, request.messages), request.messages),
        ...foreignTools(request.options),
      ],
      instruction: callers && mode === "plan" ? planPrompt(request.options.planPrompt) : undefined,
      history: request.messages,
    });
    // A plan that was approved for later starts with the first turn that works on it.
    if (planNow?.status === "approved" && mode !== "plan")
      drafts.push({ event: "plan", data: { plan: { ...planNow, status: "executing" } } });
    drafts.push(...switched);
  }
  // Only a switch out of planning carries the plan, and says that it was approved.
  if (effect.approved && planNow && from !== "plan")
    drafts.push(approvalNotice(planNow, { id: `${turnId}.approval`, now, mode }));
  const closed = closeCalls(request, effect, { mode, now, mayHaveRun: insight.mayHaveRun === true });
  const messages = [...closed.results, ...[...scan, ...effect.messages].map(asMessage)];
  const asked = effect.run && { run: effect.run, planHash: planNow?.hash };
  drafts.push(...messages.map((draft) => draftWithMeta(draft, context.meta, asked)), ...(effect.after ?? []));
  return {
    drafts: await withMarker(drafts, context),
    plan: planNow,
    ...(effect.resolves === undefined ? {} : { resolves: effect.resolves }),
    ...(effect.permits === undefined ? {} : { permits: effect.permits }),
    ...(effect.alsoPermits === undefined ? {} : { alsoPermits: effect.alsoPermits }),
    ...(closed.cancels === undefined ? {} : { cancels: closed.cancels }),
    prelude: effect.prelude ?? { kind: "none" },
    ledger: effect.ledger ?? null,
    run: effect.run ?? null,
    takesUpRun: mode === "plan" && (request.input.type === "continue" || request.input.type === "permit"),
  };
}

/** Adds the marker that a long history needs, if this turn has a place for it. */
async function withMarker(drafts: DurableDraft[], context: OpeningContext): Promise<DurableDraft[]> {
  const { request, carried, now, fresh } = context;
  if (fresh) return drafts.toSpliced(1, 0, asMessage(fresh));
  const { messages, turnId, mode, plan } = request;
  const at = needsMarker(messages) ? placeOfMarker(drafts, messages) : undefined;
  if (at === undefined) return drafts;
  const before = drafts.slice(0, at);
  const id = `${turnId}.marker`;
  const history = { messages: [...messages, ...messagesIn(before)], carried };
  const { makeMarker } = await import("../compaction/make-marker.ts");
  return [...before, asMessage(makeMarker(history, plan, { id, at: now, mode })), ...drafts.slice(at)];
}

/** The journal does not know this plan, so its approval does not count. */
function asProposed(plan: Plan): Plan {
  return isUnderWay(plan.status) ? { ...plan, status: "proposed" } : plan;
}

function proposedAnew(plan: Plan): DurableDraft[] {
  const { version, hash, status } = plan;
  const proposal: DurableDraft = { event: "proposal", data: { planVersion: version, planHash: hash } };
  return [{ event: "plan", data: { plan } }, ...(status === "proposed" ? [proposal] : [])];
}

function messagesIn(drafts: readonly DurableDraft[]): Message[] {
  return drafts.flatMap((draft) => (draft.event === "message" ? [draft.data.message] : []));
}

/**
 * Index among the drafts where the marker of a long history goes: after the results that close open calls, before
 * everything else that this turn adds. Undefined if calls stay open, or a change of mode precedes their results: a
 * later turn sets the marker.
 */
function placeOfMarker(drafts: readonly DurableDraft[], history: readonly Message[]): number | undefined {
  let open = openCalls(history)?.ordinals.length ?? 0;
  if (open === 0) return 1;
  for (const [index, draft] of drafts.entries()) {
    if (draft.event !== "message") continue;
    const { message } = draft.data;
    if (message.role === "tool") open -= 1;
    else if (!isEventOf(message, "tool_decision")) return undefined;
    if (open === 0) return index + 1;
  }
  return undefined;
}

/**
 * The mode that the model knows: that of the last assistant message, undefined before the first one. A later switch to
 * a mode other than `now` counts instead: the model has not answered since, but it reads the switch.
 */
function knownMode(messages: readonly Message[], now: Mode): Mode | undefined {
  const answered = messages.findLastIndex((message) => message.role === "assistant");
  const told = switches(messages.slice(answered + 1)).at(-1)?.mode;
  return told === undefined || told === now ? messages[answered]?.mode : told;
}

function switches(messages: readonly Message[]): EventMessage[] {
  return messages.filter(
    (message): message is EventMessage =>
      message.role === "event" && message.extra.event.subkind === "mode_switch",
  );
}

/** For a call without a result: its turn failed, the journal was damaged, or the server died. */
const resultLost = "error: no result of this was recorded. It may have run: look before doing it again.";
const cancelled = "cancelled: the person said something else instead";

interface ClosingTime {
  mode: Mode;
  now: number;
  mayHaveRun: boolean;
}

/** Results for the open calls that this input does not resolve, and which call they say waited for a permission. */
function closeCalls(
  request: TurnRequest,
  effect: InputEffect,
  { mode, now, mayHaveRun }: ClosingTime,
): { results: DurableDraft[]; cancels?: string } {
  const open = openCalls(request.messages);
  const calls = (open?.ordinals ?? [])
    .filter((ordinal) => !effect.keeps?.includes(ordinal))
    .flatMap((ordinal) => open?.message.toolCalls?.[ordinal] ?? []);
  const [first] = calls;
  if (!first) return { results: [] };
  const waited = findTool(first.name)?.waits === true && !mayHaveRun;
  const content = waited ? cancelled : resultLost;
  return {
    results: calls.map((call) => asMessage(resultMessage(call, { ok: false, content, at: now, mode }))),
    // Questions always wait; for other calls only the journal knows whether the person was asked.
    ...(waited && !asksQuestions(first.name) ? { cancels: first.id } : {}),
  };
}
