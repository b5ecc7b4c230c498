// Settings: how many calls of each model were malformed, and how.
import { useEffect, useState } from "preact/hooks";
import { kv } from "../app/app-state.ts";
import { type MalformedCounts, readMalformed } from "../storage/settings.ts";
import { malformedKindInWords } from "../words/model-words.ts";
import { SettingsSection } from "./settings-section.tsx";

export function MalformedSection() {
  const [counts, setCounts] = useState<MalformedCounts>({});
  useEffect(() => {
    void readMalformed(kv).then(setCounts);
  }, []);
  const models = Object.entries(counts);
  return (
    <SettingsSection
      title="Malformed calls"
      why="Counted on this device, by provider and model. They show how well a model handles tools."
    >
      {models.length === 0 && <p>No model has made one yet.</p>}
      {models.map(([model, { repaired, returned, kinds = {} }]) => (
        <div key={model}>
          <p>
            <b>{model}</b>: {repaired} repaired, {returned} sent back
          </p>
          <ul class="counts muted">
            {Object.entries(kinds)
              .sort(([, a], [, b]) => b - a)
              .map(([kind, times]) => (
                <li key={kind}>
                  {times} × {malformedKindInWords(kind)}
                </li>
              ))}
          </ul>
        </div>
      ))}
    </SettingsSection>
  );
}
