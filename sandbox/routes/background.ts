// Routes with which the person keeps a background command beyond its turn, or ends it.
import type { ServerContext } from "../context.ts";
import { noContent, type Router } from "./router.ts";

export function backgroundRoutes(app: Router, server: ServerContext): void {
  const path = "/v1/sandboxes/:id/background/:command";

  app.post(path, async (c) => {
    const { background } = await server.registry.get(c.param("id"));
    background.get(c.param("command")).kept = true;
    return noContent();
  });

  app.delete(path, async (c) => {
    const { background } = await server.registry.get(c.param("id"));
    await background.get(c.param("command")).stop();
    return noContent();
  });
}
