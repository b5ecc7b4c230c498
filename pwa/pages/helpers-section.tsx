// Settings: whether the model may send helpers to explore, and which model they use.
import { changeSettings, settings } from "../app/app-state.ts";
import { ModelChoice } from "../components/model-choice.tsx";
import { SettingsSection } from "./settings-section.tsx";

export function HelpersSection() {
  const { helpers } = settings.value;
  return (
    <SettingsSection
      title="Helpers"
      why="A helper searches and reads in a context of its own and brings back a report of at most 1,500 tokens. It changes nothing. A cheaper model is often good enough for it."
    >
      <label class="switch">
        <input
          type="checkbox"
          checked={helpers !== false}
          onChange={(event) => {
            void changeSettings({ helpers: event.currentTarget.checked ? undefined : false });
          }}
        />
        The model may send helpers to look around
      </label>
      {helpers !== false && (
        <ModelChoice
          name="Model of helpers"
          chosen={helpers}
          none={{ title: "The turn's own model", words: "The one that the session uses at that time" }}
          onPick={(model) => void changeSettings({ helpers: model })}
        />
      )}
    </SettingsSection>
  );
}
