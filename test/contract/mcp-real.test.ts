// A real MCP server of the registry, where HANDRAIL_MCP_SERVERS names a folder in which it is installed
// (`npm i @modelcontextprotocol/server-everything`, 40 MB with what it needs: too much for every clone).
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTools } from "../../functions/mcp/definitions.ts";
import { HttpServer } from "../../functions/mcp/http-server.ts";
import { resultWords } from "../../functions/mcp/result-words.ts";
import { freePort } from "../../scripts/launch/ports.ts";
import { until } from "../sandbox/running-server.ts";

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
    const { tools, left } = readTools(await server.tools());
    expect(left).toBe(0);
    expect(tools.map(({ name }) => name)).toContain("echo");
    for (const tool of tools) expect(tool.inputSchema.type).toBe("object");
  });

  test("a call is answered; a picture is named and left out; wrong arguments are told", async () => {
    const echoed = resultWords("everything", await server.call("echo", { message: "hello" }));
    expect(echoed).toMatchObject({ ok: true, text: expect.stringContaining("hello") });
    const { tools } = readTools(await server.tools());
    const picture = tools.find(({ name }) => /tiny.?image/i.test(name))?.name ?? "";
    const pictured = resultWords("everything", await server.call(picture, {}));
    expect(pictured.text).toMatch(/\[image image\/png, \d+ KB: left out\]/);
    const wrong = server.call("echo", { message: 7 }).then(
      (said) => resultWords("everything", said).ok,
      () => false,
    );
    expect(await wrong).toBe(false);
  });
});
