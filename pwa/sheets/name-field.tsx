// The name of a session, which can be changed in place.
import { useSignal } from "@preact/signals";
import { visibleText } from "../../shared/visible-text.ts";
import type { OpenSession } from "../session/open-session.ts";

export function NameField({ session }: { session: OpenSession }) {
  // A field shows its text as it is, so characters that would be invisible there are written out.
  const given = visibleText(session.record.value.title, "line");
  const name = useSignal(given);
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
        onBlur={() => name.value !== given && session.rename(name.value)}
      />
    </label>
  );
}
