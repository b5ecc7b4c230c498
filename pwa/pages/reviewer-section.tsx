// Settings: which model reviews plans, and whether it reviews every plan.
import { changeSettings, settings } from "../app/app-state.ts";
import { ModelChoice } from "../components/model-choice.tsx";
import { SettingsSection } from "./settings-section.tsx";

export function ReviewerSection() {
  const { reviewer } = settings.value;
  return (
    <SettingsSection
      title="Second opinion"
      why="Another model reviews a plan that waits for you: at most five points, each about a step. A point that you accept is sent with your decision, as a comment."
    >
      <ModelChoice
        name="Model that reviews plans"
        chosen={reviewer}
        none={{ title: "The first other model", words: "When you ask for it on a plan" }}
        onPick={(model) =>
          void changeSettings({
            reviewer: model && { ...model, ...(reviewer?.always && { always: true }) },
          })
        }
      />
      {reviewer !== undefined && (
        <label class="switch">
          <input
            type="checkbox"
            checked={reviewer.always === true}
            onChange={(event) => {
              const { provider, id } = reviewer;
              void changeSettings({ reviewer: { provider, id, always: event.currentTarget.checked } });
            }}
          />
          Ask for it with every plan
        </label>
      )}
    </SettingsSection>
  );
}
