// Whether long lines of code are wrapped or scroll, in changes and files alike, for this visit.
import { signal } from "@preact/signals";

export const wrapsLines = signal(false);
