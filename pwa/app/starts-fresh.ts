// Whether approving a plan also clears the context, by the setting and by how full the context is.
import { freshFigures, isHalfFull } from "../session/fresh-context.ts";
import type { OpenSession } from "../session/open-session.ts";
import { config, settings } from "./app-state.ts";

/** Never where it would save too little to be offered: nobody would be told of it. */
export function startsFresh(session: OpenSession): boolean {
  const state = session.settled.value;
  if (settings.value.freshAtHalf === false || !isHalfFull(state) || state.head.plan === null) return false;
  return freshFigures(state, state.head.plan, config.value) !== undefined;
}
