// Lists entries that commands left and the sandbox took out of the workspace, and puts one back when the
// person asks.
import type { TakenOutList } from "../../shared/taken-out.ts";
import type { ServerContext } from "../context.ts";
import { noContent, type Router } from "./router.ts";

export function takenOutRoutes(app: Router, server: ServerContext): void {
  app.get("/v1/sandboxes/:id/taken-out", async (c) => {
    const { folder } = await server.registry.get(c.param("id"));
    const answer: TakenOutList = { entries: await folder.guard.takenOut() };
    return Response.json(answer);
  });

  app.post("/v1/sandboxes/:id/taken-out/:entry", async (c) => {
    const { folder } = await server.registry.get(c.param("id"));
    // Nothing else may work in the folder meanwhile: the person's decision is based on its current state.
    await folder.lock.with("change", () => folder.guard.putBack(c.param("entry")));
    return noContent();
  });
}
