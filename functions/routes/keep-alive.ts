// Keeps work alive that continues after its response.
import type { Context } from "hono";

/** Workers end a request's work with its response, unless `waitUntil` is given its promise. */
export function keepAlive(c: Context, work: Promise<unknown>): void {
  try {
    c.executionCtx.waitUntil(work);
  } catch {
    // Node and Deno have no execution context and need none.
  }
}
