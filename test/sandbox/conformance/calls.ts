// Requests, sandboxes and calls on any server of PROTOCOL 4, tested through its API.
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { Capabilities } from "../../../shared/capabilities.ts";
import { GitValue } from "../../../shared/git.ts";
import { ChangeValue, ExecValue, SandboxInfo } from "../../../shared/sandbox.ts";
import { until } from "../running-server.ts";
import { codeOf, type SandboxClient } from "../sandbox-client.ts";
import { hello } from "./target.ts";

export function describeCalls(target: () => SandboxClient): void {
  let client: SandboxClient;

  beforeAll(() => {
    client = target();
  });

  const sample = () => client.create({ source: { sample: true } });

  describe("routes", () => {
    test("every route requires the token", async () => {
      const response = await client.fetch("/capabilities", { headers: { authorization: "Bearer wrong" } });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({
        error: { code: "unauthorized", requestId: expect.any(String), retryable: false },
      });
    });

    test("capabilities say what the server can do", async () => {
      expect(z.safeParse(Capabilities, (await client.get("/capabilities")).body).success).toBe(true);
    });

    test("an unknown route, an unknown sandbox and an unknown turn are not found", async () => {
      const { id } = await sample();
      for (const path of ["/nothing", "/sandboxes/never-made", `/sandboxes/${id}/turns/never-claimed`]) {
        const answer = await client.get(path);
        expect([path, answer.status, codeOf(answer)]).toEqual([path, 404, "not_found"]);
      }
    });

    test("an unknown field is refused by name", async () => {
      const { id } = await sample();
      const answer = await client.post(`/sandboxes/${id}/calls`, { calls: [], hurry: true });
      expect([answer.status, codeOf(answer)]).toEqual([400, "invalid_request"]);
      expect(JSON.stringify(answer.body)).toContain("hurry");
    });

    test("a body that is not JSON is refused", async () => {
      const { id } = await sample();
      const response = await client.fetch(`/sandboxes/${id}/calls`, { method: "POST", body: "{" });
      expect(response.status).toBe(400);
    });
  });

  describe("sandboxes", () => {
    test("the same id again is the same sandbox", async () => {
      const id = `again-${Date.now()}`;
      expect((await client.post("/sandboxes", { id, source: { sample: true } })).status).toBe(201);
      expect((await client.post("/sandboxes", { id, source: { sample: true } })).status).toBe(200);
    });

    test("each sample is its own copy, a git repository with one commit", async () => {
      const [one, two] = [await sample(), await sample()];
      await client.value(ChangeValue, one.id, "change", { files: [hello] });
      expect((await client.failure(two.id, "read", { path: hello.path })).code).toBe("not_found");
      const log = await client.value(GitValue, two.id, "git", { verb: "log" });
      expect(log.stdout.trim().split("\n")).toHaveLength(1);
    });

    test("a deleted sandbox is gone", async () => {
      const { id } = await sample();
      const deleted = await client.fetch(`/sandboxes/${id}`, { method: "DELETE" });
      expect(deleted.status).toBe(204);
      expect((await client.get(`/sandboxes/${id}`)).status).toBe(404);
    });

    test("the state of one names its newest proposal and what is running in it", async () => {
      const { id } = await sample();
      await client.claim(id, "t", {
        epoch: 1,
        record: [{ id: 1, event: "proposal", data: { planVersion: 1, planHash: "aa" } }],
      });
      const running = client.results(id, {
        access: "write",
        turn: { id: "t", epoch: 1, round: 1, record: [] },
        calls: [{ key: "t/1/0", op: "exec", args: { command: "sleep 600" } }],
      });
      const info = async () => z.parse(SandboxInfo, (await client.get(`/sandboxes/${id}`)).body);
      await until(async () => ((await info()).running ?? []).length > 0);
      expect(await info()).toMatchObject({
        ...{ id, state: "ready", workspace: expect.any(String) },
        sizes: { journalBytes: expect.any(Number), snapshotBytes: expect.any(Number) },
        proposal: { planVersion: 1, planHash: "aa" },
        running: [{ key: "t/1/0", command: "sleep 600", startedAt: expect.any(Number) }],
      });
      await client.fetch(`/sandboxes/${id}`, { method: "DELETE" });
      expect((await running)[0]?.ok).toBe(false);
    });

    test("an invalid source is refused", async () => {
      for (const source of [{ git: "--upload-pack=x" }, { git: "ext::sh -c id" }, { sample: false }, {}]) {
        const answer = await client.post("/sandboxes", { source });
        expect([source, answer.status, codeOf(answer)]).toEqual([source, 400, "invalid_request"]);
      }
      expect((await client.post("/sandboxes", { id: "../x", source: { sample: true } })).status).toBe(400);
      expect((await client.post("/sandboxes", { source: { sample: true }, network: "some" })).status).toBe(
        400,
      );
    });

    test("a source path that is not served is refused", async () => {
      const answer = await client.post("/sandboxes", { source: { path: "/etc" } });
      expect(answer.status).toBe(403);
    });
  });

  describe("git", () => {
    test("every verb works, and the writing ones are refused to a read-only request", async () => {
      const { id } = await sample();
      const git = (args: Record<string, unknown>, access: "readonly" | "write" = "write") =>
        client.value(GitValue, id, "git", args, access);
      await client.value(ChangeValue, id, "change", { files: [hello] });
      expect((await git({ verb: "status" }, "readonly")).stdout).toContain("?? notes/");
      for (const args of [
        { verb: "add", paths: [hello.path] },
        { verb: "commit", message: "x" },
      ])
        expect((await client.failure(id, "git", args, "readonly")).code).toBe("readonly");
      expect((await git({ verb: "add", paths: [hello.path] })).exitCode).toBe(0);
      expect((await git({ verb: "commit", message: "One more note" })).exitCode).toBe(0);
      expect((await git({ verb: "log", limit: 1 }, "readonly")).stdout).toContain("One more note");
      expect((await git({ verb: "show", rev: "HEAD" }, "readonly")).stdout).toContain("+three");
      expect((await git({ verb: "branch" }, "readonly")).stdout).toContain("main");
      expect((await git({ verb: "diff", rev: "HEAD~1" }, "readonly")).stdout).toContain("+three");
      expect((await git({ verb: "diff", since: "start" }, "readonly")).stdout).toContain("+three");
    });
  });

  describe("commands", () => {
    test("accept a folder, variables and limits", async () => {
      const { id } = await sample();
      const run = (args: Record<string, unknown>) => client.value(ExecValue, id, "exec", args);
      const inside = await run({
        command: 'basename "$PWD"; echo "$WORD"',
        cwd: "src",
        env: { WORD: "given" },
      });
      expect(inside.stdout).toBe("src\ngiven\n");
      const late = await run({ command: "sleep 60", timeoutMs: 200 });
      expect([late.timedOut, late.exitCode === 0]).toEqual([true, false]);
      const much = await run({ command: "echo begin; seq 100000; echo finish", maxOutputBytes: 4_000 });
      expect(much.truncated).toBe(true);
      expect(much.stdout).toMatch(/^begin\n.*finish\n$/s);
      expect((await run({ command: "read -r x; echo $?" })).stdout).toBe("1\n");
      expect((await client.failure(id, "exec", { command: "true", timeoutMs: 600_001 })).code).toBe(
        "invalid_request",
      );
      expect((await client.failure(id, "exec", { command: "true", cwd: "../.." })).code).toBe("path_escape");
    });

    test("change nothing when they are read-only", async () => {
      const { id } = await sample();
      const result = await client.call(id, "exec", { command: "touch made" }, "readonly");
      if (result.ok) expect(z.parse(ExecValue, result.value).exitCode).not.toBe(0);
      expect((await client.failure(id, "read", { path: "made" })).code).toBe("not_found");
      expect(
        (await client.value(ExecValue, id, "exec", { command: "cat package.json" }, "readonly")).stdout,
      ).toContain("name");
    });
  });

  describe("calls", () => {
    test("a batch gives every call one result and then ends", async () => {
      const { id } = await sample();
      const lines = await client.lines(id, {
        access: "write",
        calls: [
          { key: "a", op: "list", args: {} },
          { key: "b", op: "change", args: { files: [hello] } },
          { key: "c", op: "read", args: { path: hello.path } },
          { key: "d", op: "exec", args: { command: `cat ${hello.path}; printf no-newline >&2` } },
        ],
      });
      const results = lines.flatMap((line) => (line.type === "result" ? [line] : []));
      expect(results.map(({ key, ok }) => [key, ok]).sort()).toEqual([
        ["a", true],
        ["b", true],
        ["c", true],
        ["d", true],
      ]);
      expect(lines.at(-1)).toEqual({ type: "end" });
      const value = z.parse(ExecValue, results.find(({ key }) => key === "d")?.value);
      expect(value).toEqual({
        exitCode: 0,
        signal: null,
        timedOut: false,
        stdout: hello.content,
        stderr: "no-newline",
        truncated: false,
      });
    });

    test("missing access is readonly", async () => {
      const { id } = await sample();
      const results = await client.results(id, {
        calls: [
          { key: "w", op: "change", args: { files: [hello] } },
          { key: "r", op: "restore", args: { snapshot: "0".repeat(40) } },
          { key: "g", op: "git", args: { verb: "commit", message: "x" } },
        ],
      });
      expect(results.map(({ error }) => error?.code)).toEqual(["readonly", "readonly", "readonly"]);
      expect((await client.failure(id, "read", { path: hello.path })).code).toBe("not_found");
    });

    test("arguments of the wrong form are the result of that call only", async () => {
      const { id } = await sample();
      const results = await client.results(id, {
        calls: [
          { key: "bad", op: "read", args: { path: "README.md", lines: 3 } },
          { key: "good", op: "list", args: {} },
        ],
      });
      expect(results.find(({ key }) => key === "bad")?.error).toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining("lines"),
      });
      expect(results.find(({ key }) => key === "good")?.ok).toBe(true);
    });

    test("a command that fails is a successful call", async () => {
      const { id } = await sample();
      expect(await client.value(ExecValue, id, "exec", { command: "exit 7" })).toMatchObject({
        exitCode: 7,
        timedOut: false,
      });
    });

    test("output streams with byte offsets before the result", async () => {
      const { id } = await sample();
      const command = "printf 'grün\\n'; sleep 0.2; printf 'rot\\n'; sleep 0.2; printf 'blau\\n'";
      const lines = await client.lines(id, {
        access: "write",
        calls: [{ key: "o", op: "exec", args: { command } }],
      });
      const output = lines.slice(
        0,
        lines.findIndex(({ type }) => type === "result"),
      );
      // How output is split into pieces depends on the machine; the offsets do not.
      let before = "";
      for (const line of output) {
        if (line.type !== "output") continue;
        expect(line.offset).toBe(Buffer.byteLength(before));
        before += line.text;
      }
      expect(before).toBe("grün\nrot\nblau\n");
    });
  });
}
