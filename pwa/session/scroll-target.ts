// The place in the transcript to scroll to. Any screen may set it; the transcript clears it.
import { signal } from "@preact/signals";

/**
 * `said`: the person's last message; `asked`: the last questions; `plan`: the newest plan; `step`: the step that runs
 * or ran; `found`: the entry of `session` that a search found, with the folded `words` to mark there.
 */
export type ScrollTarget =
  | { to: "newest" }
  | { to: "said" }
  | { to: "asked" }
  | { to: "plan" }
  | { to: "step"; stepId: string }
  | {
      to: "found";
      session: string;
      turnId: string;
      id: number;
      who: "You" | "Agent" | "Plan";
      words: readonly string[];
    };

export const scrollTarget = signal<ScrollTarget | null>(null);

/** The key of the row that was found and is marked. */
export const foundRow = signal<string | null>(null);
