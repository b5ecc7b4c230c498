// GET /api/metrics, and the counting of requests: numbers, methods and routes, never content.
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { Hono } from "hono/tiny";
import type { Deps } from "../deps.ts";
import type { Metrics } from "../metrics.ts";
import type { SandboxClient } from "../sandbox/client.ts";

export function metricsRoutes(metrics: Metrics, { guests }: SandboxClient): Hono {
  return new Hono().get("/metrics", async (c) => c.json({ ...metrics.read(), guests: await guests?.() }));
}

/** Counts each response, and logs a line for it if requests are logged. */
export function observeRequests({ memory, log, logsRequests, elapsed }: Deps): MiddlewareHandler {
  return async (c, next) => {
    const startedAt = elapsed();
    await next();
    const { status } = c.res;
    memory.metrics.request(status);
    if (!logsRequests) return;
    const { method } = c.req;
    log({
      event: "request",
      requestId: c.get("requestId"),
      method,
      route: routeOf(c),
      status,
      ms: Math.round(elapsed() - startedAt),
    });
  };
}

/** The route as it is declared, because a requested path may contain anything. */
export function routeOf(c: Context): string {
  const route = matchedRoutes(c).findLast(({ path }) => !path.includes("*"));
  return route?.path ?? "none";
}
