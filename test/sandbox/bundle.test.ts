// The commits of a session as a bundle, for a person who fetches them with their own git.
// @module-tag long
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

afterAll(removeFolders);

test("without a jail, a missing object is not fetched from where the repository's settings say", async () => {
  const workspace = await freshFolder("workspace");
  const home = newHome(dirname(workspace));
  const git = (...args: string[]) => hostGit(home, workspace, ...args).trim();
  const remote = join(dirname(workspace), "remote");
  git("init", "-q");
  writeFileSync(join(workspace, "a.txt"), "one\n");
  git("add", "-A");
  git("commit", "-qm", "first");
  git("clone", "-q", "--bare", ".", remote);
  hostGit(home, remote, "config", "uploadpack.allowAnySHA1InWant", "true");
  for (const pair of [`url=${remote}`, "promisor=true", "partialCloneFilter=blob:none"])
    git("config", ...`remote.origin.${pair}`.split("="));
  git("config", "extensions.partialClone", "origin");
  const id = git("rev-parse", "HEAD:a.txt");
  const object = join(workspace, ".git", "objects", id.slice(0, 2), id.slice(2));
  const server = await RunningServer.start({ workspace, env: { HANDRAIL_NO_BWRAP: "1" } });
  const { id: sandbox } = await server.client.create();
  rmSync(object);
  const answer = await server.client.fetch(`/sandboxes/${sandbox}/bundle`);
  await answer.arrayBuffer().catch(() => undefined);
  rmSync(remote, { recursive: true });
  expect(() => git("cat-file", "-e", id)).toThrow();
  await server.stop();
});
