// What the service worker told this page, for the pages and sessions that act on it.
import { signal } from "@preact/signals";

/** Id of the session whose open question the person tapped on outside the app, until it was shown; null = none. */
export const askedToSee = signal<string | null>(null);

/** The end of the endpoint of a subscription that its push service has ended (see device-notes.ts); null = none was heard of. */
export const endedPush = signal<string | null>(null);
