// Shows what a chosen file contains, before any of it is stored or fetched, and asks what to do with it.
import "../styles/sheets.css";
import { useState } from "preact/hooks";
import { messagesOf } from "../../shared/session/history.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { giveFiles } from "../app/create-session.ts";
import { leaveSheetTo } from "../browser/sheet.ts";
import { FilesChoices } from "../components/files-choices.tsx";
import { Problem } from "../components/problem.tsx";
import { Sheet } from "../components/sheet.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import type { ImportedSession, ImportFile } from "../transfer/import-file.ts";
import { importSessions } from "../transfer/import-sessions.ts";
import { placeInWords } from "../words/repository.ts";

/** The number of rows shown; an export of everything may hold hundreds. */
const shownAtMost = 50;

interface ImportSheetProps {
  file: ImportFile;
  onClose(): void;
  onDone(words: string): void;
}

export function ImportSheet({ file, onClose, onDone }: ImportSheetProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { sessions, exportedAt } = file;
  const [only] = sessions.length === 1 ? sessions : [];
  const run = async (files: "none" | "own", give?: "clone" | "served") => {
    setBusy(true);
    setProblem(null);
    try {
      const { words, id } = await importSessions(file, files);
      if (give !== undefined && id !== undefined && only !== undefined) {
        await giveFiles({ ...only.record, id }, give);
        leaveSheetTo({ page: "session", id });
        return;
      }
      onClose();
      onDone(words);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  const workspaces = sessions.filter(({ sandboxId }) => sandboxId !== "").length;
  return (
    <Sheet
      title={only === undefined ? `Import ${plural(sessions.length, "session")}?` : "Import this session?"}
      subtitle={
        exportedAt === undefined ? "The file does not say when it was made" : `Exported ${day(exportedAt)}`
      }
      onClose={onClose}
      tall
      bar={
        <div class="actions">
          <button type="button" class="button quiet" disabled={busy} onClick={onClose}>
            Cancel
          </button>
          <button type="button" class="button go grow" disabled={busy} onClick={() => void run("none")}>
            {only === undefined ? "Add without files" : "Open without files"}
          </button>
        </div>
      }
    >
      <div class="choices">
        <p class="quiet">
          A file may come from anybody. It is added to be read: in normal mode, with nothing allowed and
          nothing sent or fetched. Plans in it are text.
        </p>
        <Problem words={problem} />
        {sessions.slice(0, shownAtMost).map((session, index) => (
          <About key={index} session={session} />
        ))}
        {sessions.length > shownAtMost && (
          <p class="muted">and {plural(sessions.length - shownAtMost, "session")} more</p>
        )}
        {only !== undefined && (
          <FilesChoices claims={only.record.claims} busy={busy} onPick={(which) => void run("none", which)} />
        )}
        {workspaces > 0 && (
          <button type="button" class="choice" disabled={busy} onClick={() => void run("own")}>
            <b>Use {workspaces === 1 ? "its own workspace" : "their own workspaces"}</b>
            <span class="muted">
              as far as this server still has {workspaces === 1 ? "it" : "them"}. Only for a file that you
              made: it may change those files. What was allowed there is asked again.
            </span>
          </button>
        )}
      </div>
    </Sheet>
  );
}

export function About({ session: { record, entries } }: { session: ImportedSession }) {
  const said = messagesOf(entries).filter(({ role }) => role === "user" || role === "assistant");
  const { claims } = record;
  return (
    <section class="imported">
      <h3>{oneLineOf(record.title)}</h3>
      <p class="muted">
        {plural(said.length, "message")} · last changed {day(record.updatedAt)}
      </p>
      {claims === undefined ? (
        <p class="muted">The file names no repository.</p>
      ) : (
        <p>
          From <b>{oneLineOf(placeInWords(claims.git).split("/", 1)[0] ?? "")}</b>:{" "}
          <code>{oneLineOf(claims.git)}</code>
        </p>
      )}
    </section>
  );
}

function day(at: number): string {
  return new Date(at).toLocaleDateString(undefined, { year: "numeric", month: "long", day: "numeric" });
}
