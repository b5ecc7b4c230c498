// Settings: what the models have cost so far, and the limits at which a turn ends.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { config, kv } from "../app/app-state.ts";
import { keepChoice } from "../app/keep-choice.ts";
import { type AloneLimit, dayOf, loadSpending, setAlone, setCap, spending } from "../session/spending.ts";
import { dollars } from "../words/model-words.ts";
import { SettingsSection } from "./settings-section.tsx";

export function SpendingSection() {
  useEffect(() => {
    void loadSpending(kv);
  }, []);
  const { days, caps, alone = {} } = spending.value;
  const today = days[dayOf(Date.now())] ?? 0;
  const all = Object.values(days).reduce((sum, cost) => sum + cost, 0);
  const models = config.value?.providers.flatMap((provider) => provider.models) ?? [];
  const free = models.filter(({ price }) => price === undefined).map(({ id }) => id);
  // A model without a known price is not free: its cost is unknown.
  const unknown = all === 0 && (free.length > 0 || config.value === null);
  return (
    <SettingsSection title="Spending" why="A turn that reaches a limit ends and says so. Empty = no limit.">
      <p>
        {unknown
          ? "What was spent is not known."
          : `${dollars(today)} today, ${dollars(all)} in the last month, in what this device followed.`}
      </p>
      {free.length > 0 && (
        <p class="muted">
          The server knows no price for {free.join(", ")}: what that costs is not counted, and no limit holds
          for it.
        </p>
      )}
      <Limit
        name="At most per session, in US dollars"
        value={caps.session}
        keep={(most) => keepChoice("cap/session", () => setCap(kv, "session", most))}
      />
      <Limit
        name="At most per day, in US dollars"
        value={caps.day}
        keep={(most) => keepChoice("cap/day", () => setCap(kv, "day", most))}
      />
      <p class="muted">A turn that nobody watches stops and says so at the first of these:</p>
      {aloneLimits.map(({ of, name, whole }) => (
        <Limit
          key={of}
          name={name}
          value={alone[of] ?? null}
          whole={whole}
          none="As the server says"
          keep={(most) => keepChoice(`alone/${of}`, () => setAlone(kv, of, most))}
        />
      ))}
    </SettingsSection>
  );
}

const aloneLimits: readonly { of: AloneLimit; name: string; whole: boolean }[] = [
  { of: "rounds", name: "Rounds while nobody watches", whole: true },
  { of: "minutes", name: "Minutes while nobody watches", whole: true },
  { of: "spendLimit", name: "US dollars while nobody watches", whole: false },
];

interface LimitProps {
  name: string;
  /** null means that there is no limit. */
  value: number | null;
  /** true means that the value is a whole number of at least 1. */
  whole?: boolean;
  /** The limit that applies if the person sets none. */
  none?: string;
  keep(most: number | null): Promise<void>;
}

function Limit({ name, value: cap, whole = false, none = "No limit", keep }: LimitProps) {
  const problem = useSignal<string | null>(null);
  const still = cap === null ? "There is still no limit" : `The limit is still ${whole ? "" : "$"}${cap}`;
  return (
    <label class="field">
      <span class="muted">{name}</span>
      <input
        type="number"
        inputMode={whole ? "numeric" : "decimal"}
        min={whole ? "1" : "0"}
        step={whole ? "1" : "any"}
        placeholder={none}
        aria-invalid={problem.value !== null}
        defaultValue={cap ?? ""}
        onChange={(event) => {
          const { value, valueAsNumber, validity } = event.currentTarget;
          const most = value === "" && !validity.badInput ? null : valueAsNumber;
          const isAmount = most === null || (whole ? Number.isInteger(most) && most >= 1 : most >= 0);
          const wanted = whole ? "a whole number of 1 or more" : "an amount of 0 or more, such as 2.50";
          problem.value = isAmount ? null : `Give ${wanted}, or leave it empty. ${still}.`;
          if (isAmount) void keep(most);
        }}
      />
      {problem.value !== null && (
        <span class="problem" role="alert">
          {problem.value}
        </span>
      )}
    </label>
  );
}
