// Commands in the background, for the person: kept beyond the turn, or ended.
import type { Hono } from "hono";
import type { ServerContext } from "../context.ts";
import type { RouteEnv } from "./answers.ts";

export function backgroundRoutes(app: Hono<RouteEnv>, server: ServerContext): void {
  const path = "/v1/sandboxes/:id/background/:command";

  app.post(path, async (c) => {
    const { background } = await server.registry.get(c.req.param("id"));
    background.get(c.req.param("command")).kept = true;
    return c.body(null, 204);
  });

  app.delete(path, async (c) => {
    const { background } = await server.registry.get(c.req.param("id"));
    await background.get(c.req.param("command")).stop();
    return c.body(null, 204);
  });
}
