// Where a sandbox's repository is, and pushes of its branches.
import type { Hono } from "hono";
import { PushFromSandbox } from "../../shared/delivery.ts";
import { type ServerContext, tracked } from "../context.ts";
import { gitOf, gitState } from "../delivery/git-state.ts";
import { push } from "../delivery/push.ts";
import { ready } from "../sandbox.ts";
import { type RouteEnv, readBody } from "./answers.ts";

export function deliveryRoutes(app: Hono<RouteEnv>, server: ServerContext): void {
  /** By sandbox, key and branch. After a restart a push runs anew: git sends nothing that the remote has. */
  const pushes = new Map<string, ReturnType<typeof push>>();
  const repositoryOf = async (id: string) => {
    const sandbox = await ready(await server.registry.get(id));
    return { sandbox, git: await gitOf(sandbox, server) };
  };

  app.get("/v1/sandboxes/:id/git", async (c) => {
    const { sandbox, git } = await repositoryOf(c.req.param("id"));
    return c.json(await sandbox.folder.lock.with("read", () => gitState(git)));
  });

  app.post("/v1/sandboxes/:id/push", async (c) => {
    const request = await readBody(c, PushFromSandbox);
    const { sandbox, git } = await repositoryOf(c.req.param("id"));
    const place = `${sandbox.record.id}/${request.key}/${request.branch}`;
    const token = c.req.header("x-git-token");
    const work =
      pushes.get(place) ??
      tracked(push(sandbox, request, { git, token, server }), [server.running, sandbox.work]);
    pushes.set(place, work);
    work.catch(() => pushes.delete(place));
    return c.json(await work);
  });
}
