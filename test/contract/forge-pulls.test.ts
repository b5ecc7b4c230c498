// Pull requests through the edge, on each kind of forge: made once, read in full, merged once, with refusals
// explained.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PullRequest } from "../../shared/forge.ts";
import { asked, type ForgeStage, openStage, refusal, seen } from "./forge/stage.ts";
import { post } from "./http/request.ts";

for (const kind of ["github", "gitlab", "gitea"] as const)
  describe(`a pull request on ${kind}`, { tags: kind === "github" ? [] : ["long"] }, () => {
    let stage: ForgeStage;
    beforeAll(async () => {
      stage = await openStage(kind);
    });
    afterAll(() => stage.close());
    afterEach(() => {
      stage.forge.quirks = { ...stage.forge.usual };
      stage.forge.checks.length = 0;
    });
    const of = (head: string) => stage.forge.pulls.filter((pull) => pull.head === head);
    const isOpening = ({ method, path }: { method: string; path: string }) =>
      method === "POST" && /\/(pulls|merge_requests)$/.test(path);

    test("is created once: for two phones at once, for a repeated tap and after a lost answer", async () => {
      const path = await stage.branch("handrail/once");
      const both = await Promise.all([
        stage.ask(path, asked()),
        stage.ask(path, asked("Theirs", { key: "k2" })),
      ]);
      const again = await stage.ask(path, asked());
      for (const { status, json } of [...both, again])
        expect([status, json]).toEqual([
          200,
          { number: 1, url: expect.stringContaining("/1"), state: "open" },
        ]);
      expect(of("handrail/once")).toHaveLength(1);

      const lost = await stage.branch("handrail/lost");
      let times = 0;
      stage.forge.quirks.before = (request) => (isOpening(request) && times++ === 0 ? "lost" : undefined);
      expect(await stage.ask(lost, asked())).toMatchObject({ status: 200, json: { state: "open" } });
      expect([of("handrail/lost").length, times]).toEqual([1, 1]);
    });

    test("keeps title and text, targets the default branch, and is a draft on request", {
      tags: "long",
    }, async () => {
      const path = await stage.branch("handrail/draft");
      await stage.ask(path, asked("Dates\u202e\n of the day", { body: "Line one\n\n- two", draft: true }));
      const [pull] = of("handrail/draft");
      expect(pull).toMatchObject({ body: "Line one\n\n- two", base: "main", draft: true });
      expect(pull?.title).toMatch(/^(Draft: |WIP: )?Dates of the day$/);
      expect(seen(await stage.ask(path))).toMatchObject({ draft: true, merge: { why: "It is a draft." } });
    });

    test("that is missing, whose branch is missing at the forge or is its own base, gets an error that says what to do", {
      tags: "long",
    }, async () => {
      const path = await stage.branch("handrail/none");
      expect(refusal(await stage.ask(path))).toMatchObject({ status: 404, reason: "not_found" });
      expect(refusal(await stage.ask(path, asked("x", { base: "handrail/none" })))).toMatchObject({
        status: 400,
      });
      expect(refusal(await stage.ask(path, asked("x", { branch: "main" })))).toMatchObject({ status: 400 });
      expect(refusal(await stage.ask(path, asked("x", { host: "github.com" })))).toMatchObject({
        status: 400,
      });
      stage.forge.deleteBranch("handrail/none");
      expect(refusal(await stage.ask(path, asked()))).toMatchObject({
        reason: "unpushed",
        words: expect.stringContaining("push it first"),
      });
    });

    test("shows checks, reviews and comments from all pages", { tags: "long" }, async () => {
      const path = await stage.branch("handrail/shown");
      await stage.ask(path, asked());
      const [pull] = of("handrail/shown");
      if (!pull) throw new Error("not made");
      const sha = stage.forge.shaOf(pull);
      const { checks } = stage.forge;
      for (const [index, state] of (["passed", "failed", "running"] as const).entries())
        checks.push({ id: 400 + index, name: `test-${index}`, sha, state, log: `log ${index}\nthe end\n` });
      pull.reviews.push({ by: "bob", state: "approved", text: "" });
      pull.threads.push({
        id: "801",
        by: "bob",
        text: "Why three?",
        path: "a.txt",
        line: 1,
        resolved: false,
      });
      pull.comments.push({ id: 900, by: "eve", text: "Nice." }, { id: 901, by: "eve", text: "Indeed." });
      stage.forge.quirks.pageSize = 2;
      const now = PullRequest.parse(seen(await stage.ask(path)));
      expect(now).toMatchObject({
        branch: "handrail/shown",
        base: "main",
        head: sha,
        truncated: false,
        missing: [],
      });
      expect(now.checks.map(({ state }) => state)).toEqual(["passed", "failed", "running"]);
      expect(now.reviews).toMatchObject([{ by: "bob", state: "approved" }]);
      expect(now.comments.find(({ path: file }) => file === "a.txt")).toMatchObject({
        by: "bob",
        text: "Why three?",
        line: 1,
        resolved: false,
      });
      expect(now.comments.filter(({ path: file }) => file === undefined).map(({ by }) => by)).toContain(
        "eve",
      );

      const failed = now.checks.find(({ state }) => state === "failed");
      const log = await stage.ask(`${path}/log?number=${now.number}&check=${failed?.id}`);
      expect(log.json).toEqual({ text: "log 1\nthe end", cut: false });

      const { thread } = now.comments.find(({ path: file }) => file === "a.txt") ?? {};
      expect((await stage.ask(`${path}/resolve`, post({ number: now.number, thread }))).status).toBe(204);
      expect(pull.threads[0]?.resolved).toBe(true);
    });

    test("gets a reply in a thread, once, and the thread is resolved with it", { tags: "long" }, async () => {
      const path = await stage.branch("handrail/answered");
      await stage.ask(path, asked());
      const [pull] = of("handrail/answered");
      if (!pull) throw new Error("not made");
      const about = { by: "bob", text: "Why three?", path: "a.txt", line: 1, resolved: false };
      pull.threads.push({ ...about, id: "811" });
      const { number, comments } = seen(await stage.ask(path));
      const { thread } = comments.find(({ path: file }) => file === "a.txt") ?? {};
      const answer = (body: object) => stage.ask(`${path}/answer`, post({ number, ...body }));
      const text = "Because the test\nasks for three.";
      let times = 0;
      stage.forge.quirks.before = ({ method, body }) =>
        method === "POST" && JSON.stringify(body).includes("asks for three") && times++ === 0
          ? "lost"
          : undefined;
      expect(refusal(await answer({ text, thread, resolve: true }))).toMatchObject({ reason: "down" });
      expect((await answer({ text, thread, resolve: true })).status).toBe(204);
      expect((await answer({ text: "Thanks." })).status).toBe(204);
      expect((await answer({ text: "Thanks." })).status).toBe(204);
      expect(pull.threads[0]?.resolved).toBe(true);
      const said = seen(await stage.ask(path)).comments;
      const texts = said.flatMap((one) => [one.text, ...one.answers.map((each) => each.text)]);
      expect(texts).toEqual(expect.arrayContaining(["Why three?", text, "Thanks."]));
      expect(said.find(({ path: file }) => file === "a.txt")?.answers).toEqual([{ by: "ada", text }]);
      expect(texts).toHaveLength(3);
    });

    test("gets a new title and text, stays a draft meanwhile, and is marked ready once", {
      tags: "long",
    }, async () => {
      const path = await stage.branch("handrail/changed");
      await stage.ask(path, asked("One", { draft: true }));
      const [pull] = of("handrail/changed");
      const { number, url } = seen(await stage.ask(path));
      const change = (body: object) => stage.ask(`${path}/change`, post({ number, ...body }));
      expect((await change({ title: "Two\nlines", body: "More." })).json).toEqual({
        number,
        url,
        state: "open",
      });
      expect(pull).toMatchObject({ title: expect.stringMatching(/Two lines$/), body: "More.", draft: true });
      for (const _ of [1, 2]) expect((await change({ ready: true })).status).toBe(200);
      expect(pull).toMatchObject({ title: "Two lines", body: "More.", draft: false });
      expect(seen(await stage.ask(path))).toMatchObject({ draft: false, merge: { why: null } });
      expect((await change({ title: "" })).status).toBe(400);
    });

    test("is merged once, at the commit that was seen and as its rules allow; then its branch is deleted once", {
      tags: "long",
    }, async () => {
      const path = await stage.branch("handrail/merged");
      await stage.ask(path, asked());
      const { number, head } = seen(await stage.ask(path));
      const merge = (more: object = {}) => stage.ask(`${path}/merge`, post({ number, head, ...more }));
      const remove = () => stage.ask(`${path}/delete-branch`, post({ number }));

      expect(refusal(await merge({ head: "0".repeat(40) }))).toMatchObject({ reason: "moved" });
      expect(refusal(await remove())).toMatchObject({
        reason: "protected",
        words: expect.stringContaining("is open"),
      });
      stage.forge.quirks.requiresReview = true;
      // Gitea reports this only when a merge is tried.
      expect(seen(await stage.ask(path)).merge.why).toEqual(
        kind === "gitea" ? null : expect.stringContaining("main requires"),
      );
      expect(refusal(await merge())).toMatchObject({ status: 502, reason: "protected" });
      stage.forge.quirks.requiresReview = false;
      stage.forge.quirks.requiresChecks = true;
      const check = { id: 600, name: "test", sha: head, state: "failed" as const, log: "" };
      stage.forge.checks.push(check);
      expect(seen(await stage.ask(path)).merge.why).toEqual(
        kind === "gitea" ? null : expect.stringMatching(/Rules of main are not met|pipeline has to pass/),
      );
      expect(refusal(await merge())).toMatchObject({ status: 502, reason: "protected" });
      stage.forge.checks.length = 0;

      const both = await Promise.all([merge(), merge()]);
      for (const { status, json } of [...both, await merge()])
        expect([status, json]).toMatchObject([200, { number, state: "merged" }]);
      expect(
        stage.forge
          .git("log", "--format=%s", "main")
          .split("\n")
          .filter((line) => line === `Merge #${number}`),
      ).toHaveLength(1);
      expect(seen(await stage.ask(path)).state).toBe("merged");

      stage.forge.write("handrail/merged", { "c.txt": "later\n" }, "later");
      expect(refusal(await remove())).toMatchObject({
        reason: "moved",
        words: expect.stringContaining("lost"),
      });
      stage.forge.git("update-ref", "refs/heads/handrail/merged", head);
      const removed = await Promise.all([remove(), remove()]);
      expect(removed.map(({ status }) => status)).toEqual([204, 204]);
      expect(stage.forge.headOf("handrail/merged")).toBeNull();
      // A late retry does not ask to merge the same work again.
      expect((await stage.ask(path, asked())).json).toMatchObject({ number, state: "merged" });
    });

    test("explains a refusal for a wrong token, no token, missing rights and a private repository", {
      tags: "long",
    }, async () => {
      const path = await stage.branch("handrail/rights");
      expect(refusal(await stage.ask(path, asked(), "wrong"))).toMatchObject({
        status: 502,
        reason: "token",
      });
      const headers = { "x-git-remote": `${new URL(stage.running.origin).host}/team/app` };
      expect(refusal(await stage.ask(path, { ...asked(), headers }, ""))).toMatchObject({ reason: "token" });
      stage.forge.quirks.rights = "read";
      expect(refusal(await stage.ask(path, asked()))).toMatchObject({ reason: "rights" });
      stage.forge.quirks.rights = "none";
      expect(refusal(await stage.ask(path, asked()))).toMatchObject({
        reason: "missing",
        words: expect.stringContaining("no right to see it"),
      });
      expect(of("handrail/rights")).toEqual([]);
    });

    test("leaves a new session to choose from the person's repositories, branches and issues", {
      tags: "long",
    }, async () => {
      const host = encodeURIComponent(new URL(stage.running.origin).host);
      const get = async (what: string) => (await stage.ask(`/api/forges/${host}/${what}`)).json;
      const repository = `repository=${encodeURIComponent("team/app")}`;
      expect(await get("user")).toEqual({ login: "ada" });
      for (const what of ["repositories", "repositories?text=app"])
        expect(await get(what)).toMatchObject({
          repositories: expect.arrayContaining([
            expect.objectContaining({ path: "team/app", isPrivate: true, defaultBranch: "main" }),
          ]),
        });
      expect(await get(`branches?${repository}&text=main`)).toMatchObject({
        branches: expect.arrayContaining(["main"]),
      });
      expect(await get(`issues?${repository}`)).toMatchObject({
        issues: [{ number: 12, title: "Dates are a day off" }, { number: 13 }],
      });
      expect(await get(`issue?${repository}&number=12`)).toMatchObject({
        number: 12,
        text: expect.stringContaining("Greenwich"),
      });
    });
  });
