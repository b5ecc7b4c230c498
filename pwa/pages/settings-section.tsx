// One card of the settings: its name, the controls, and a long explanation that is shown on a tap.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface SettingsSectionProps {
  title: string;
  /** The long explanation. */
  why?: ComponentChildren;
  id?: string;
  children: ComponentChildren;
}

export function SettingsSection({ title, why, id, children }: SettingsSectionProps) {
  const asked = useSignal(false);
  const words = useId();
  return (
    <section id={id}>
      <div class="settings-head">
        <h3>{title}</h3>
        {why !== undefined && (
          <button
            type="button"
            class="settings-why"
            aria-label={`About: ${title}`}
            aria-expanded={asked.value}
            aria-controls={words}
            onClick={() => (asked.value = !asked.value)}
          >
            ?
          </button>
        )}
      </div>
      {why !== undefined && (
        <p id={words} class="muted" hidden={!asked.value}>
          {why}
        </p>
      )}
      {children}
    </section>
  );
}
