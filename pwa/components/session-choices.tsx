// The choices for a session as a whole: its model, a copy, an export, the archive, deletion.

import { config } from "../app/app-state.ts";
import { filesOfDeleted } from "../app/leftover-sandboxes.ts";
import { archive, deleteWithUndo } from "../app/session-actions.ts";
import { leaveSheetTo, openSheet } from "../browser/sheet.ts";
import type { OpenSession } from "../session/open-session.ts";
import { modelInWords } from "../words/model-words.ts";

export function SessionChoices({ session }: { session: OpenSession }) {
  const record = session.record.value;
  const { id } = record;
  const said = session.settled.value.head.entryCount > 0;
  return (
    <>
      <Choice
        title="Model"
        words={modelInWords(config.value, record.model)}
        onPick={() => openSheet({ kind: "actions", id, view: "model" })}
      />
      {said && (
        <Choice
          title="Duplicate…"
          words="a new session with the messages up to one you choose"
          onPick={() => openSheet({ kind: "actions", id, view: "duplicate" })}
        />
      )}
      {said && (
        <Choice
          title="Export…"
          words="as a file, to keep or to read elsewhere"
          onPick={() => openSheet({ kind: "actions", id, view: "export" })}
        />
      )}
      <div class="actions">
        <button
          type="button"
          class="button soft grow"
          onClick={() => {
            leaveSheetTo({ page: "sessions" });
            void archive(record, record.archived !== true);
          }}
        >
          {record.archived ? "Unarchive" : "Archive"}
        </button>
        <button
          type="button"
          class="button soft bad grow"
          onClick={() => {
            leaveSheetTo({ page: "sessions" });
            void deleteWithUndo(record);
          }}
        >
          Delete
        </button>
      </div>
      <p class="quiet">
        Deleting takes it from this device; you can undo it right after. {filesOfDeleted(record)}
      </p>
    </>
  );
}

function Choice({ title, words, onPick }: { title: string; words: string; onPick(): void }) {
  return (
    <button type="button" class="choice" onClick={onPick}>
      <b>{title}</b>
      <span class="muted">{words}</span>
    </button>
  );
}
