// A token of the server's own (HANDRAIL_FORGE_TOKENS) clones, pushes and opens pull requests at exactly its
// host, and is never shown.
import { afterAll, beforeAll, expect, test } from "vitest";
import { SandboxAnswer } from "../../shared/api.ts";
import { forgeToken } from "../fakes/forge/played-forge.ts";
import { sandboxOf } from "./forge/sandbox-of.ts";
import { asked, type ForgeStage, openStage, refusal } from "./forge/stage.ts";
import { ask, post } from "./http/request.ts";

let stage: ForgeStage;
beforeAll(async () => {
  stage = await openStage("github", (host) => ({
    HANDRAIL_FORGE_TOKENS: `other.example=another_token_0123, ${host}=${forgeToken}`,
  }));
});
afterAll(() => stage.close());

/** `at`: the remote that the person saw. */
const plain = (path: string, init: RequestInit = {}, at = "") => {
  const headers = { ...(init.headers as Record<string, string>), ...(at && { "x-git-remote": at }) };
  return stage.ask(path, { ...init, headers }, "");
};

test("a phone without a token clones, pushes and opens a pull request with the server's token", {
  tags: "long",
}, async () => {
  const { host } = new URL(stage.running.origin);
  const { json: known } = await plain("/api/forges");
  expect(known).toMatchObject({
    forges: expect.arrayContaining([{ host, kind: "github", device: true, signedIn: true }]),
  });
  const made = await ask(stage.edge, "/api/sandboxes", post({ source: { git: stage.running.cloneUrl } }));
  const path = `/api/sandboxes/${SandboxAnswer.parse(made.json).sandboxId}`;
  const { run } = sandboxOf(stage, path);
  await run("git switch -qc handrail/own; echo own > own.txt; git add .; git commit -qm Own");
  const at = `${host}/team/app`;
  const pushed = await plain(`${path}/push`, post({ key: "p1", branch: "handrail/own" }), at);
  expect([pushed.status, pushed.json]).toMatchObject([200, { branch: "handrail/own" }]);
  expect((await plain(`${path}/pull-request`, asked(), at)).json).toMatchObject({
    ...{ number: 1, state: "open" },
  });
  expect((await plain(`/api/forges/${encodeURIComponent(host)}/user`)).json).toEqual({ login: "ada" });
  // The session's commands cannot read it.
  expect(await run("env; git config --list; cat .git/config; find . -name '.git*'")).not.toContain(
    forgeToken,
  );
  for (const answer of [made, pushed, await plain(path), await plain(`${path}/git`)])
    expect(answer.text).not.toContain(forgeToken);
});

test("the server's own credentials are sent to no remote but the one the request names", async () => {
  const path = await stage.clone("main");
  const { run } = sandboxOf(stage, path);
  // A command may name another repository of the same host.
  const branch = "handrail/unnamed";
  await run(`git switch -qc ${branch}; git commit -q --allow-empty -m Mine`);
  const asks = [
    [`${path}/push`, post({ key: "n1", branch })],
    [`${path}/push`, post({ key: "n2", branch: "main", fetch: true })],
    [`${path}/pull-request`, asked()],
    [`${path}/pull-request?branch=main`, {}],
  ] as const;
  for (const [where, init] of asks)
    expect(refusal(await plain(where, init))).toMatchObject({
      ...{ status: 400, words: expect.stringContaining("X-Git-Remote: missing") },
    });
  expect(stage.forge.headOf(branch)).toBeNull();
});

test("the phone's own token takes precedence over the server's, and another host gets neither", {
  tags: "long",
}, async () => {
  const path = await stage.branch("handrail/first");
  expect(refusal(await stage.ask(path, asked(), "wrong"))).toMatchObject({ reason: "token" });
  expect(refusal(await plain("/api/forges/gitlab.com/user"))).toMatchObject({
    reason: "token",
    words: expect.stringContaining("Give a token for gitlab.com"),
  });
  const at = encodeURIComponent(`${new URL(stage.running.origin).hostname}:1`);
  expect((await plain(`/api/forges/${at}/user`)).status).toBe(400);
});
