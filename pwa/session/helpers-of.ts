// The helpers that turns may send to look around: whether they may, and which model they ask. Pure.
import type { Config } from "../../shared/api.ts";
import type { TurnOptions } from "../../shared/turn.ts";
import type { Settings } from "../storage/settings.ts";

/**
 * Undefined if the person switched them off. A model that the server has no longer, or of which `config` does not tell,
 * is left out: the turn's own is asked.
 */
export function helpersOf(
  { helpers }: Pick<Settings, "helpers">,
  config: Pick<Config, "providers"> | null | undefined,
): TurnOptions["explore"] {
  if (helpers === false) return undefined;
  const provider = config?.providers.find(({ id }) => id === helpers?.provider);
  const known = provider?.models.some(({ id }) => id === helpers?.id);
  return helpers && known ? { model: helpers } : {};
}
