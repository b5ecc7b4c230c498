// The session whose open question a person has tapped on outside the app.
import { signal } from "@preact/signals";

/** Its id, until what is asked was shown; null = none. */
export const askedToSee = signal<string | null>(null);
