// Which model answers in this session from the next message on.
import "../styles/settings.css";
import { useEffect } from "preact/hooks";
import { config, refreshConfig } from "../app/app-state.ts";
import { ModelChoice } from "../components/model-choice.tsx";
import { Sheet } from "../components/sheet.tsx";
import type { OpenSession } from "../session/open-session.ts";

export function ModelSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  useEffect(() => {
    void refreshConfig();
  }, []);
  return (
    <Sheet title="Model" subtitle="From the next message on" onClose={onClose}>
      {config.value === null && (
        <p class="quiet">The server does not answer, so what it has is not known now.</p>
      )}
      <ModelChoice
        name="Model of this session"
        chosen={session.record.value.model}
        onPick={(model) => {
          void session.choose({ model });
          onClose();
        }}
      />
      <p class="quiet">New sessions begin with what is chosen in Settings.</p>
    </Sheet>
  );
}
