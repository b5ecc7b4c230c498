// The lookups of one command, one after the other. Node asks the system's resolver in two threads for the whole
// server, so a name that nobody answers for would keep those of other commands, and of clones, waiting.
import type { Reach } from "./reach.ts";

/** Requests for a name that is being looked up share its answer. After `signal`, nothing is looked up. */
export function singleLookups(reach: Reach, signal: AbortSignal): Reach {
  const pending = new Map<string, Promise<string[]>>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...reach,
    addresses(name) {
      const asked = pending.get(name);
      if (asked !== undefined) return asked;
      const found = last
        .then(() => (signal.aborted ? [] : reach.addresses(name)))
        .finally(() => pending.delete(name));
      pending.set(name, found);
      last = found.catch(() => undefined);
      return found;
    },
  };
}
