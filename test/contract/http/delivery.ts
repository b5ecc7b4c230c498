import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SandboxAnswer } from "../../../shared/api.ts";
import { Committed, GitState } from "../../../shared/delivery.ts";
import { type GitHost, hostPassword, hostUser, startGitHost } from "../../sandbox/git-host.ts";
import { ask, post } from "./request.ts";
import type { GetTarget } from "./target.ts";

export function describeDelivery(target: GetTarget): void {
  describe("committing and pushing", () => {
    const made = async () => {
      const { json } = await ask(target(), "/api/sandboxes", post({ source: { sample: true } }));
      const path = `/api/sandboxes/${SandboxAnswer.parse(json).sandboxId}`;
      const { json: state } = await ask(target(), `${path}/git`);
      return { path, state: GitState.parse(state) };
    };

    test("the repository reports its branch, and has nothing to commit or push", async () => {
      const { state } = await made();
      expect(state).toMatchObject({ branch: "main", upstream: null, clean: true, remote: null });
    });

    test("a commit is undone, made again with its files, and amended, once for each key", async () => {
      const { path, state } = await made();
      const commit = async (body: object) =>
        Committed.parse((await ask(target(), `${path}/commit`, post(body))).json);
      const undo = { key: "undo", undo: state.head };
      expect([await commit(undo), await commit(undo)]).toEqual(
        Array(2).fill({ commit: "", branch: "main", files: [] }),
      );
      const again = { key: "again", message: "Again", paths: ["README.md"], branch: "handrail/again" };
      const [first, second] = await Promise.all([commit(again), commit(again)]);
      expect([first, second.commit, first.files]).toEqual([
        expect.objectContaining({ branch: "handrail/again" }),
        first.commit,
        ["README.md"],
      ]);
      const { commit: amended } = await commit({
        key: "amend",
        amend: first.commit,
        paths: ["package.json"],
      });
      const { json } = await ask(target(), `${path}/git`);
      expect(json).toMatchObject({ branch: "handrail/again", head: amended, ahead: 1 });
    });

    describe("with a remote that asks for a password", () => {
      let host: GitHost;
      beforeAll(async () => {
        host = await startGitHost(0);
      });
      afterAll(() => host.close());
      const cloned = async () => {
        const url = new URL(host.url);
        url.username = hostUser;
        url.password = encodeURIComponent(hostPassword);
        const { json } = await ask(target(), "/api/sandboxes", post({ source: { git: url.href } }));
        return `/api/sandboxes/${SandboxAnswer.parse(json).sandboxId}`;
      };
      const push = (path: string, body: object, token = `${hostUser}:${hostPassword}`) => {
        const init = post({ key: crypto.randomUUID(), ...body });
        return ask(target(), `${path}/push`, { ...init, headers: { ...init.headers, "x-git-token": token } });
      };

      test("a branch is created and pushed with its token; the state then says that the remote has it", async () => {
        const path = await cloned();
        const branch = `handrail/pushed-${crypto.randomUUID().slice(0, 8)}`;
        await ask(target(), `${path}/commit`, post({ key: "1", branch, paths: [] }));
        const { json: preview } = await ask(target(), `${path}/push?branch=${encodeURIComponent(branch)}`);
        expect(preview).toMatchObject({ branch, remote: { host: new URL(host.url).host, name: "origin" } });
        const { head } = GitState.parse((await ask(target(), `${path}/git`)).json);
        expect(await push(path, { branch, commit: head })).toMatchObject({
          status: 200,
          json: { branch, commit: head },
        });
        expect((await ask(target(), `${path}/git`)).json).toMatchObject({ upstream: `origin/${branch}` });
        expect(await push(path, { branch: "trunk", fetch: true })).toMatchObject({ json: { commit: head } });
      });

      test.each([
        [{ branch: "trunk", commit: "0".repeat(40) }, 412, "stale_file"],
        [{ branch: "trunk", host: "git.example" }, 400, "invalid_request"],
        [{ branch: "--mirror" }, 400, "invalid_request"],
      ])("a push of %j is refused", { tags: "long" }, async (body, status, code) => {
        const path = await cloned();
        expect(await push(path, body)).toMatchObject({ status, json: { error: { code } } });
      });

      test("the error explains a token that the remote refuses, and no answer contains the token", {
        tags: "long",
      }, async () => {
        const path = await cloned();
        const answer = await push(path, { branch: "trunk" }, "wrong-secret-1");
        expect(answer).toMatchObject({
          status: 502,
          json: { error: { code: "push_refused", details: { reason: "token" } } },
        });
        expect(JSON.stringify(answer.json)).not.toContain("wrong-secret-1");
      });
    });

    test.each([
      [{ key: "1", message: "" }, "message: missing"],
      [{ key: "1", message: "x", paths: ["README.md"] }, "nothing to commit"],
      [{ key: "1", message: "x", branch: "--orphan" }, "branch"],
      [{ key: "a/b", message: "x" }, "body.key"],
      [{ key: "1", message: "x", path: "README.md" }, "path"],
    ])("a commit with %j is refused", { tags: "long" }, async (body, words) => {
      const { path } = await made();
      const { status, json } = await ask(target(), `${path}/commit`, post(body));
      expect([status, json]).toMatchObject([400, { error: { message: expect.stringContaining(words) } }]);
    });

    test("without a remote nothing is pushed, and an unknown method is refused with a reason", {
      tags: "long",
    }, async () => {
      const { path } = await made();
      for (const answer of [
        await ask(target(), `${path}/push?branch=main`),
        await ask(target(), `${path}/push`, post({ key: "1", branch: "main" })),
      ])
        expect([answer.status, answer.json]).toMatchObject([
          400,
          { error: { message: expect.stringContaining("no remote") } },
        ]);
      expect((await ask(target(), `${path}/commit`)).status).toBe(404);
    });
  });
}
