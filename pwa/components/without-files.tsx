// The bar of a session that was imported without files: it can be read, and be given files to go on with.
import { useState } from "preact/hooks";
import type { OpenSession } from "../session/open-session.ts";
import { giveFiles } from "../transfer/give-files.ts";
import { FilesChoices } from "./files-choices.tsx";

export function WithoutFiles({ session }: { session: OpenSession }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const give = async (which: "clone" | "served") => {
    setBusy(true);
    setProblem(null);
    try {
      await giveFiles(session.record.value, which);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <div class="choices">
      <p class="bar-words" role="status">
        {busy ? "Preparing files…" : "It came without files, to be read. To go on, choose files for it:"}
      </p>
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <FilesChoices
        claims={session.record.value.claims}
        busy={busy || !session.writes.value}
        onPick={(which) => void give(which)}
      />
    </div>
  );
}
