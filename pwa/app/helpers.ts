// The helpers that turns may send to look around: whether they may, and which model they ask.
import type { TurnOptions } from "../../shared/turn.ts";
import { config, settings } from "./app-state.ts";

/** Undefined where the person switched them off. A model that the server has no longer is left out: the turn's own is asked. */
export function helpersOfTurns(): TurnOptions["explore"] {
  const { helpers } = settings.value;
  if (helpers === false) return undefined;
  const provider = config.value?.providers.find(({ id }) => id === helpers?.provider);
  const known = provider?.models.some(({ id }) => id === helpers?.id);
  return helpers && known ? { model: helpers } : {};
}
