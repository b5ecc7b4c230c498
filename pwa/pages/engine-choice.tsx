// Chooses where new sessions run, on a server with several engines: each takes one tap and shows the cost of an hour.
import { changeSettings, config, settings } from "../app/app-state.ts";

const words: Readonly<Record<string, string>> = {
  here: "On the server itself, beside its other sessions.",
  docker: "In a container of its own. It sleeps when it is not used.",
  cloudflare: "In a container of its own at Cloudflare. It sleeps when it is not used.",
  e2b: "In a virtual machine of its own at E2B. It sleeps when it is not used.",
};

export function EngineChoice() {
  const engines = config.value?.sandbox.engines ?? [];
  const [first] = engines;
  if (engines.length < 2 || first === undefined) return null;
  const chosen = engines.find(({ name }) => name === settings.value.engine) ?? first;
  const cost = chosen.costPerHour;
  return (
    <section class="mode-choice">
      <h2>Where it runs</h2>
      <div class="segments" role="radiogroup" aria-label="Where it runs">
        {engines.map(({ name }) => (
          <label key={name} class={chosen.name === name ? "on" : ""}>
            <input
              type="radio"
              name="engine"
              checked={chosen.name === name}
              onChange={() => void changeSettings({ engine: name === first.name ? undefined : name })}
            />
            {name}
          </label>
        ))}
      </div>
      <p class="quiet">
        {words[chosen.name] ?? ""}
        {cost !== undefined && ` $${cost.toFixed(2)} for an hour awake.`}
      </p>
    </section>
  );
}
