// The name of a session, to be changed in place.
import { useSignal } from "@preact/signals";
import type { OpenSession } from "../session/open-session.ts";

export function NameField({ session }: { session: OpenSession }) {
  const name = useSignal(session.record.value.title);
  return (
    <label class="field">
      <span class="muted">Name</span>
      <input
        value={name.value}
        maxLength={80}
        onInput={(event) => {
          name.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
        }}
        onBlur={() => session.rename(name.value)}
      />
    </label>
  );
}
