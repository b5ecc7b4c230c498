// Messages of the service worker to this page, for the pages and sessions that act on them.
import { signal } from "@preact/signals";

/**
 * The id of the session whose open question the person tapped on outside the app, until it is shown; null if there is
 * none.
 */
export const askedToSee = signal<string | null>(null);

/**
 * The end of the endpoint of a subscription that its push service has ended (see device-notes.ts); null if none was
 * reported.
 */
export const endedPush = signal<string | null>(null);
