// Shown while the person edits an earlier message to send it again: says what that does, and offers Cancel.
import { plural } from "../../shared/session/session-summary.ts";
import { cancelAgain, editedAgain } from "../session/edit-again.ts";
import type { OpenSession } from "../session/open-session.ts";
import { oneLineOf } from "./shown-text.ts";

export function EditAgainBar({ session }: { session: OpenSession }) {
  const editing = editedAgain(session);
  if (editing === undefined) return null;
  const { said, after, stops } = editing;
  const cut = [
    stops && "the running turn is stopped, and what it has not finished is lost",
    after > 0 && `${plural(after, "later entry", "later entries")} and all changes of files stay`,
  ].filter((part) => part !== false);
  return (
    <div class="edit-again" role="status">
      <p>
        <b>Editing</b> “{oneLineOf(said.slice(0, 80))}”{said.length > 80 && "…"}
        <br />
        <span class="muted">
          It is sent as a new message{cut.length > 0 ? `: ${cut.join("; ")}` : ""}. What was said stays in the
          history.
        </span>
      </p>
      <button type="button" class="text-button" onClick={() => cancelAgain(session)}>
        Cancel
      </button>
    </div>
  );
}
