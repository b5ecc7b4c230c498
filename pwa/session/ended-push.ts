// A subscription that a push service has ended, as a session of the server was told: the app makes another one.
import { signal } from "@preact/signals";

/** The end of its endpoint (see device-notes.ts); null = none was heard of. */
export const endedPush = signal<string | null>(null);
