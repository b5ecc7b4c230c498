// What can be done with a session as a whole, from the list or from inside it: name, model, copies, the way out.
import "../styles/sheets.css";
import { useEffect, useState } from "preact/hooks";
import { openSession } from "../app/open-sessions.ts";
import { closeSheet, type OpenSheet } from "../browser/sheet.ts";
import { SessionChoices } from "../components/session-choices.tsx";
import { Sheet } from "../components/sheet.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { DuplicateSheet } from "./duplicate-sheet.tsx";
import { ExportSheet } from "./export-sheet.tsx";
import { ModelSheet } from "./model-sheet.tsx";
import { NameField } from "./name-field.tsx";

export function ActionsSheet({ open }: { open: Extract<OpenSheet, { kind: "actions" }> }) {
  const [session, setSession] = useState<OpenSession | null>(null);
  useEffect(() => {
    let left = false;
    void openSession(open.id).then((held) => {
      if (left) return;
      if (held === undefined) closeSheet();
      else setSession(held.session);
    });
    return () => {
      left = true;
    };
  }, [open.id]);
  if (session === null) return null;
  switch (open.view) {
    case "model":
      return <ModelSheet session={session} onClose={closeSheet} />;
    case "duplicate":
      return <DuplicateSheet session={session} onClose={closeSheet} />;
    case "export":
      return <ExportSheet session={session} onClose={closeSheet} />;
    case undefined: {
      const { title, workspace } = session.record.value;
      return (
        <Sheet title={title} subtitle={workspace} onClose={closeSheet}>
          <div class="choices">
            <NameField session={session} />
            <SessionChoices session={session} />
          </div>
        </Sheet>
      );
    }
  }
}
