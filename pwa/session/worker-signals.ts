// Messages of the service worker to this page, for the pages and sessions that act on them.
import { signal } from "@preact/signals";

/**
 * The session whose notification the person tapped, until its question is shown; null if there is none.
 */
export const askedToSee = signal<string | null>(null);

/**
 * The last characters of the endpoint of a subscription that its push service has ended (see device-notes.ts); null if
 * none was reported.
 */
export const endedPush = signal<string | null>(null);
