// Whether a plan that is approved now starts fresh by itself, as the person set it.
import { isHalfFull } from "../session/fresh-context.ts";
import type { OpenSession } from "../session/open-session.ts";
import { settings } from "./app-state.ts";

export function startsFresh(session: OpenSession): boolean {
  return settings.value.freshAtHalf !== false && isHalfFull(session.settled.value);
}
