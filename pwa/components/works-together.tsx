// Says that another session's turn runs in the same folder, while this one works there.
import { plural } from "../../shared/session/session-summary.ts";
import type { OpenSession } from "../session/open-session.ts";
import { useOthersAtWork } from "./others-at-work.ts";

/** The server measures its disk for each answer. */
const everyMs = 15_000;

export function WorksTogether({ session }: { session: OpenSession }) {
  const names = useOthersAtWork(session.record.value.sandboxId, everyMs).value ?? [];
  if (names.length === 0) return null;
  return (
    <p class="notice" role="status">
      {plural(names.length + 1, "session")} work here: this one and {names.join(", ")}. Each keeps its own
      changes apart.
    </p>
  );
}
