// Asks the agent for a commit of what changed, with a message that can be edited first.
import { plural } from "../../shared/session/session-summary.ts";
import { visibleText } from "../../shared/visible-text.ts";
import { leaveSheetTo } from "../browser/sheet.ts";
import { ConfirmBar } from "../components/confirm-bar.tsx";
import { Sheet } from "../components/sheet.tsx";
import { tell } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";

export function CommitSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const { plan, mode, changes } = session.settled.value.head;
  // A field shows its text as it is, so characters that would be invisible there are written out.
  const proposed = visibleText(plainTitle(plan?.goal ?? session.record.value.title));
  const { commitMessage } = session.draft.value;
  const message = commitMessage === "" ? proposed : commitMessage;
  const runs = session.outbox.value.turn !== null;
  const files = Object.keys(changes).length;
  const planning = mode === "plan";
  const ask = () => {
    const text = `Commit the changes of this session with this message:\n\n${message.trim()}\n\nLook at \`git status\` first; leave out what does not belong to them. Do not push.`;
    tell(session, text, { commitMessage: "" });
    leaveSheetTo({ page: "session", id: session.record.value.id });
  };
  return (
    <Sheet
      title="Commit"
      subtitle={files === 0 ? undefined : `${plural(files, "file")} edited by the agent`}
      onClose={onClose}
      bar={
        <ConfirmBar onCancel={onClose}>
          <button
            type="button"
            class="button go grow"
            disabled={message.trim() === "" || planning}
            onClick={ask}
          >
            {runs ? "Queue the commit" : "Ask for the commit"}
          </button>
        </ConfirmBar>
      }
    >
      <div class="sheet-words">
        <label class="field">
          <span class="muted">Message</span>
          <textarea
            class="answer-text"
            rows={4}
            value={message}
            onInput={(event) => session.setDraft({ commitMessage: event.currentTarget.value })}
          />
        </label>
        <p class={planning ? "problem" : "muted"}>
          {planning
            ? "Plan mode writes nothing, commits neither. Switch to Normal or Auto first."
            : "The agent commits in the workspace with git. Nothing is pushed."}
        </p>
      </div>
    </Sheet>
  );
}

function plainTitle(text: string): string {
  return text
    .replace(/^#+\s*/, "")
    .replaceAll("`", "")
    .replace(/\s+/g, " ")
    .trim();
}
