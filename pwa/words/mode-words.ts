// The names and meanings of the modes, for the mode button and the slash commands.
import type { Mode } from "../../shared/mode.ts";

export const modeNames: Record<Mode, string> = {
  normal: "Normal mode on",
  plan: "Plan mode on",
  auto: "Auto mode on",
};

export const modeMeanings: Record<Mode, string> = {
  normal: "asks before it deletes or uses the network",
  plan: "nothing is written until you approve",
  auto: "asks before the network, and before what no undo restores",
};
