// The button that approves the plan, with a menu of the other ways to approve beside it.

import { openSheet } from "../browser/sheet.ts";
import { approve } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { Icon } from "./icon.tsx";

export function ApproveSplit({ session }: { session: OpenSession }) {
  return (
    <div class="split">
      <button type="button" class="button go" onClick={() => approve(session, "normal")}>
        Approve and run
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
