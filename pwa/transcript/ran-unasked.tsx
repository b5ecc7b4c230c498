// At the end of a turn in auto mode: the commands that ran without a question, and a button that undoes them.

import { ranUnasked } from "../../shared/session/ran-unasked.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { openSheet } from "../browser/sheet.ts";
import { oneLineOf } from "../components/shown-text.ts";
import type { OpenSession } from "../session/open-session.ts";

export function RanUnasked({ session }: { session: OpenSession }) {
  const { entries } = session.settled.value;
  const { commands: ran, turnIds } = ranUnasked(entries);
  if (ran.length === 0) return null;
  // If a permission was asked for in between, the turn after it has an undo point of its own. The first point undoes
  // everything.
  const point = (session.record.value.undoPoints ?? []).find(({ turnId }) => turnIds.has(turnId));
  return (
    <details class="row ran-unasked">
      <summary class="muted">
        Ran without asking: <b>{ran.length}</b>
      </summary>
      <ul aria-label={`${plural(ran.length, "command")} that ran without asking`}>
        {ran.map((command, at) => (
          <li key={at}>
            <code>{oneLineOf(command)}</code>
          </li>
        ))}
      </ul>
      {point !== undefined && session.writes.value && (
        <button
          type="button"
          class="text-button"
          onClick={() => openSheet({ kind: "undo", stepId: point.turnId })}
        >
          Undo this turn
        </button>
      )}
    </details>
  );
}
