// Settings: what models cost so far, and the caps that end a turn.
import { useEffect } from "preact/hooks";
import { config, kv } from "../app/app-state.ts";
import { keepChoice } from "../app/keep-choice.ts";
import { dayOf, loadSpending, setCap, spending } from "../session/spending.ts";
import { dollars } from "../words/model-words.ts";
import { SettingsSection } from "./settings-section.tsx";

export function SpendingSection() {
  useEffect(() => {
    void loadSpending(kv);
  }, []);
  const { days } = spending.value;
  const today = days[dayOf(Date.now())] ?? 0;
  const all = Object.values(days).reduce((sum, cost) => sum + cost, 0);
  const models = config.value?.providers.flatMap((provider) => provider.models) ?? [];
  const free = models.filter(({ price }) => price === undefined).map(({ id }) => id);
  return (
    <SettingsSection title="Spending" why="A turn that reaches a cap ends and says so. Empty = no cap.">
      <p>
        {dollars(today)} today, {dollars(all)} in the last month.
      </p>
      {free.length > 0 && (
        <p class="muted">
          The server knows no price for {free.join(", ")}: what that costs is not counted, and no cap holds
          for it.
        </p>
      )}
      <Cap of="session" name="At most per session, in US dollars" />
      <Cap of="day" name="At most per day, in US dollars" />
    </SettingsSection>
  );
}

function Cap({ of, name }: { of: "session" | "day"; name: string }) {
  const cap = spending.value.caps[of];
  return (
    <label class="field">
      <span class="muted">{name}</span>
      <input
        key={String(cap)}
        type="number"
        inputMode="decimal"
        min="0"
        step="any"
        placeholder="No cap"
        value={cap ?? ""}
        onChange={(event) => {
          const { value, valueAsNumber } = event.currentTarget;
          const dollars = value === "" ? null : valueAsNumber;
          if (dollars === null || dollars >= 0) void keepChoice(`cap/${of}`, () => setCap(kv, of, dollars));
        }}
      />
    </label>
  );
}
