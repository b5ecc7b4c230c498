// Where in the transcript a person wants to jump. Set by who asks, taken out by the transcript.
import { signal } from "@preact/signals";

/** `said`: what they said last; `asked`: the last questions; `step`: the step of the plan that runs or ran. */
export type Goal = { to: "newest" } | { to: "said" } | { to: "asked" } | { to: "step"; stepId: string };

export const goal = signal<Goal | null>(null);
