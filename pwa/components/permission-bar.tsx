// The buttons of a permission. Until its whole text has been on the screen, the green button shows the rest instead of
// allowing the call.
import type { Permission } from "../../shared/session/waiting.ts";
import { openSheet } from "../browser/sheet.ts";
import { decide } from "../session/decisions.ts";
import { askedDelivery, openDelivery } from "../session/deliver.ts";
import { findOut, settle } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { askedKey, seenCommand, showRest } from "../session/seen-command.ts";

interface PermissionBarProps {
  session: OpenSession;
  /** The next waiting permission to decide. */
  permission: Permission;
}

export function PermissionBar({ session, permission }: PermissionBarProps) {
  if (permission.risk === "outcome_unknown") {
    return (
      <div class="actions">
        <button type="button" class="button quiet" onClick={() => openSheet({ kind: "check" })}>
          Check
        </button>
        <button type="button" class="button quiet" onClick={() => settle(session, "done")}>
          Mark as done
        </button>
        <button type="button" class="button soft" onClick={() => settle(session, "again")}>
          Run again
        </button>
        <button type="button" class="button go grow" onClick={() => findOut(session)}>
          Let the agent check
        </button>
      </div>
    );
  }
  const delivery = askedDelivery(permission);
  if (delivery !== undefined) {
    const words = { commit: "Commit…", push: "Push…", pull_request: "Pull request…" };
    return (
      <div class="actions">
        <button type="button" class="button quiet" onClick={() => openSheet({ kind: "deny" })}>
          Not now…
        </button>
        <button type="button" class="button plan grow" onClick={() => openDelivery(session, delivery)}>
          {words[delivery.do]}
        </button>
      </div>
    );
  }
  const key = askedKey(session, permission);
  const changes = permission.risk === "plan_change";
  const isSeen = seenCommand.value.key === key && seenCommand.value.end;
  return (
    <div class="actions">
      <button
        type="button"
        class="button quiet"
        aria-keyshortcuts="3"
        onClick={() => openSheet({ kind: "deny" })}
      >
        {changes ? "Keep the plan…" : "Deny…"}
      </button>
      {permission.risk === "network" && (
        <button type="button" class="button quiet" onClick={() => decide(session, permission, "never")}>
          Never
        </button>
      )}
      {!changes && (
        <button
          type="button"
          class="button soft"
          aria-label="Allow for this session"
          aria-keyshortcuts="2"
          disabled={!isSeen}
          onClick={() => decide(session, permission, "session")}
        >
          This session
        </button>
      )}
      {isSeen ? (
        <button
          key="allow"
          type="button"
          class="button plan grow"
          aria-keyshortcuts="1"
          onClick={() => decide(session, permission, "once")}
        >
          {changes ? "Approve change" : "Allow once"}
        </button>
      ) : (
        <button
          key="rest"
          type="button"
          class="button plan grow"
          aria-keyshortcuts="1"
          onClick={() => showRest(key)}
        >
          Show the rest
        </button>
      )}
    </div>
  );
}
