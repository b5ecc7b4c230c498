// Chooses the model that answers from the next message on, and its effort, for planning or for everything else.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ModelRef } from "../../shared/event.ts";
import { changeSettings, config, refreshConfig, settings } from "../app/app-state.ts";
import type { ModelWords } from "../browser/sheet.ts";
import { ModelChoice } from "../components/model-choice.tsx";
import { Sheet } from "../components/sheet.tsx";
import { type PickFor, pickOf, withPick } from "../session/chosen-model.ts";
import type { OpenSession } from "../session/open-session.ts";
import { pickInWords } from "../words/model-words.ts";

/** The effort as providers name it; "" for the server's default. */
const efforts: readonly [string, string][] = [
  ["", "Default"],
  ["low", "Low"],
  ["medium", "Medium"],
  ["high", "High"],
];

interface ModelSheetProps {
  session: OpenSession;
  of: PickFor;
  /**
   * The model as it was typed. A part of its name is enough: if it matches one model, that is chosen, and the sheet
   * says so.
   */
  wanted?: ModelWords | undefined;
  onClose(): void;
}

export function ModelSheet({
  session,
  of,
  wanted: { name, effort } = { name: "" },
  onClose,
}: ModelSheetProps) {
  const kept = useSignal(false);
  const record = session.record.value;
  const own = of === "run" ? record : (record.planning ?? {});
  const fitting = name === "" ? [] : modelsLike(name);
  const only = fitting.length === 1 ? fitting[0] : undefined;
  const takes = name === "" ? effort !== undefined : only !== undefined;
  const pick = (change: { model?: ModelRef | undefined; effort?: string | undefined }) => {
    kept.value = false;
    void session.choose(withPick(session.record.value, of, change));
  };
  useEffect(() => {
    void refreshConfig();
  }, []);
  useEffect(() => {
    if (!takes) return;
    pick({ ...(only && { model: only }), ...(effort !== undefined && { effort: effort || undefined }) });
  }, [takes, only?.id]);
  return (
    <Sheet
      title={of === "plan" ? "Model for planning" : "Model"}
      subtitle="From the next message on"
      onClose={onClose}
    >
      {config.value === null && (
        <p class="quiet">The server does not answer, so what it has is not known now.</p>
      )}
      {name !== "" && !takes && config.value !== null && (
        <p class="problem" role="alert">
          {fitting.length === 0
            ? `The server has no model ${name}.`
            : `${fitting.length} models have "${name}" in their name: choose one.`}
        </p>
      )}
      {takes && (
        <p class="quiet" role="status">
          {of === "plan" ? "Plans" : "Answers"} from the next message on:{" "}
          {pickInWords(config.value, pickOf(record, of))}.
        </p>
      )}
      {of === "plan" && record.planning?.model === undefined && (
        <p class="quiet">None chosen: planning uses the session's model.</p>
      )}
      <ModelChoice
        name={of === "plan" ? "Model for planning" : "Model of this session"}
        chosen={pickOf(record, of).model}
        onPick={(model) => {
          pick({ model });
          onClose();
        }}
      />
      <p class="quiet">How much it reasons, where it can:</p>
      <div class="segments four" role="radiogroup" aria-label="Effort">
        {efforts.map(([effort, name]) => (
          <label key={effort} class={(own.effort ?? "") === effort ? "on" : ""}>
            <input
              type="radio"
              name="effort"
              checked={(own.effort ?? "") === effort}
              onChange={() => pick({ effort: effort === "" ? undefined : effort })}
            />
            {name}
          </label>
        ))}
      </div>
      <button
        type="button"
        class="button soft wide"
        disabled={kept.value}
        onClick={() => {
          kept.value = true;
          void keepFor(record.git ?? "", session);
        }}
      >
        {kept.value ? "Kept for new sessions of this repository" : "Also for new sessions of this repository"}
      </button>
    </Sheet>
  );
}

function modelsLike(wanted: string): ModelRef[] {
  const name = wanted.toLowerCase();
  const all = (config.value?.providers ?? []).flatMap(({ id: provider, models }) =>
    models.map(({ id }) => ({ provider, id })),
  );
  const exact = all.filter(({ id }) => id.toLowerCase() === name);
  return exact.length > 0 ? exact : all.filter(({ id }) => id.toLowerCase().includes(name));
}

/** Stores the models for planning and for everything else together, as the choice for this repository. */
function keepFor(repository: string, { record }: OpenSession): Promise<void> {
  const { planning } = record.value;
  const picks = { run: pickOf(record.value, "run"), ...(planning && { plan: planning }) };
  return changeSettings({ picks: { ...settings.value.picks, [repository]: picks } });
}
