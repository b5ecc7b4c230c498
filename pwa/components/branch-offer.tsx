// Offered before the first write in a served folder with its default branch checked out: a branch of the session's own.
import { changeSettings, settings } from "../app/app-state.ts";
import { hasKeyboard } from "../browser/screen.ts";
import { openSheet } from "../browser/sheet.ts";
import type { OpenSession } from "../session/open-session.ts";
import { focusComposer } from "./composer.tsx";
import { oneLineOf } from "./shown-text.ts";

/** Without an answer, the next session asks again; "Stay" is remembered for the folder. */
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
          onClick={() => {
            void changeSettings({ staysOnBranch: [...staysOnBranch, workspace] });
            // This button disappears.
            if (hasKeyboard.value) focusComposer.value += 1;
          }}
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
