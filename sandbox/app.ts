// The HTTP application of /v1: token, request ids, errors. The routes are in routes/.
import { createHash, timingSafeEqual } from "node:crypto";
import { HandrailError, toHandrailError, traceOf } from "../shared/errors.ts";
import type { ServerContext } from "./context.ts";
import { diskError } from "./paths/disk-error.ts";
import { errorAnswer } from "./routes/answers.ts";
import { archiveRoutes } from "./routes/archive.ts";
import { backgroundRoutes } from "./routes/background.ts";
import { callsRoute } from "./routes/calls.ts";
import { deliveryRoutes } from "./routes/delivery.ts";
import { fileRoute } from "./routes/file.ts";
import { hostRoutes } from "./routes/hosts.ts";
import { Router } from "./routes/router.ts";
import { sandboxRoutes } from "./routes/sandboxes.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { takenOutRoutes } from "./routes/taken-out.ts";
import { turnRoutes } from "./routes/turns.ts";
import { worktreeRoutes } from "./routes/worktrees.ts";

/** Answers the requests of /v1. Never rejects. */
export function createApp(server: ServerContext): (request: Request) => Promise<Response> {
  const router = routerOf(server);
  const expected = digest(server.options.token);
  return async (request) => {
    const given = request.headers.get("x-request-id");
    const requestId = given && /^[A-Za-z0-9._-]{1,100}$/.test(given) ? given : server.newId();
    try {
      mustHaveToken(request, expected);
      const answer = await router.answer(request, requestId);
      return answer ?? errorAnswer(new HandrailError("not_found", "There is no such route."), requestId);
    } catch (error) {
      const known = toHandrailError(diskError(error, "state") ?? error);
      if (known.code === "disk_full") logDisk(server, known);
      // A client that aborted its request needs no answer and no log entry.
      if (known.code === "internal" && !request.signal.aborted)
        server.log({ level: "error", trace: traceOf(error), requestId });
      return errorAnswer(known, requestId);
    }
  };
}

function routerOf(server: ServerContext): Router {
  const router = new Router();
  sandboxRoutes(router, server);
  sessionRoutes(router, server);
  hostRoutes(router, server);
  takenOutRoutes(router, server);
  worktreeRoutes(router, server);
  deliveryRoutes(router, server);
  backgroundRoutes(router, server);
  callsRoute(router, server);
  turnRoutes(router, server);
  fileRoute(router, server);
  archiveRoutes(router, server);
  return router;
}

function mustHaveToken({ headers }: Request, expected: Buffer): void {
  const token = /^Bearer (.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  // Digests have equal lengths, so that the time of the comparison reveals nothing about the token.
  if (token !== undefined && timingSafeEqual(digest(token), expected)) return;
  throw new HandrailError(
    "unauthorized",
    "The token is missing or wrong. Send it as `Authorization: Bearer TOKEN`.",
  );
}

/**
 * The person is told only which folder is full. The log, for the operator of the server, also has its path.
 */
function logDisk({ log, options }: ServerContext, { details, message }: HandrailError): void {
  const folder = details?.folder === "state" ? options.state : undefined;
  log({ level: "error", message, ...(folder === undefined ? {} : { folder }) });
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
