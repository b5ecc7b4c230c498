// Limits the list of sessions to those in one state. Shown only if there are many sessions.
import { records } from "../app/app-state.ts";
import { type ListedState, pickedState, stateOf } from "../app/listed-sessions.ts";
import "../styles/state-filter.css";

/** The number of sessions from which the filter is shown. */
const worthAFilter = 5;

const words = { needs: "Needs you", works: "Running", rests: "Idle" } as const;

export function StateFilter() {
  const open = records.value.filter(({ archived }) => archived !== true);
  const picked = pickedState.value;
  if (open.length < worthAFilter && picked === null) return null;
  const choice = (state: ListedState | null, name: string, count: number) => (
    <label key={name} class={picked === state ? "on" : ""}>
      <input
        type="radio"
        name="session-state"
        checked={picked === state}
        onChange={() => (pickedState.value = state)}
      />
      <span>
        {name} <span class="count">{count}</span>
      </span>
    </label>
  );
  return (
    <div class="state-filter">
      <div class="segments" role="radiogroup" aria-label="Which sessions are listed">
        {choice(null, "All", open.length)}
        {(["needs", "works", "rests"] as const).map((state) =>
          choice(state, words[state], open.filter((record) => stateOf(record) === state).length),
        )}
      </div>
    </div>
  );
}
