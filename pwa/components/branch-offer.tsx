// Offered before the first write in a served folder whose default branch is checked out: a branch of the session's own.
import { changeSettings, settings } from "../app/app-state.ts";
import { openSheet } from "../browser/sheet.ts";
import type { OpenSession } from "../session/open-session.ts";
import { oneLineOf } from "./shown-text.ts";

/** What is not answered is asked in the next session again; "Stay" is remembered for the folder. */
export function BranchOffer({ session }: { session: OpenSession }) {
  const { workspace, branch = "" } = session.record.value;
  const { staysOnBranch = [] } = settings.value;
  if (staysOnBranch.includes(workspace)) return null;
  return (
    <p class="notice">
      <span>
        It works on <code>{oneLineOf(branch)}</code>.
      </span>
      <span class="notice-actions">
        <button
          type="button"
          class="text-button"
          onClick={() => void changeSettings({ staysOnBranch: [...staysOnBranch, workspace] })}
        >
          Stay there
        </button>
        <button type="button" class="text-button" onClick={() => openSheet({ kind: "branch" })}>
          New branch…
        </button>
      </span>
    </p>
  );
}
