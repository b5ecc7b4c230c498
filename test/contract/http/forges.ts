import { describe, expect, test } from "vitest";
import { SandboxAnswer } from "../../../shared/api.ts";
import { forgeToken } from "../../fakes/forge/played-forge.ts";
import { ask, post } from "./request.ts";
import type { ForgeTarget } from "./target.ts";

export function describeForges(target: ForgeTarget): void {
  describe("pull requests", () => {
    const headers = { "x-git-token": forgeToken };

    test("one is created, seen with the end of a check's log from external storage, and merged", {
      tags: "long",
    }, async () => {
      const { forge, cloneUrl } = target().running;
      forge.git("update-ref", "refs/heads/handrail/on", forge.headOf("main") ?? "");
      const sha = forge.write("handrail/on", { "a.txt": "on\n" }, "On");
      forge.checks.push({ id: 70, name: "test", sha, state: "failed", log: "it broke\n" });
      const git = cloneUrl.replace("://", `://x:${forgeToken}@`);
      const made = await ask(target(), "/api/sandboxes", post({ source: { git, ref: "handrail/on" } }));
      const path = `/api/sandboxes/${SandboxAnswer.parse(made.json).sandboxId}/pull-request`;
      const body = { key: "1", title: "On", body: "Because.", draft: false };
      const opened = await ask(target(), path, { ...post(body), headers });
      expect([opened.status, opened.json]).toMatchObject([200, { number: 1, state: "open" }]);
      expect((await ask(target(), path, { headers })).json).toMatchObject({
        head: sha,
        checks: [{ id: "run-70", state: "failed" }],
      });
      const log = await ask(target(), `${path}/log?number=1&check=run-70`, { headers });
      expect(log.json).toEqual({ text: "it broke", cut: false });
      const merged = await ask(target(), `${path}/merge`, { ...post({ number: 1, head: sha }), headers });
      expect(merged.json).toMatchObject({ state: "merged" });
    });

    test("without a token no forge is asked, and for an unknown host the error says how to configure it", async () => {
      const none = await ask(target(), "/api/forges/github.com/user");
      expect([none.status, none.json]).toMatchObject([502, { error: { details: { reason: "token" } } }]);
      const unknown = await ask(target(), "/api/forges/evil.example/user", { headers });
      expect([unknown.status, unknown.text]).toEqual([501, expect.stringContaining("HANDRAIL_FORGES=")]);
    });

    test.each([
      "branches?repository=app",
      "branches?repository=team/app&page=0",
      "issues?repository=team/app&branch=b",
      "issue?repository=team/app&number=x",
    ])("%s is refused before a forge is asked", async (what) => {
      expect((await ask(target(), `/api/forges/github.com/${what}`, { headers })).status).toBe(400);
    });
  });
}
