// Offers a branch of the session's own before its first write, if a served folder is on its default branch.
import { changeSettings, settings } from "../app/app-state.ts";
import { hasKeyboard } from "../browser/screen.ts";
import { openSheet } from "../browser/sheet.ts";
import type { OpenSession } from "../session/open-session.ts";
import { focusComposer } from "./composer.tsx";
import { oneLineOf } from "./shown-text.ts";

/** If the person ignores it, the next session asks again; "Stay" is remembered for the folder. */
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
            // The tapped button disappears, so the composer gets the keyboard focus.
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
