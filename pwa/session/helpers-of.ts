// The settings for helpers that explore: whether turns may send them, and which model they use. Pure.
import type { Config } from "../../shared/api.ts";
import type { TurnOptions } from "../../shared/turn.ts";
import type { Settings } from "../storage/settings.ts";

/**
 * Undefined if the person switched them off. If the server no longer has the chosen model, or `config` is not known, no
 * model is named, so the helpers use the turn's own.
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
