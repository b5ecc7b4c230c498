// Requests to a sandbox through E2B's proxy. A refusal by the proxy itself means that nothing arrived, as a refused
// connection does.
import * as z from "zod/mini";

/** What the proxy answers for a sandbox that sleeps or is gone, a port nobody listens on, or an old traffic token. */
const ProxyRefusal = z.object({ sandboxId: z.string(), message: z.string() });
const refusals = [403, 502];

/**
 * Rejects with a TypeError whose cause has the code ECONNREFUSED if the proxy refused; the request may then be sent
 * again.
 */
export function pastProxy(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!refusals.includes(response.status)) return response;
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => undefined);
    const { data } = z.safeParse(ProxyRefusal, body);
    if (!data) return response;
    await response.body?.cancel();
    const cause = Object.assign(new Error(data.message), { code: "ECONNREFUSED" });
    throw new TypeError("fetch failed", { cause });
  };
}
