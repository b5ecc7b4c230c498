// The HTTP application of /v1: token, request ids, errors. The routes are in routes/.
import { createHash, timingSafeEqual } from "node:crypto";
import { Hono } from "hono/tiny";
import { HandrailError, toHandrailError, traceOf } from "../shared/errors.ts";
import type { ServerContext } from "./context.ts";
import { diskError } from "./paths/disk-error.ts";
import { errorAnswer, type RouteEnv } from "./routes/answers.ts";
import { archiveRoutes } from "./routes/archive.ts";
import { backgroundRoutes } from "./routes/background.ts";
import { callsRoute } from "./routes/calls.ts";
import { deliveryRoutes } from "./routes/delivery.ts";
import { fileRoute } from "./routes/file.ts";
import { hostRoutes } from "./routes/hosts.ts";
import { sandboxRoutes } from "./routes/sandboxes.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { takenOutRoutes } from "./routes/taken-out.ts";
import { turnRoutes } from "./routes/turns.ts";
import { worktreeRoutes } from "./routes/worktrees.ts";

export function createApp(server: ServerContext): Hono<RouteEnv> {
  const app = new Hono<RouteEnv>();
  const expected = digest(server.options.token);

  app.use(async (c, next) => {
    const given = c.req.header("x-request-id");
    c.set("requestId", given && /^[A-Za-z0-9._-]{1,100}$/.test(given) ? given : server.newId());
    await next();
  });
  app.use(async (c, next) => {
    const token = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    // Compare digests, which have equal lengths, so that timing reveals nothing about the token.
    if (token === undefined || !timingSafeEqual(digest(token), expected)) {
      throw new HandrailError(
        "unauthorized",
        "The token is missing or wrong. Send it as `Authorization: Bearer TOKEN`.",
      );
    }
    await next();
  });
  sandboxRoutes(app, server);
  sessionRoutes(app, server);
  hostRoutes(app, server);
  takenOutRoutes(app, server);
  worktreeRoutes(app, server);
  deliveryRoutes(app, server);
  backgroundRoutes(app, server);
  callsRoute(app, server);
  turnRoutes(app, server);
  fileRoute(app, server);
  archiveRoutes(app, server);
  app.notFound((c) =>
    errorAnswer(new HandrailError("not_found", "There is no such route."), c.get("requestId")),
  );
  app.onError((error, c) => {
    const known = toHandrailError(diskError(error, "state") ?? error);
    if (known.code === "disk_full") logDisk(server, known);
    // A client that aborted its request needs no answer, and the log no entry.
    if (known.code === "internal" && !c.req.raw.signal.aborted)
      server.log({ level: "error", trace: traceOf(error), requestId: c.get("requestId") });
    return errorAnswer(known, c.get("requestId"));
  });
  return app;
}

/** The person is told which folder it is; whoever runs the server, where that is. */
function logDisk({ log, options }: ServerContext, { details, message }: HandrailError): void {
  const folder = details?.folder === "state" ? options.state : undefined;
  log({ level: "error", message, ...(folder === undefined ? {} : { folder }) });
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
