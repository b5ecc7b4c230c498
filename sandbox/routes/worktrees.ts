// The routes of worktrees: give a sandbox one, show its state, bring its work back to the folder.
import { BringBack, GiveWorktree } from "../../shared/worktree.ts";
import type { ServerContext } from "../context.ts";
import { infoOf, ready } from "../sandbox.ts";
import { bringBack } from "../worktrees/bring-back.ts";
import { giveWorktree } from "../worktrees/give-worktree.ts";
import { worktreeState } from "../worktrees/worktree-state.ts";
import { readBody } from "./answers.ts";
import type { Router } from "./router.ts";
import { branchIn } from "./sandboxes.ts";

export function worktreeRoutes(app: Router, server: ServerContext): void {
  app.get("/v1/sandboxes/:id/worktree", async (c) => {
    const sandbox = await ready(await server.registry.get(c.param("id")));
    return Response.json(await sandbox.folder.lock.with("read", () => worktreeState(sandbox, server)));
  });

  app.post("/v1/sandboxes/:id/worktree", async (c) => {
    const { name } = await readBody(c, GiveWorktree);
    const sandbox = await ready(await server.registry.get(c.param("id")));
    await server.budget.check();
    await giveWorktree(sandbox, server, name);
    const info = { ...infoOf(sandbox, server.redactor), ...(await branchIn(sandbox, server)) };
    return Response.json(info, { status: 201 });
  });

  app.post("/v1/sandboxes/:id/bring-back", async (c) => {
    const request = await readBody(c, BringBack);
    const sandbox = await ready(await server.registry.get(c.param("id")));
    return Response.json(await bringBack(sandbox, request, server));
  });
}
