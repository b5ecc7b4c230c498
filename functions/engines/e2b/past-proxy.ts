// Sends requests to a sandbox through E2B's proxy. A refusal by the proxy itself means that nothing arrived,
// just like a refused connection.
import * as z from "zod/mini";

/**
 * The proxy's answer if the sandbox sleeps or is gone, the port has no listener, or the traffic token is old.
 */
const ProxyRefusal = z.object({ sandboxId: z.string(), message: z.string() });
const refusals = [403, 502];

/**
 * If the proxy refused, rejects with a TypeError whose cause has the code ECONNREFUSED. The request may then
 * be sent again.
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
