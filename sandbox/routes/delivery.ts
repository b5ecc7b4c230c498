// Where a sandbox's repository is, and pushes of its branches.
import type { Hono } from "hono";
import { PushFromSandbox } from "../../shared/delivery.ts";
import { type ServerContext, tracked } from "../context.ts";
import { gitOf, gitState } from "../delivery/git-state.ts";
import { push } from "../delivery/push.ts";
import { ready } from "../sandbox.ts";
import { Mutex } from "../workspace/mutex.ts";
import { type RouteEnv, readBody } from "./answers.ts";

export function deliveryRoutes(app: Hono<RouteEnv>, server: ServerContext): void {
  /** By repository: what is pushed twice at once would be refused the second time. */
  const pushes = new Map<string, Mutex>();
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
    const token = c.req.header("x-git-token");
    const { commonDir } = git.place.repository;
    const mutex = pushes.get(commonDir) ?? new Mutex();
    pushes.set(commonDir, mutex);
    const work = mutex.run(() => push(sandbox, request, { git, token, server }));
    return c.json(await tracked(work, [server.running, sandbox.work]));
  });
}
