// What a command left and the sandbox took out of the workspace: seen by the person, and put back.
import type { Hono } from "hono";
import type { TakenOutList } from "../../shared/taken-out.ts";
import type { ServerContext } from "../context.ts";
import type { RouteEnv } from "./answers.ts";

export function takenOutRoutes(app: Hono<RouteEnv>, server: ServerContext): void {
  app.get("/v1/sandboxes/:id/taken-out", async (c) => {
    const { folder } = await server.registry.get(c.req.param("id"));
    const answer: TakenOutList = { entries: await folder.guard.takenOut() };
    return c.json(answer);
  });

  app.post("/v1/sandboxes/:id/taken-out/:entry", async (c) => {
    const { folder } = await server.registry.get(c.req.param("id"));
    // Nothing else works in the folder meanwhile: the person decides on what is there.
    await folder.lock.with("change", () => folder.guard.putBack(c.req.param("entry")));
    return c.body(null, 204);
  });
}
