// Actions on a whole session: choose its model, copy, export, archive, delete.

import { config } from "../app/app-state.ts";
import { filesOfDeleted } from "../app/leftover-sandboxes.ts";
import { archive, deleteWithUndo } from "../app/session-actions.ts";
import { leaveSheetTo, openSheet } from "../browser/sheet.ts";
import type { OpenSession } from "../session/open-session.ts";
import { binDays } from "../words/bin-words.ts";
import { modelInWords } from "../words/model-words.ts";
import { MenuGroup, MenuRow } from "./menu-row.tsx";

export function SessionChoices({ session }: { session: OpenSession }) {
  const record = session.record.value;
  const { id } = record;
  /** Deleting also stops the turn, so that nothing runs unseen. A turn of another device is left to that device. */
  const stops = session.outbox.value.turn !== null && session.writes.value;
  const said = session.settled.value.head.entryCount > 0;
  return (
    <>
      <MenuGroup>
        <MenuRow
          icon="model"
          title="Model"
          words={modelInWords(config.value, record.model)}
          onPick={() => openSheet({ kind: "actions", id, view: "model" })}
        />
        {said && (
          <MenuRow
            icon="copy"
            title="Duplicate…"
            words="a new session with the messages up to one you choose"
            onPick={() => openSheet({ kind: "actions", id, view: "duplicate" })}
          />
        )}
        {said && (
          <MenuRow
            icon="export"
            title="Export…"
            words="as a file, to keep or to read elsewhere"
            onPick={() => openSheet({ kind: "actions", id, view: "export" })}
          />
        )}
      </MenuGroup>
      <MenuGroup>
        <MenuRow
          icon="archive"
          title={record.archived ? "Unarchive" : "Archive"}
          onPick={() => {
            leaveSheetTo({ page: "sessions" });
            void archive(record, record.archived !== true);
          }}
        />
        <MenuRow
          icon="delete"
          bad
          title="Delete"
          words={`into the bin for ${binDays} days${stops ? "; its turn is stopped" : ""}`}
          onPick={() => {
            if (stops) void session.requestStop().catch(() => undefined);
            leaveSheetTo({ page: "sessions" });
            void deleteWithUndo(record);
          }}
        />
      </MenuGroup>
      <p class="quiet">{filesOfDeleted(record)}</p>
    </>
  );
}
