// Settings: the data stored on this device, whether the browser keeps it, and records that could not be read.
import { useEffect, useState } from "preact/hooks";
import { plural } from "../../shared/session/session-summary.ts";
import type { StateFolder } from "../../shared/state-folder.ts";
import { api, kv, records } from "../app/app-state.ts";
import { Problem } from "../components/problem.tsx";
import { sizeInWords } from "../files/file-kind.ts";
import { deleteQuarantine, readQuarantine } from "../storage/quarantine.ts";
import { giveFile } from "../transfer/transfer.ts";
import { SettingsSection } from "./settings-section.tsx";

export function ServerStorage() {
  const [folder, setFolder] = useState<StateFolder | undefined>(undefined);
  // Ask about any sandbox: all of them share the folder whose size is shown.
  const sandboxId = records.value.find((record) => record.sandboxId !== "")?.sandboxId;
  useEffect(() => {
    if (sandboxId === undefined) return;
    // If the server does not answer, show nothing: the person could not do anything about it here.
    api
      .sandbox(sandboxId)
      .then(({ stateFolder }) => setFolder(stateFolder))
      .catch(() => undefined);
  }, [sandboxId]);
  if (folder === undefined) return null;
  const { usedBytes, budgetBytes, warning } = folder;
  return (
    <>
      <p>
        On your server: {sizeInWords(usedBytes)} of journals and snapshots
        {budgetBytes > 0 && `, of ${sizeInWords(budgetBytes)} that they may take`}.
      </p>
      <Problem words={warning} />
    </>
  );
}

export function StorageSection() {
  const [words, setWords] = useState("");
  const [persisted, setPersisted] = useState(true);
  const [aside, setAside] = useState<[string, unknown][]>([]);
  const [sure, setSure] = useState(false);
  const look = async () => {
    const found = await storageNow();
    setWords(found.words);
    setPersisted(found.persisted);
    setAside(await readQuarantine(kv));
  };
  useEffect(() => {
    void look();
  }, []);
  return (
    <SettingsSection id="storage" title="Storage on this device">
      <p>{words}</p>
      <p class="muted">
        To make room, swipe a session in the list to the left (or right-click it), delete it under More, and
        empty the bin below the list. Export it before, to keep it elsewhere.
      </p>
      {!persisted && (
        <button type="button" class="button soft" onClick={() => void navigator.storage.persist().then(look)}>
          Ask the browser to keep it
        </button>
      )}
      {aside.length > 0 && (
        <>
          <p>
            {plural(aside.length, "record")} could not be read and {aside.length === 1 ? "was" : "were"} set
            aside. Export before you delete: a later version may read what this one cannot.
          </p>
          <div class="buttons">
            <button
              type="button"
              class="button soft"
              onClick={() =>
                void giveFile("handrail-unread.json", JSON.stringify(aside, null, 1), "application/json")
              }
            >
              Export what was set aside
            </button>
            <button
              type="button"
              class="button soft bad"
              onClick={() => {
                if (sure) void deleteQuarantine(kv, aside).then(look);
                setSure(!sure);
              }}
            >
              {sure ? "Delete it: tap again" : "Delete it"}
            </button>
          </div>
        </>
      )}
      <ServerStorage />
    </SettingsSection>
  );
}

async function storageNow(): Promise<{ words: string; persisted: boolean }> {
  // The API is missing on plain http, although its type says otherwise.
  const storage: StorageManager | undefined = navigator.storage;
  if (storage === undefined)
    return { words: "This browser does not say how much storage is used.", persisted: true };
  const { usage = 0, quota = 0 } = await storage.estimate();
  const persisted = await storage.persisted();
  const kept = persisted
    ? "The browser keeps it until you delete it."
    : "The browser may clear it when space runs short. On the home screen it is safer.";
  const used = usage < 1e6 ? "Less than 1 MB used" : `${megabytes(usage)} used`;
  const left = quota - usage < 1e9 ? `, ${megabytes(Math.max(0, quota - usage))} left` : "";
  return { words: `${used}${left}. ${kept}`, persisted };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
