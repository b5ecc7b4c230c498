// The bar below the changes: sends the comments if there are any, otherwise offers undo and commit.
import { plural } from "../../shared/session/session-summary.ts";
import { openSheet } from "../browser/sheet.ts";
import { tell } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { commentsMessage } from "./comments-message.ts";
import { beginnings } from "./read-changes.ts";

export function ChangesBar({
  session,
  changed,
  onSent,
}: {
  session: OpenSession;
  changed: boolean;
  onSent(): void;
}) {
  if (!session.writes.value) return null;
  const comments = session.draft.value.lineComments.filter(({ text }) => text.trim() !== "");
  const { undoPoints = [] } = session.record.value;
  const undo = undoPoints.length > 0 || beginnings(session.state.value.head.plan).length > 0;
  const { committed } = session.settled.value.head;
  if (comments.length === 0 && !changed && !undo && committed === null) return null;
  const runs = session.outbox.value.turn !== null;
  return (
    <footer class="bar">
      <div class="actions">
        {undo && (
          <button
            type="button"
            class="button soft"
            disabled={runs}
            onClick={() => openSheet({ kind: "undo" })}
          >
            Undo to…
          </button>
        )}
        {comments.length > 0 ? (
          <button
            type="button"
            class="button go grow"
            onClick={() => {
              tell(session, commentsMessage(comments), { lineComments: [] });
              onSent();
            }}
          >
            {runs ? "Queue" : "Send"} {plural(comments.length, "comment")}
          </button>
        ) : changed ? (
          <button type="button" class="button go grow" onClick={() => openSheet({ kind: "commit" })}>
            Commit
          </button>
        ) : (
          committed !== null && (
            <button
              type="button"
              class="button go grow"
              onClick={() => openSheet({ kind: "push", branch: committed.branch })}
            >
              Push…
            </button>
          )
        )}
      </div>
    </footer>
  );
}
