// Settings: what the server keeps of the sessions on its disk, and its words where that is nearly too much.
import { useEffect, useState } from "preact/hooks";
import type { StateFolder } from "../../shared/sandbox.ts";
import { api, records } from "../app/app.ts";
import { sizeInWords } from "../files/file-kind.ts";

export function ServerStorage() {
  const [folder, setFolder] = useState<StateFolder | undefined>(undefined);
  // Any sandbox of the server can say it: the folder is the same for all.
  const sandboxId = records.value.find((record) => record.sandboxId !== "")?.sandboxId;
  useEffect(() => {
    if (sandboxId === undefined) return;
    // What the server cannot tell now is not asked for in words: this is no place to act on it.
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
      {warning !== undefined && (
        <p class="problem" role="alert">
          {warning}
        </p>
      )}
    </>
  );
}
