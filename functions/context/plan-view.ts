// Decides where a request shows the text of a plan (PROTOCOL 7 "Where the body is shown"). render.ts writes it.
import type { EventMessage, Message, PlanMessage } from "../../shared/message.ts";
import { isTruncationMarker } from "../../shared/plan/scalars.ts";

/**
 * The plans in a history, collected once per prompt. Position decides which is newest: a reset starts counting versions
 * again.
 */
export interface PlanView {
  /** The current plan message, if the history has one. */
  newest: PlanMessage | undefined;
  /** Id of the call or message with the newest body; undefined if the history has none. */
  carrier: string | undefined;
  /** true = the plan message itself shows the body, as a block. */
  asBlock: boolean;
  /** Id of the mode switch that shows the plan it was made with. */
  shownSwitch: string | undefined;
  /** Id of the last change of mode. */
  lastSwitch: string | undefined;
  /** Versions by the call or message that installed them. */
  versionByOrigin: ReadonlyMap<string, number>;
  /** Ids of calls and assistant messages in the history, and of notices about checks. */
  present: ReadonlySet<string>;
  /**
   * Ids of `set_plan` calls whose arguments are obsolete: calls before the newest version, repetitions of the active
   * plan, and calls that were not run. A failed call is kept so that the model can correct it.
   */
  pastCalls: ReadonlySet<string>;
  /** Ids of the updates to the newest version. */
  updates: ReadonlySet<string>;
  /** Ids of the tool messages that are the last in their round. */
  lastResults: ReadonlySet<string>;
}

const originPrefix = "plan:";

/** Id of the hidden message for a call or text; `origin` = its tool call id or message id. */
export function planMessageId(origin: string): string {
  return `${originPrefix}${origin}`;
}

/** The origin in a plan message's id, or undefined if a person's edit made it. */
export function originOf(message: PlanMessage): string | undefined {
  return message.id.startsWith(originPrefix) ? message.id.slice(originPrefix.length) : undefined;
}

export function viewPlans(history: readonly Message[]): PlanView {
  let newest: PlanMessage | undefined;
  let carrying: EventMessage | undefined;
  let last: EventMessage | undefined;
  const updates = new Set<string>();
  const versionByOrigin = new Map<string, number>();
  const present = new Set<string>();
  const pastCalls = new Set<string>();
  let recentCalls: string[] = [];
  const lastResults = new Set<string>();
  let lastResult: string | undefined;
  const endRound = () => {
    if (lastResult !== undefined) lastResults.add(lastResult);
    lastResult = undefined;
  };
  for (const message of history) {
    if (message.role === "assistant" || message.role === "user") endRound();
    if (message.role === "tool") lastResult = message.id;
    if (message.role === "assistant") {
      present.add(message.id);
      for (const call of message.toolCalls ?? []) {
        present.add(call.id);
        if (call.name === "set_plan") recentCalls.push(call.id);
      }
    } else if (message.role === "tool") {
      const { name, ok, content, toolCallId, meta } = message;
      const repeats = ok ? meta?.facts?.unchanged === true : !content.startsWith("error: ");
      if (name === "set_plan" && repeats) pastCalls.add(toolCallId);
    } else if (message.role === "plan") {
      newest = message;
      for (const id of recentCalls) pastCalls.add(id);
      recentCalls = [];
      carrying = undefined;
      updates.clear();
      const origin = originOf(message);
      if (origin !== undefined) versionByOrigin.set(origin, message.extra.plan.version);
    } else if (message.role === "event") {
      const { subkind, data } = message.extra.event;
      if (data.tells === true) present.add(message.id);
      if (subkind === "plan_delta") updates.add(message.id);
      if (subkind === "mode_switch") {
        last = message;
        if (typeof data.planVersion === "number") carrying = message;
      }
    }
  }
  endRound();
  const carrier = carrierOf(newest, present);
  // Back in plan mode, the body is shown elsewhere, so it is removed from an earlier switch.
  const planning = last?.extra.event.data.to === "plan";
  const shownSwitch = planning && newest ? undefined : carrying?.id;
  const asBlock = newest !== undefined && carrier === undefined && shownSwitch === undefined;
  return {
    newest,
    carrier,
    asBlock,
    shownSwitch,
    lastSwitch: last?.id,
    versionByOrigin,
    present,
    pastCalls,
    updates,
    lastResults,
  };
}

function carrierOf(newest: PlanMessage | undefined, present: ReadonlySet<string>): string | undefined {
  const origin = newest ? originOf(newest) : undefined;
  if (!newest || origin === undefined || !present.has(origin)) return undefined;
  // The call still contains a body that was cut to the size limit; a block with the cut body replaces it.
  return newest.extra.plan.markdown.split("\n").some(isTruncationMarker) ? undefined : origin;
}
