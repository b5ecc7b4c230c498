// The mode of the next request, directly below the input; for the first messages, also what the mode means.
import { waitingFor } from "../../shared/session/waiting.ts";
import { knowsCaptions } from "../app/app-state.ts";
import { hasKeyboard } from "../browser/screen.ts";
import { openSheet } from "../browser/sheet.ts";
import { askedNow } from "../session/decisions.ts";
import type { OpenSession } from "../session/open-session.ts";
import { modeMeanings, modeNames } from "../words/mode-words.ts";

export function ModePill({ session }: { session: OpenSession }) {
  const mode = session.settled.value.head.mode;
  // A pending decision needs the space of the explanation, unless it is that of plan mode.
  const waits = waitingFor(session.settled.value).kind !== "nothing" || askedNow(session)?.next !== undefined;
  const decides = session.writes.value && waits;
  const keyboard = hasKeyboard.value;
  const demo = session.record.value.demo;
  const means = !knowsCaptions.value && (!decides || mode === "plan");
  return (
    <div class="mode-row">
      <button
        type="button"
        class={`pill ${mode}`}
        disabled={!session.types.value}
        aria-haspopup="dialog"
        aria-label={keyboard ? undefined : `${modeNames[mode]}: ${modeMeanings[mode]}. Change mode`}
        onClick={() => openSheet({ kind: "mode" })}
      >
        <span class="dot" aria-hidden="true" />
        {keyboard ? `${modeNames[mode]} (shift+tab to toggle)` : modeNames[mode]}
      </button>
      {(means || (decides && demo)) && (
        <span class="mode-meaning">
          {decides && demo && <b class="mode-demo">Scripted demo</b>}
          {decides && demo && means && " · "}
          {means && modeMeanings[mode]}
        </span>
      )}
    </div>
  );
}
