// The program that talks to an MCP server in the sandbox: which of the server's output counts, how much, and
// how both end.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formOfTool } from "../../../functions/mcp/definitions.ts";
import { mcpLimits } from "../../../functions/mcp/limits.ts";
import { offered } from "../../../functions/mcp/revisions.ts";
import { stdioClient } from "../../../functions/mcp/stdio-client.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "handrail-stdio-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The body of a server's function `on` of (asked, say, answer), which is called for each line. */
const hello = `if (asked.method === "initialize") answer({ protocolVersion: "${offered}", serverInfo: { name: "small" } });`;
const echo = { name: "echo", description: "", inputSchema: { type: "object" } };
const listing = `if (asked.method === "tools/list") answer({ tools: [${JSON.stringify(echo)}] });`;
const frame = (on: string) => `
const say = (message) => process.stdout.write((typeof message === "string" ? message : JSON.stringify(message)) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const asked = JSON.parse(line);
  const answer = (result, id = asked.id) => say({ jsonrpc: "2.0", id, result });
  ${on}
});`;

interface Asking {
  limits?: Partial<Record<keyof typeof mcpLimits, number>>;
  call?: { form?: string; name?: string; ms?: number };
}

async function ask(on: string, { limits, call }: Asking = {}) {
  const script = join(folder, "server.cjs");
  writeFileSync(script, frame(on));
  const asked = JSON.stringify({
    ...{
      command: `exec node ${script}`,
      offered,
      spoken: [offered],
      client: { name: "Handrail", version: "1" },
    },
    limits: { ...mcpLimits, endMs: 50, ...limits },
    ...(call && {
      call: {
        name: "echo",
        form: formOfTool({ ...echo, readOnly: false }),
        arguments: {},
        ms: 20_000,
        ...call,
      },
    }),
  });
  const child = spawn("node", ["-e", stdioClient], {
    env: { PATH: process.env.PATH, HANDRAIL_MCP: asked, HANDRAIL_MCP_CLIENT: stdioClient },
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (part) => {
    stdout += part;
  });
  const exitCode = await new Promise((resolve) => child.on("close", resolve));
  return { exitCode, said: JSON.parse(stdout) };
}

test("only the answer under the id of the request counts, whatever else is printed", async () => {
  const noise = `
    say("not JSON");
    say("null");
    say([1, null, { id: "handrail-99", result: { tools: [{ name: "other" }] } }]);
    if (asked.method === "tools/list") for (const id of [2, null, "2", "HANDRAIL-2"]) answer({ tools: [{ name: "forged" }] }, id);`;
  const { exitCode, said } = await ask(noise + hello + listing);
  expect([exitCode, said.title, said.tools.map(({ name }: { name: string }) => name)]).toEqual([
    0,
    "small",
    ["echo"],
  ]);
});

test("an answer counts once: a later one under its id changes nothing", async () => {
  const twice = `if (asked.method === "tools/list") { answer({ tools: [{ name: "first" }], nextCursor: "x" }); answer({ tools: [{ name: "second" }] }); }`;
  const { said } = await ask(hello + twice, { limits: { pages: 1 } });
  expect(said.tools.map(({ name }: { name: string }) => name)).toEqual(["first"]);
});

test.each<[string, string, Asking, object]>([
  [
    "an answer above the limit",
    `say("x".repeat(5000));`,
    { limits: { answerChars: 4000 } },
    { fault: "long" },
  ],
  [
    "a line without end",
    `process.stdout.write("x".repeat(5000));`,
    { limits: { answerChars: 4000 } },
    { fault: "long" },
  ],
  ["silence", "", { limits: { startMs: 100 } }, { fault: "late", seconds: 0.1 }],
  ["a list that never comes", hello, { limits: { helloMs: 100 } }, { fault: "late", seconds: 0.1 }],
  [
    "a call that is never answered",
    hello + listing,
    { call: { ms: 100 } },
    { fault: "late", seconds: 0.1, sent: true },
  ],
  [
    "an unknown revision",
    `answer({ protocolVersion: "1999-01-01" });`,
    {},
    { fault: "revision", sent: false },
  ],
  [
    "no list",
    `${hello} if (asked.method === "tools/list") answer({ tools: "none" });`,
    {},
    { fault: "list" },
  ],
  ["an end", "process.exit(3);", {}, { fault: "ended", how: "exit 3" }],
])("%s is a fault, with its exit code", async (_, on, asking, fault) => {
  const { exitCode, said } = await ask(on, asking);
  expect([exitCode, said]).toEqual([70, expect.objectContaining(fault)]);
});

test("of what the server complains the last 2,000 to 3,000 characters are told, from the beginning of a word", async () => {
  const { said } = await ask(
    `console.error("first" + "x".repeat(3000) + "last"); process.exitCode = 1; process.stdin.destroy();`,
  );
  expect(said.stderr).toMatch(/^x+last\s*$/);
  expect(said.stderr).toHaveLength(2_000);
});

test("many short answers together are no long one", async () => {
  const chatty = `for (let i = 0; i < 100; i += 1) say({ jsonrpc: "2.0", method: "notifications/message", params: "x".repeat(100) });`;
  expect((await ask(chatty + hello + listing, { limits: { answerChars: 4000 } })).exitCode).toBe(0);
});

test("a list is read up to its last page, tool and size", async () => {
  const pages = (size: number, description = "") =>
    `${hello} if (asked.method === "tools/list") answer({ tools: Array(${size}).fill({ name: "a", description: "${description}" }), nextCursor: "more" });`;
  expect((await ask(pages(1), { limits: { pages: 3 } })).said.tools).toHaveLength(3);
  expect((await ask(pages(5), { limits: { tools: 8 } })).said.tools).toHaveLength(10);
  const left = (tools: (object | null)[]) => tools.filter((tool) => tool !== null).length;
  const long = "x".repeat(900);
  const once = { pages: 1, toolChars: -4_500 };
  expect(left((await ask(pages(3, long), { limits: once })).said.tools)).toBe(0);
  expect(left((await ask(pages(3, long), { limits: { pages: 1, listChars: 2_000 } })).said.tools)).toBe(2);
});

test("a call is made only where the tool is as the person saw it", async () => {
  const calls = `${hello} ${listing} if (asked.method === "tools/call") answer({ content: [] });`;
  expect((await ask(calls, { call: { name: "gone" } })).said).toEqual({ changed: "gone" });
  expect((await ask(calls, { call: { form: "other" } })).said).toEqual({ changed: "other" });
  expect((await ask(calls, { call: {} })).said).toMatchObject({ result: expect.anything() });
});

const result = async (content: object[]) => {
  const parts = JSON.stringify({ content, extra: "w" });
  const calls = `${hello} ${listing} if (asked.method === "tools/call") answer(${parts});`;
  return (await ask(calls, { call: {}, limits: { textChars: 200 } })).said.result;
};
const cutTo = (begin: string, chars: number) =>
  new RegExp(`^${begin}\\w{1,${chars}}\\n\\[…\\]\\n\\w{1,${chars}}$`);

test("of a long text both ends leave the sandbox, of data its size, and nothing else of a result", async () => {
  expect(await result([{ type: "text", text: `begin${"x".repeat(500)}` }])).toEqual({
    content: [{ type: "text", text: expect.stringMatching(cutTo("begin", 100)) }],
  });
  const image = { type: "image", data: "A".repeat(400), mimeType: "image/png" };
  expect(await result([image])).toEqual({ content: [{ type: "image", mimeType: "image/png", bytes: 300 }] });
  const resource = { uri: "file:///a", text: `in${"y".repeat(500)}`, blob: "z" };
  expect(await result([{ type: "resource", resource }])).toEqual({
    content: [
      { type: "resource", resource: { uri: "file:///a", text: expect.stringMatching(cutTo("in", 100)) } },
    ],
  });
});

test("many parts leave it as one text, cut as well", async () => {
  const { content } = await result(Array(10).fill({ type: "text", text: "x".repeat(150) }));
  expect(content).toEqual([{ type: "text", text: expect.stringContaining("[…]") }]);
  expect(content[0].text.length).toBeLessThan(210);
});

test("an error of the server has an exit code of its own", async () => {
  const calls = `${hello} ${listing} if (asked.method === "tools/call") say({ id: asked.id, error: { code: -1, message: "no" } });`;
  expect(await ask(calls, { call: {} })).toMatchObject({ exitCode: 71, said: { error: { message: "no" } } });
});

test("requests of the server are answered: a ping, and that nothing else is offered", async () => {
  const heard = join(folder, "heard");
  const asks = `
    if (asked.method === "initialize") { say({ id: 7, method: "ping" }); say({ id: 8, method: "roots/list" }); say({ method: "notifications/x" }); }
    if (asked.id === 7 || asked.id === 8) require("node:fs").appendFileSync(${JSON.stringify(heard)}, line + "\\n");`;
  await ask(asks + hello + listing);
  expect(
    readFileSync(heard, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { jsonrpc: "2.0", id: 7, result: {} },
    { jsonrpc: "2.0", id: 8, error: { code: -32601, message: "not offered" } },
  ]);
});

test("the server gets neither the request nor this program in its environment, and ends with all that it started", async () => {
  const tells = `if (asked.method === "initialize") {
    const child = require("node:child_process").spawn("sleep", ["600"], { stdio: "ignore" });
    answer({ protocolVersion: "${offered}", serverInfo: { name: JSON.stringify([child.pid, process.env.HANDRAIL_MCP ?? 0, process.env.HANDRAIL_MCP_CLIENT ?? 0]) } });
  }`;
  const { said } = await ask(tells + listing);
  const [pid, ...seen] = JSON.parse(said.title);
  expect(seen).toEqual([0, 0]);
  // A process that has ended may still be a zombie.
  const state = () => {
    try {
      return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0];
    } catch {
      return "gone";
    }
  };
  await expect.poll(state).toMatch(/gone|Z/);
});
