// The button that approves the plan, and a button that opens the other ways to approve.

import { startsFresh } from "../app/starts-fresh.ts";
import { openSheet } from "../browser/sheet.ts";
import { approveSeen } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { Icon } from "./icon.tsx";

/** `comments`: there are comments, which are sent with the approval. */
export function ApproveSplit({ session, comments = false }: { session: OpenSession; comments?: boolean }) {
  return (
    <div class="split">
      <button
        type="button"
        class="button go"
        onClick={() => approveSeen(session, "normal", { fresh: startsFresh(session) })}
      >
        {comments ? "Approve with comments" : "Approve and run"}
      </button>
      <button
        type="button"
        class="button go caret"
        aria-label="Other ways to approve"
        aria-haspopup="dialog"
        onClick={() => openSheet({ kind: "approve" })}
      >
        <Icon name="caret" size={18} />
      </button>
    </div>
  );
}
