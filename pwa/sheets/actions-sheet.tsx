// The actions on a whole session, opened from the list or from inside it: name, model, copies, delete.
import { useEffect, useState } from "preact/hooks";
import { openSession } from "../app/open-sessions.ts";
import { closeSheet, type OpenSheet } from "../browser/sheet.ts";
import { SessionChoices } from "../components/session-choices.tsx";
import { Sheet } from "../components/sheet.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { exportSession } from "../transfer/transfer.ts";
import { DuplicateSheet } from "./duplicate-sheet.tsx";
import { ModelSheet } from "./model-sheet.tsx";
import { NameField } from "./name-field.tsx";
import "../styles/sheets.css";
import "../styles/settings.css";
import { Problem } from "../components/problem.tsx";

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
      return <ModelSheet session={session} of={open.of ?? "run"} wanted={open.wanted} onClose={closeSheet} />;
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

function ExportSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const give = (form: "json" | "markdown") => {
    exportSession(session.record.value.id, form).then(onClose, (error: Error) => setProblem(error.message));
  };
  return (
    <Sheet title="Export this session" onClose={onClose}>
      <div class="choices">
        <button type="button" class="choice" onClick={() => give("json")}>
          <b>Everything, as JSON</b>
          <span class="muted">Handrail imports it again, here or on another device</span>
        </button>
        <button type="button" class="choice" onClick={() => give("markdown")}>
          <b>To read, as Markdown</b>
          <span class="muted">what was said, plans and diffs</span>
        </button>
        <Problem words={problem} />
        <p class="quiet">
          The file holds what the agent read and wrote. Neither the token nor a key is in it.
        </p>
      </div>
    </Sheet>
  );
}
