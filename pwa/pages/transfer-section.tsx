// Settings: everything out of this device as one file, and files into it.
import { useState } from "preact/hooks";
import { exportEverything, importSessions } from "../transfer/transfer.ts";

export function TransferSection() {
  const [said, setSaid] = useState<{ words: string; bad: boolean } | null>(null);
  const [busy, setBusy] = useState(false);
  const run = async (work: () => Promise<string>) => {
    setBusy(true);
    try {
      setSaid({ words: await work(), bad: false });
    } catch (error) {
      setSaid({ words: error instanceof Error ? error.message : String(error), bad: true });
    }
    setBusy(false);
  };
  return (
    <section>
      <h2>Export and import</h2>
      <p class="muted">
        Every session, with drafts and counts, as one file. A single session is exported from the menu behind
        its name. Importing adds; it never replaces what is here, and what you chose elsewhere holds where you
        chose nothing here. Histories in the form of other agents (a list of messages) are read too.
      </p>
      <div class="buttons">
        <button
          type="button"
          class="button soft"
          disabled={busy}
          onClick={() => void run(() => exportEverything().then(() => "The file is made."))}
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
              if (file !== undefined) void run(async () => importSessions(await file.text()));
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
    </section>
  );
}
