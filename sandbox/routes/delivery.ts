// Routes for the state of a sandbox's repository, its commits as a bundle, and pushes of its branches.
import { Readable } from "node:stream";
import { PushFromSandbox } from "../../shared/delivery.ts";
import { type ServerContext, tracked } from "../context.ts";
import { gitOf, meantBranch, shownState } from "../delivery/git-state.ts";
import { push } from "../delivery/push.ts";
import { ready } from "../sandbox.ts";
import { Mutex } from "../workspace/mutex.ts";
import { repositoryEnvironment } from "../workspace/repository.ts";
import { readBody } from "./answers.ts";
import type { Router } from "./router.ts";

export function deliveryRoutes(app: Router, server: ServerContext): void {
  /** One mutex for each repository, because the second of two simultaneous pushes would be refused. */
  const pushes = new Map<string, Mutex>();
  const repositoryOf = async (id: string) => {
    const sandbox = await ready(await server.registry.get(id));
    return { sandbox, git: await gitOf(sandbox, server) };
  };

  app.get("/v1/sandboxes/:id/git", async (c) => {
    const { sandbox, git } = await repositoryOf(c.param("id"));
    return Response.json(await sandbox.folder.lock.with("read", () => shownState(git, server)));
  });

  // The commits that no remote has, for `git pull`. Git fails if there are none, so a client checks `ahead`
  // first.
  app.get("/v1/sandboxes/:id/bundle", async (c) => {
    const { sandbox, git } = await repositoryOf(c.param("id"));
    const { folder } = sandbox;
    const env = { ...repositoryEnvironment(git.place.repository, folder.root), GIT_ALLOW_PROTOCOL: "none" };
    const args = ["bundle", "create", "-q", "-", "HEAD", "--not", "--remotes"];
    const bundle = folder.snapshots.store.runner.stream({ args, env });
    return new Response(Readable.toWeb(bundle) as ReadableStream<Uint8Array>);
  });

  app.post("/v1/sandboxes/:id/push", async (c) => {
    const request = await readBody(c, PushFromSandbox);
    const { sandbox, git } = await repositoryOf(c.param("id"));
    const token = c.request.headers.get("x-git-token") ?? undefined;
    const { commonDir } = git.place.repository;
    const mutex = pushes.get(commonDir) ?? new Mutex();
    pushes.set(commonDir, mutex);
    const branch = await meantBranch(git, request.branch, server);
    const work = mutex.run(() => push(sandbox, { ...request, branch }, { git, token, server }));
    const answer = await tracked(work, [server.running, sandbox.work]);
    return Response.json({ ...answer, branch: request.branch });
  });
}
