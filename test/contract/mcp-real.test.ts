// Real MCP servers from the registry, over HTTP and as programs. HANDRAIL_MCP_SERVERS names a folder in which
// they are installed (`npm i @modelcontextprotocol/server-everything
// @modelcontextprotocol/server-filesystem`, 40 MB, which is too much for every clone).
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTools } from "../../functions/mcp/definitions.ts";
import { HttpServer } from "../../functions/mcp/http-server.ts";
import { resultWords } from "../../functions/mcp/result-words.ts";
import { answerOf, stdioOp, toolsOf } from "../../functions/mcp/stdio-server.ts";
import { freePort } from "../../scripts/launch/ports.ts";
import { type CallResult, ExecArgs } from "../../shared/sandbox.ts";
import { until } from "../sandbox/running-server.ts";

const asItIs = (text: string) => text;

const folder = process.env.HANDRAIL_MCP_SERVERS ?? "";

describe.runIf(folder !== "")("@modelcontextprotocol/server-everything", () => {
  let running: ChildProcess;
  let server: HttpServer;
  beforeAll(async () => {
    const port = await freePort("127.0.0.1");
    const program = join(folder, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    running = spawn(process.execPath, [program, "streamableHttp"], {
      env: { ...process.env, PORT: String(port) },
      stdio: "ignore",
    });
    const url = new URL(`http://127.0.0.1:${port}/mcp`);
    server = new HttpServer({
      url,
      fetch,
      signal: new AbortController().signal,
      callMs: 30_000,
      version: "0",
    });
    await until(() =>
      server.open().then(
        () => true,
        () => false,
      ),
    );
  });
  afterAll(() => void running.kill());

  test("its tools are listed, each with a description and a schema", async () => {
    const { tools, left } = readTools(await server.tools(), asItIs);
    expect(left).toBe(0);
    expect(tools.map(({ name }) => name)).toContain("echo");
    for (const tool of tools) expect(tool.inputSchema.type).toBe("object");
  });

  test("a call is answered; a picture is named and left out; wrong arguments are reported", async () => {
    const echoed = resultWords("everything", await server.call("echo", { message: "hello" }), asItIs);
    expect(echoed).toMatchObject({ ok: true, text: expect.stringContaining("hello") });
    const { tools } = readTools(await server.tools(), asItIs);
    const picture = tools.find(({ name }) => /tiny.?image/i.test(name))?.name ?? "";
    const pictured = resultWords("everything", await server.call(picture, {}), asItIs);
    expect(pictured.text).toMatch(/\[image image\/png, \d+ KB: left out\]/);
    const wrong = server.call("echo", { message: 7 }).then(
      (said) => resultWords("everything", said, asItIs).ok,
      () => false,
    );
    expect(await wrong).toBe(false);
  });
});

/** Runs what the sandbox's op would run, without a jail, in which these files would not be visible. */
function run(op: ReturnType<typeof stdioOp>, cwd: string): CallResult {
  const { command, env } = ExecArgs.parse(op.args);
  const ended = spawnSync("/bin/sh", ["-c", command], {
    ...{ cwd, encoding: "utf8", maxBuffer: 8_000_000 },
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
  });
  const { status: exitCode, signal, stdout, stderr } = ended;
  const value = { exitCode, signal, timedOut: false, stdout, stderr, truncated: false };
  return { key: "k", ok: true, value, replayed: false, at: 0, ms: 0 };
}

describe.runIf(folder !== "")("programs from the npm registry", () => {
  const program = (name: string) => join(folder, "node_modules/@modelcontextprotocol", name, "dist/index.js");
  let cwd: string;
  beforeAll(() => {
    cwd = mkdtempSync(join(tmpdir(), "handrail-mcp-"));
    writeFileSync(join(cwd, "note.txt"), "the note\n");
  });
  afterAll(() => rmSync(cwd, { recursive: true }));

  test.each([
    ["server-everything", "echo", { message: "hello" }, "hello"],
    ["server-filesystem", "read_text_file", { path: "note.txt" }, "the note"],
  ])("%s lists its tools, and %s answers", (name, called, args, expected) => {
    const command = `node '${program(name)}' ${name === "server-filesystem" ? "." : ""}`;
    const { tools, left } = readTools(toolsOf(run(stdioOp(command, "0"), cwd)).tools, asItIs);
    expect(left).toBe(0);
    const tool = tools.find((one) => one.name === called);
    if (!tool) throw new Error(`no ${called} in ${tools.map((one) => one.name)}`);
    const answer = answerOf(run(stdioOp(command, "0", { tool, args }), cwd));
    if ("changed" in answer) throw new Error(answer.changed);
    expect(resultWords(name, answer.result, asItIs)).toMatchObject({
      ok: true,
      text: expect.stringContaining(expected),
    });
    const other = { ...tool, description: "Another." };
    expect(answerOf(run(stdioOp(command, "0", { tool: other, args }), cwd))).toEqual({ changed: "other" });
  });
});
