// Decides whether approving a plan also clears the context, by the setting and by how full the context is, and says
// what that saves.
import type { ModelRef } from "../../shared/event.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { pickOf } from "../session/chosen-model.ts";
import { freshFigures, isHalfFull } from "../session/fresh-context.ts";
import type { OpenSession } from "../session/open-session.ts";
import { config, settings } from "./app-state.ts";

/** The model that carries out an approved plan; null if it is not known now. */
function runModel(session: OpenSession): ModelRef | null {
  const provider = config.value?.providers[0];
  const model = provider?.models[0];
  const served = provider && model ? { provider: provider.id, id: model.id } : null;
  return pickOf(session.record.value, "run").model ?? served;
}

/** What a clean context with `plan` would save; undefined if that is too little to be offered. */
export function savedByFresh(session: OpenSession, plan: Plan) {
  return freshFigures(session.settled.value, plan, config.value, runModel(session));
}

/**
 * Whether approving the plan starts with a clean context. False if that saves so little that the screen does not
 * mention it: the context must not be cleared without a word.
 */
export function startsFresh(session: OpenSession): boolean {
  const state = session.settled.value;
  const { plan } = state.head;
  if (settings.value.freshAtHalf === false || plan === null) return false;
  return isHalfFull(state, config.value, runModel(session)) && savedByFresh(session, plan) !== undefined;
}
