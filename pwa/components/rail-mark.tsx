// The mark of a stop or a station on the rail, drawn according to its state.
import type { RailMark as Kind } from "../../shared/session/session-summary.ts";

const words: Record<Kind, string> = {
  hollow: "Idle",
  waiting: "Waiting for you",
  running: "Running",
  done: "Done",
  failed: "Needs you",
};

export function RailMark({ mark, labelled = false }: { mark: Kind; labelled?: boolean }) {
  return labelled ? (
    <span class={`rail-mark ${mark}`} role="img" aria-label={words[mark]} />
  ) : (
    <span class={`rail-mark ${mark}`} aria-hidden="true" />
  );
}
