// A session as a file.
import { useState } from "preact/hooks";
import { Sheet } from "../components/sheet.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { exportSession } from "../transfer/transfer.ts";

export function ExportSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
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
        {problem !== null && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <p class="quiet">
          The file holds what the agent read and wrote. Neither the token nor a key is in it.
        </p>
      </div>
    </Sheet>
  );
}
