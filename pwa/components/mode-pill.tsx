// The mode of the next request, directly under the input, and what it means.
import type { Mode } from "../../shared/mode.ts";
import { cycleMode } from "../state/intents.ts";
import { hasKeyboard } from "../state/keyboard.ts";
import type { OpenSession } from "../state/open-session.ts";

const names: Record<Mode, string> = { normal: "Normal mode", plan: "Plan mode on", auto: "Auto mode on" };
const meanings: Record<Mode, string> = {
  normal: "asks before it deletes or pushes",
  plan: "nothing is written until you approve",
  auto: "works without asking, but asks before it pushes",
};

export function ModePill({ session }: { session: OpenSession }) {
  const mode = session.state.value.head.mode;
  const keyboard = hasKeyboard.value;
  return (
    <div class="mode-row">
      <button
        type="button"
        class={`pill ${mode}`}
        disabled={!session.writes.value}
        aria-label={keyboard ? undefined : `${names[mode]}: ${meanings[mode]}. Change mode`}
        onClick={() => cycleMode(session)}
      >
        <span class="dot" aria-hidden="true" />
        {keyboard ? `${names[mode]} (shift+tab to toggle)` : names[mode]}
      </button>
      <span class="mode-meaning">{meanings[mode]}</span>
    </div>
  );
}
