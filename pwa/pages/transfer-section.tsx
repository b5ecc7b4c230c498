// Settings: exports everything on this device as one file, and imports files.
import { useState } from "preact/hooks";
import { closeSheet, openSheet, sheet } from "../browser/sheet.ts";
import { ImportSheet } from "../sheets/import-sheet.tsx";
import { readChosen } from "../transfer/import-sessions.ts";
import { exportEverything } from "../transfer/transfer.ts";
import { SettingsSection } from "./settings-section.tsx";

export function TransferSection() {
  const [said, setSaid] = useState<{ words: string; bad: boolean } | null>(null);
  const [busy, setBusy] = useState(false);
  const run = async (work: () => Promise<string | undefined>) => {
    setBusy(true);
    setSaid(null);
    try {
      const words = await work();
      if (words !== undefined) setSaid({ words, bad: false });
    } catch (error) {
      setSaid({ words: error instanceof Error ? error.message : String(error), bad: true });
    }
    setBusy(false);
  };
  const look = async (file: File) => {
    openSheet({ kind: "import", file: await readChosen(file) });
    return undefined;
  };
  const open = sheet.value;
  return (
    <SettingsSection
      title="Export and import"
      why="Every session, with drafts and counts, as one file. A single session is exported from its own menu (tap its name). Importing shows what a file holds before anything is stored. It adds, and replaces nothing here; models, limits and modes are not taken from a file. Histories in the form of other agents (a list of messages) are read too."
    >
      <div class="buttons">
        <button
          type="button"
          class="button soft"
          disabled={busy}
          onClick={() => void run(() => exportEverything().then(() => "The file is ready."))}
        >
          Export everything
        </button>
        <label class="button soft file">
          Import a file
          <input
            type="file"
            class="visually-hidden"
            accept=".json,application/json"
            disabled={busy}
            onChange={(event) => {
              const input = event.currentTarget;
              const file = input.files?.[0];
              if (file !== undefined) void run(() => look(file));
              input.value = "";
            }}
          />
        </label>
      </div>
      {said !== null && (
        <p class={said.bad ? "problem" : ""} role={said.bad ? "alert" : "status"}>
          {said.words}
        </p>
      )}
      {open?.kind === "import" && (
        <ImportSheet
          file={open.file}
          onClose={closeSheet}
          onDone={(words) => setSaid({ words, bad: false })}
        />
      )}
    </SettingsSection>
  );
}
