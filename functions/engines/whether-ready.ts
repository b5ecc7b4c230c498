// Tests whether the sandbox server of a guest answers, and waits until it does.
import { HandrailError } from "../../shared/errors.ts";
import type { Endpoint } from "./engine.ts";

/**
 * How long one test may take. A running server answers in a few milliseconds, but a proxy in front of a
 * paused one may not answer at all.
 */
const lookMs = 3_000;
/** Time between two tests. */
const pauseMs = 100;
/** Longer than any engine needs to start a guest whose image it has. */
const readyMs = 60_000;

export async function answersAt(
  fetch: typeof globalThis.fetch,
  { url, headers, fetch: own = fetch }: Endpoint,
  patienceMs = lookMs,
): Promise<boolean> {
  try {
    const answer = await own(`${url}/v1/capabilities`, { headers, signal: AbortSignal.timeout(patienceMs) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

export interface ReadyWait {
  fetch: typeof fetch;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  signal?: AbortSignal | undefined;
  /** The endpoint at which the guest should answer now; undefined = not yet. An error ends the wait. */
  look(): Promise<Endpoint | undefined>;
  /** How long the first test may take. A test that takes longer is given twice the time in the next round. */
  patienceMs?: number;
}

/** Throws `sandbox_unreachable` if it takes too long, or the signal's reason. */
export async function whenReady({
  fetch,
  elapsed,
  signal,
  look,
  patienceMs = lookMs,
}: ReadyWait): Promise<Endpoint> {
  let patience = patienceMs;
  for (const began = elapsed(); elapsed() - began < readyMs; ) {
    signal?.throwIfAborted();
    const endpoint = await look();
    const asked = elapsed();
    if (endpoint && (await answersAt(fetch, endpoint, patience))) return endpoint;
    // Over ssh to a busy or distant machine, a new connection alone takes seconds.
    if (elapsed() - asked >= patience) patience *= 2;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new HandrailError("sandbox_unreachable", "The sandbox did not start within a minute. Try again.");
}
