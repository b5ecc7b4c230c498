// A real model's session in its repository, whose checks run with small stand-ins for AVA and XO and with the
// real TypeScript (test/fixtures/README.md). Also variants as other models would write them.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dataOf } from "../../harness/conversation.ts";
import { type Product, startProduct } from "../../harness/product.ts";
import { makeRecordedRepository, recordedTools } from "../../harness/recorded-repository.ts";
import { noticesOf, reportsOf, statusesOf } from "./plan-script.ts";
import { answered, RecordedSession, typed, withCalls } from "./recorded-session.ts";
import { modelKey } from "./secrets.ts";
import type { Stage } from "./stage.ts";

export function describeReplayed(stage: Stage): void {
  describe("a recorded session, in its repository", { tags: "long", timeout: 600_000 }, () => {
    let folder = "";
    let product: Product | undefined;
    beforeAll(async () => {
      folder = realpathSync(mkdtempSync(join(tmpdir(), "handrail-recorded-")));
      product = await startProduct({
        runtime: stage.runtime,
        env: {
          OPENAI_BASE_URL: stage.model().url,
          OPENAI_API_KEY: modelKey,
          HANDRAIL_MODEL: "scripted",
          HANDRAIL_RATE_LIMIT: "0",
          HANDRAIL_WORKSPACE: folder,
          HANDRAIL_TOOLS: recordedTools,
        },
      });
    });
    afterAll(async () => {
      await product?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    async function open(name: string) {
      if (!product) throw new Error("the product is not running");
      const root = join(folder, name);
      mkdirSync(root);
      makeRecordedRepository(root);
      const session = await RecordedSession.open(product, stage.model(), name);
      const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" });
      return { session, talk: session.talk, git, root };
    }

    /**
     * Plays the session up to the rejection and the model's reaction, without the commands that only look
     * around.
     */
    async function plan(session: RecordedSession, revised = answered(9, 10)) {
      const keep = (from: number, to: number) =>
        withCalls(answered(from, to), ({ name }) => name !== "run_command");
      const events = await session.turn({ type: "message", text: typed(0) }, keep(1, 5));
      const { toolCallId } = dataOf(events, "questions");
      await session.turn({ type: "answers", toolCallId, answers: [{ id: "ms", raw: "1" }] }, keep(6, 7));
      const planVersion = session.talk.plan?.version ?? 0;
      return session.turn({ type: "reject", planVersion, feedback: typed(8) }, revised);
    }

    const edited = ["source/core/Ky.ts", "source/errors/TimeoutError.ts", "source/utils/timeout.ts"];
    const files = ["readme.md", ...edited];
    const sources = [...edited.slice(0, 2), "source/index.ts", ...edited.slice(2)];
    const changed = (git: (...args: string[]) => string) =>
      git("diff", "--name-only", "HEAD").trim().split("\n");
    const checksOf = (session: RecordedSession) =>
      reportsOf(session.talk)
        .filter(({ kind }) => kind === "checkpoint")
        .map(
          ({ stepId, passed, timedOut }) =>
            `${stepId} ${timedOut ? "out of time" : passed ? "passed" : "failed"}`,
        );

    test("is planned, approved, stopped, edited, questioned, finished, committed and undone, as it was", async () => {
      const { session, talk, git } = await open("whole");
      await plan(session);
      expect(talk.plan).toMatchObject({ status: "proposed", version: 1, steps: { length: 4 } });
      expect(git("status", "--porcelain")).toBe("");

      await session.stopped(session.approval(), answered(12, 15));
      expect(statusesOf(talk)).toEqual(["error done", "throw-sites done", "tests active", "verify pending"]);
      expect(changed(git)).toEqual(files);

      const text = talk.plan?.markdown.replace(
        "4. [verify]",
        "4. [types] Export the type `TimeoutLimit` from source/index.ts\n   - check: grep -q TimeoutLimit source/index.ts\n5. [verify]",
      );
      await session.turn({ type: "message", text: typed(17) }, answered(18, 22), {
        plan: talk.plan && { ...talk.plan, markdown: text ?? "" },
      });
      const four = ["error done", "throw-sites done", "tests done", "types done"];
      expect(statusesOf(talk)).toEqual([...four, "verify failed"]);
      expect(changed(git)).toEqual(["readme.md", ...sources, "test/main.ts"]);
      // The command removes its own temporary folder, which needs no approval any more.
      expect(session.asked).toEqual([]);

      // In the recording, the first check of three suites at a time exceeded its time limit.
      const { toolCallId } = dataOf(talk.events, "questions");
      const short = answered(23, 25);
      for (const call of short[0]?.calls ?? [])
        if (call.name === "update_plan")
          call.args = JSON.parse(
            JSON.stringify(call.args).replace('"checkpoint":{', '"checkpoint":{"timeoutMs":1000,'),
          );
      await session.turn({ type: "answers", toolCallId, answers: [{ id: "lint", raw: "1" }] }, short);
      expect(statusesOf(talk)).toEqual([...four, "verify done", "verify-retry done", "verify-hooks done"]);
      expect(checksOf(session)).toEqual([
        ...["error passed", "throw-sites passed", "tests passed", "types passed", "verify failed"],
        ...["verify out of time", "verify passed", "verify-retry passed", "verify-hooks passed"],
      ]);
      expect(session.asked).toEqual(["plan_change: allowed", "plan_change: allowed"]);
      const finish = reportsOf(talk).at(-1);
      expect(finish).toMatchObject({ kind: "finish", checks: { length: 7 }, earlier: { length: 2 } });
      expect(finish).toMatchObject({ decisions: [{ id: "ms" }, { id: "lint" }], files: { length: 6 } });
      const report = talk.messages.findLast(({ content }) => content.startsWith("Finished:"))?.content;
      expect(report).toContain("Checks: 7 of 7 passed");
      expect(report).toContain(
        "Earlier attempts, not counted\n- Step 5, with another check: exit 1; failed before too\n- Step 5, with another check: ran out of time after 1 s",
      );

      await session.turn({ type: "message", text: typed(26) }, answered(27, 28));
      await session.turn({ type: "message", text: typed(29) }, answered(30, 32));
      expect(git("log", "--format=%s")).toBe("Add `limit` to `TimeoutError`\nStart\n");
      expect(git("status", "--porcelain")).toBe("");

      await session.turn({ type: "rewind", stepId: "types" }, []);
      expect(statusesOf(talk)?.slice(2, 5)).toEqual(["tests done", "types pending", "verify pending"]);
      expect(changed(git)).toEqual(["readme.md", "source/index.ts"]);

      await session.turn({ type: "message", text: typed(33) }, answered(34, 36));
      expect(session.asked.slice(2)).toEqual(["destructive: allowed", "remote: denied"]);
      expect(statusesOf(talk)?.slice(0, 5)).toEqual([...four, "verify active"]);
      expect(checksOf(session).at(-1)).toBe("types passed");
      expect(git("status", "--porcelain")).toBe("");
    });

    const work = withCalls(answered(12, 18), ({ name }) => name === "edit_file" || name === "read_file");

    test("with a model that forgets update_plan: it is reminded once, and its claims count for nothing", async () => {
      const { session, talk, git, root } = await open("forgets");
      await plan(session);
      const events = await session.turn(session.approval(), [...work, { text: "All four are done." }]);
      expect(dataOf(events, "turn.done")).toMatchObject({ reason: "stop", steps: { over: 0, total: 4 } });
      expect(noticesOf(talk, "plan_open")).toHaveLength(1);
      expect(checksOf(session)).toEqual([]);
      expect(changed(git)).toEqual([...files, "test/main.ts"]);
      writeFileSync(join(root, "others.md"), "somebody else's\n");
      await session.turn({ type: "close", as: "done" }, []);
      expect(talk.plan?.status).toBe("done");
      expect(reportsOf(talk).at(-1)).toMatchObject({ files: { length: 5 } });
      expect(talk.messages.at(-1)?.content).not.toContain("others.md");
      expect(reportsOf(talk).at(-1)).toMatchObject({ kind: "finish", closedBy: "person", checks: [] });
      expect(talk.messages.at(-1)?.content).toMatch(/steps 1, 2, 3, 4 were open/);
    });

    test("with a model that reports three steps at once: they are taken in order, each with its check", async () => {
      const { session, talk } = await open("at-once");
      await plan(session);
      const steps = ["tests", "error", "throw-sites"].map((id) => ({
        id,
        status: "done",
        note: `${id} is done`,
      }));
      const reported = { text: "", calls: [{ name: "update_plan", args: { steps } }] };
      const events = await session.turn(session.approval(), [...work, reported, { text: "One is left." }]);
      expect(checksOf(session)).toEqual(["error passed", "throw-sites passed", "tests passed"]);
      expect(statusesOf(talk)).toEqual(["error done", "throw-sites done", "tests done", "verify active"]);
      expect(dataOf(events, "turn.done")).toMatchObject({ steps: { over: 3, total: 4 } });
    });

    test("with a model that rewrites the plan as plain text: the person sees it first, and nothing is written before", async () => {
      const { session, talk, git } = await open("prose");
      const text =
        "Good point, `limit` it is. So I would:\n\n1. **Give TimeoutError a `limit`** with `option` and `milliseconds`\n   Check: `npx tsc --noEmit -p tsconfig.dist.json`\n2. Export its type from source/index.ts\n\nThat makes two steps.";
      await plan(session, [{ text }]);
      expect(talk.plan).toMatchObject({
        version: 2,
        supersedes: 1,
        status: "proposed",
        steps: { length: 2 },
      });
      expect(git("status", "--porcelain")).toBe("");
      const done = { id: talk.plan?.steps[0]?.id, status: "done", note: "limit is there" };
      const [first] = withCalls(answered(12), ({ name }) => name === "edit_file");
      const events = await session.turn(session.approval(), [
        { text: "", calls: [...(first?.calls ?? []), { name: "update_plan", args: { steps: [done] } }] },
        { text: "One is left." },
      ]);
      expect(talk.plan?.steps.map(({ status }) => status)).toEqual(["done", "active"]);
      expect(checksOf(session)).toEqual([`${done.id} passed`]);
      expect(dataOf(events, "turn.done")).toMatchObject({ steps: { over: 1, total: 2 } });
    });
  });
}
