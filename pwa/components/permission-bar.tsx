// The buttons of a permission. What was not seen whole cannot be allowed: the green button shows the rest of it first.
import type * as z from "zod/mini";
import type { durableData } from "../../shared/event.ts";
import { openSheet } from "../browser/sheet.ts";
import { findOut, permit } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { askedKey, seenCommand, showRest } from "../session/seen-command.ts";

interface PermissionBarProps {
  session: OpenSession;
  permission: z.infer<typeof durableData.permission>;
}

export function PermissionBar({ session, permission }: PermissionBarProps) {
  if (permission.risk === "outcome_unknown") {
    return (
      <div class="actions">
        <button type="button" class="button quiet" onClick={() => openSheet({ kind: "check" })}>
          Check
        </button>
        <button type="button" class="button quiet" onClick={() => permit(session, "done")}>
          Mark as done
        </button>
        <button type="button" class="button soft" onClick={() => permit(session, "again")}>
          Run again
        </button>
        <button type="button" class="button go grow" onClick={() => findOut(session)}>
          Let the agent check
        </button>
      </div>
    );
  }
  const key = askedKey(session, permission);
  const changes = permission.risk === "plan_change";
  const isSeen = seenCommand.value.key === key && seenCommand.value.end;
  return (
    <div class="actions">
      <button type="button" class="button quiet" onClick={() => permit(session, "deny")}>
        {changes ? "Keep the plan" : "Deny"}
      </button>
      {!changes && (
        <button
          type="button"
          class="button soft"
          aria-label="Allow for this session"
          disabled={!isSeen}
          onClick={() => permit(session, "session")}
        >
          This session
        </button>
      )}
      {isSeen ? (
        <button key="allow" type="button" class="button go grow" onClick={() => permit(session, "once")}>
          {changes ? "Approve the change" : "Allow once"}
        </button>
      ) : (
        <button key="rest" type="button" class="button go grow" onClick={() => showRest(key)}>
          Show the rest
        </button>
      )}
    </div>
  );
}
