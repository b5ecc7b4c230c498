// What any server of PROTOCOL 4 does with requests, sandboxes and calls, seen from outside.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { Capabilities, ChangeValue, ExecValue, GitValue } from "../../shared/sandbox.ts";
import { conformanceTarget, hello, type Target } from "./conformance-target.ts";
import { removeFolders } from "./running-server.ts";
import { codeOf, type SandboxClient } from "./sandbox-client.ts";

let target: Target;
let client: SandboxClient;

beforeAll(async () => {
  target = await conformanceTarget();
  client = target.client;
});
afterAll(async () => {
  await target.stop();
  await removeFolders();
});

const sample = () => client.create({ source: { sample: true } });

describe("the door", () => {
  test("every route wants the token", async () => {
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

  test("a body that is no JSON is refused", async () => {
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

  test("each sample is a copy of its own, a git repository with one commit", async () => {
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

  test("a source path where nothing is served is refused", async () => {
    const answer = await client.post("/sandboxes", { source: { path: "/etc" } });
    expect(answer.status).toBe(403);
  });
});

describe("calls", () => {
  test("a batch gives every call one result and ends", async () => {
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

  test("arguments that do not fit are the result of that call only", async () => {
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

  test("a command that fails is a call that succeeded", async () => {
    const { id } = await sample();
    expect(await client.value(ExecValue, id, "exec", { command: "exit 7" })).toMatchObject({
      exitCode: 7,
      timedOut: false,
    });
  });

  test("output streams with byte offsets before the result", async () => {
    const { id } = await sample();
    const lines = await client.lines(id, {
      access: "write",
      calls: [{ key: "o", op: "exec", args: { command: "printf 'grün\\n'; sleep 0.2; printf 'rot\\n'" } }],
    });
    const output = lines.flatMap((line) => (line.type === "output" ? [line] : []));
    expect(output.map(({ offset, text }) => [offset, text])).toEqual([
      [0, "grün\n"],
      [6, "rot\n"],
    ]);
  });
});
