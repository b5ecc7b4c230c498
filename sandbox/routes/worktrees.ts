// Worktrees of sandboxes: given, looked at, brought back to the folder.
import type { Hono } from "hono";
import { BringBack, GiveWorktree } from "../../shared/worktree.ts";
import type { ServerContext } from "../context.ts";
import { infoOf, ready } from "../sandbox.ts";
import { branchOf } from "../workspace/head.ts";
import { bringBack } from "../worktrees/bring-back.ts";
import { giveWorktree } from "../worktrees/give-worktree.ts";
import { worktreeState } from "../worktrees/worktree-state.ts";
import { type RouteEnv, readBody } from "./answers.ts";

export function worktreeRoutes(app: Hono<RouteEnv>, server: ServerContext): void {
  app.get("/v1/sandboxes/:id/worktree", async (c) => {
    const sandbox = await ready(await server.registry.get(c.req.param("id")));
    return c.json(await sandbox.folder.lock.with("read", () => worktreeState(sandbox, server)));
  });

  app.post("/v1/sandboxes/:id/worktree", async (c) => {
    const { name } = await readBody(c, GiveWorktree);
    const sandbox = await ready(await server.registry.get(c.req.param("id")));
    await server.budget.check();
    await giveWorktree(sandbox, server, name);
    const branch = await branchOf(sandbox.folder);
    return c.json({ ...infoOf(sandbox), ...(branch === undefined ? {} : { branch }) }, 201);
  });

  app.post("/v1/sandboxes/:id/bring-back", async (c) => {
    const request = await readBody(c, BringBack);
    const sandbox = await ready(await server.registry.get(c.req.param("id")));
    return c.json(await bringBack(sandbox, request, server));
  });
}
