// The edge as one Hono app: guards, routes, errors, headers. It is the same on every runtime and depends on none.

import type { MiddlewareHandler } from "hono";
import { requestId } from "hono/request-id";
import { Hono } from "hono/tiny";
import { type ErrorBody, HandrailError, statusOf, toHandrailError, traceOf } from "../shared/errors.ts";
import type { Deps } from "./deps.ts";
import { draftRoutes } from "./routes/draft.ts";
import { bearer, knownHost, sameOrigin } from "./routes/guard.ts";
import { configRoutes, healthRoutes } from "./routes/health.ts";
import { metricsRoutes, observeRequests, routeOf } from "./routes/metrics.ts";
import { openapiRoutes } from "./routes/openapi.ts";
import { pushRoutes } from "./routes/push.ts";
import { type AddressOf, rateLimit, spend } from "./routes/rate-limit.ts";
import { sandboxRoutes } from "./routes/sandboxes.ts";
import { apiHeaders, pageHeaders } from "./routes/security-headers.ts";
import { turnRoutes } from "./routes/turn.ts";

/** The page's files, provided by a runtime; undefined = there is no such file. */
export type Assets = (request: Request) => Promise<Response | undefined>;

/** `outermost`: middleware that gets each request first and its response last. */
export function createApp(
  deps: Deps,
  assets: Assets,
  addressOf: AddressOf,
  outermost: readonly MiddlewareHandler[] = [],
): Hono {
  const app = new Hono();
  const { metrics, rateLimiters } = deps.memory;
  app.use("*", ...outermost, requestId({ generator: () => deps.newId() }));

  app.use("/api/*", observeRequests(deps));
  app.use("*", async (c, next) => {
    await next();
    // Set after the route has run, so that a response can have its own headers, and streams and missing files get ours
    // too.
    for (const [name, value] of Object.entries({ ...apiHeaders, "x-request-id": c.get("requestId") })) {
      if (!c.res.headers.has(name)) c.header(name, value);
    }
  });
  app.use("/api/*", knownHost(deps.hosts), sameOrigin(deps.origins));
  app.route("/api", healthRoutes(deps));
  const { identityProxy } = deps;
  if (identityProxy) {
    let guard: MiddlewareHandler | undefined;
    // Loaded for each request, because on workerd a promise of one request must not be awaited in another.
    app.use("/api/*", async (c, next) => {
      const { behindIdentityProxy } = await import("./routes/identity-proxy.ts");
      guard ??= behindIdentityProxy(identityProxy, deps);
      return guard(c, next);
    });
  }
  const strangers = rateLimiters?.strangers;
  app.use(
    "/api/*",
    bearer(
      deps.token,
      async (c) => strangers && spend(strangers, "requests without the token", addressOf(c)),
    ),
  );
  if (rateLimiters) {
    // The limit applies to the token, whatever the address: one token is one person.
    app.use(
      "/api/*",
      rateLimit(rateLimiters.requests, "requests", () => "token"),
    );
    const asTurn = rateLimit(rateLimiters.turns, "turns", () => "token");
    app.post("/api/turn", asTurn);
    app.post("/api/draft", asTurn);
    app.post("/api/second-opinion", asTurn);
    app.post("/api/turns/:sandboxId/:turnId/resume", asTurn);
  }
  app.route("/api", configRoutes(deps));
  app.route("/api", sandboxRoutes(deps));
  app.route("/api", openapiRoutes(assets));
  app.route("/api", metricsRoutes(metrics, deps.sandbox));
  app.route("/api", pushRoutes(deps));
  app.route("/api", draftRoutes(deps));
  app.route("/api", turnRoutes(deps));
  app.all("/api/*", (c) => {
    throw new HandrailError(
      "not_found",
      `${c.req.method} ${c.req.path}: no such route; see GET /api/openapi.json.`,
    );
  });

  app.get("*", async (c) => {
    const found = await assets(c.req.raw);
    if (!found)
      throw new HandrailError("not_found", "No such page. If the app was never built, run: npm run build");
    const answer = new Response(found.body, found);
    for (const [name, value] of Object.entries(pageHeaders)) answer.headers.set(name, value);
    return answer;
  });

  // A route instead of `notFound`, because errors thrown there would not get the headers above.
  app.all("*", () => {
    throw new HandrailError("not_found", "No such route.");
  });
  app.onError((error, c) => {
    const failure = toHandrailError(error);
    const id = c.get("requestId");
    if (failure.code === "internal") {
      deps.log({ event: "error", requestId: id, route: routeOf(c), trace: traceOf(error) });
    }
    const seconds = failure.details?.retryAfterSeconds;
    if (typeof seconds === "number") c.header("retry-after", String(Math.ceil(seconds)));
    return c.json<ErrorBody>({ error: failure.toInfo(id) }, statusOf[failure.code] || 500);
  });
  return app;
}
