// The mode of the next request, directly under the input, and what it means.
import { waitingFor } from "../../shared/session/waiting.ts";
import { hasKeyboard } from "../browser/screen.ts";
import { cycleMode } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { modeMeanings, modeNames } from "../words/mode-words.ts";

export function ModePill({ session }: { session: OpenSession }) {
  const mode = session.settled.value.head.mode;
  // While something is to be decided, the room belongs to that; but what plan mode promises is said where it counts.
  const decides = session.writes.value && waitingFor(session.settled.value).kind !== "nothing";
  const keyboard = hasKeyboard.value;
  const demo = session.record.value.demo;
  return (
    <div class="mode-row">
      <button
        type="button"
        class={`pill ${mode}`}
        disabled={!session.writes.value}
        aria-label={keyboard ? undefined : `${modeNames[mode]}: ${modeMeanings[mode]}. Change mode`}
        onClick={() => cycleMode(session)}
      >
        <span class="dot" aria-hidden="true" />
        {keyboard ? `${modeNames[mode]} (shift+tab to toggle)` : modeNames[mode]}
      </button>
      {(!decides || mode === "plan" || demo) && (
        <span class="mode-meaning">
          {decides && demo && <b class="mode-demo">Scripted demo</b>}
          {decides && demo && mode === "plan" && " · "}
          {(!decides || mode === "plan") && modeMeanings[mode]}
        </span>
      )}
    </div>
  );
}
