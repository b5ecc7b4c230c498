// Chooses one of the server's models; none = the server decides.
import type { ModelRef } from "../../shared/event.ts";
import { config } from "../app/app-state.ts";
import { modelInWords, windowInWords } from "../words/model-words.ts";

interface ModelChoiceProps {
  name: string;
  chosen: ModelRef | undefined;
  onPick(model: ModelRef | undefined): void;
  /** What choosing no model means here; by default, that the server decides. */
  none?: { title: string; words: string };
}

export function ModelChoice({ name, chosen, onPick, none }: ModelChoiceProps) {
  const providers = config.value?.providers ?? [];
  const is = (provider: string, id: string) => chosen?.provider === provider && chosen.id === id;
  const known =
    chosen === undefined || providers.some(({ id, models }) => models.some((model) => is(id, model.id)));
  return (
    <div class="radios" role="radiogroup" aria-label={name}>
      <Radio
        name={name}
        on={chosen === undefined}
        title={none?.title ?? "The server's own choice"}
        words={none?.words ?? modelInWords(config.value, undefined).replace(", the server's own choice", "")}
        onPick={() => onPick(undefined)}
      />
      {!known && (
        <Radio
          name={name}
          on
          title={chosen.id}
          words="The server does not have it any more"
          onPick={() => {}}
        />
      )}
      {providers.flatMap((provider) =>
        provider.models.map((model) => (
          <Radio
            key={`${provider.id} ${model.id}`}
            name={name}
            on={is(provider.id, model.id)}
            title={model.id}
            words={`${provider.demo ? "Scripted demo" : provider.label} · ${windowInWords(model.contextWindow)}`}
            onPick={() => onPick({ provider: provider.id, id: model.id })}
          />
        )),
      )}
    </div>
  );
}

interface RadioProps {
  name: string;
  on: boolean;
  title: string;
  words: string;
  onPick(): void;
}

function Radio({ name, on, title, words, onPick }: RadioProps) {
  return (
    <label class={on ? "radio on" : "radio"}>
      <input type="radio" name={name} checked={on} onChange={onPick} />
      <span>
        <b>{title}</b>
        <span class="muted">{words}</span>
      </span>
    </label>
  );
}
