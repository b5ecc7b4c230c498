// Keeps work alive that continues after the response.
import type { Context } from "hono";

/** Workers end the work of a request with its response, unless a promise is passed to `waitUntil`. */
export function keepAlive(c: Context, work: Promise<unknown>): void {
  try {
    c.executionCtx.waitUntil(work);
  } catch {
    // Node and Deno have no execution context and do not need one.
  }
}
