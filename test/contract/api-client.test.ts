import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { type CuttingProxy, startCuttingProxy } from "../harness/cutting-proxy.ts";
import { readFences } from "../harness/markdown-examples.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { spread } from "../harness/runs.ts";
import { ask } from "./http/request.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Server {
  base: string;
  token: string;
}
interface Client {
  createSandbox(server: Server, source?: object): Promise<string>;
  stopTurn(server: Server, sandboxId: string, turnId: string): Promise<void>;
  runTurn(server: Server, request: object): AsyncIterable<{ id?: number; event: string; data: object }>;
}

// Imported as a reader of the documents would use it: plain JavaScript, without a build.
const { createSandbox, runTurn, stopTurn }: Client = await import(
  new URL("../../docs/examples/handrail.mjs", import.meta.url).href
);

let model: ModelServer;
let product: Product;
let proxy: CuttingProxy | undefined;
let turns = 0;

beforeAll(async () => {
  model = await startModelServer([{ text: "nothing scripted" }]);
  product = await startProduct({
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "k", HANDRAIL_MODEL: "m" },
  });
});
afterAll(async () => {
  await product?.close();
  await model?.close();
});
afterEach(() => {
  proxy?.close();
  proxy = undefined;
});

const direct = () => ({ base: product.url, token: product.token });

function request(sandboxId: string) {
  turns += 1;
  const input = { type: "message", text: "Append a line." };
  return { turnId: `client-${turns}`, sandboxId, mode: "normal", messages: [], plan: null, input };
}

async function runAll(server: Server, body: ReturnType<typeof request>) {
  const events = [];
  for await (const event of runTurn(server, body)) events.push(event);
  return events;
}

const script = () => [
  { calls: [{ name: "run_command", args: { command: "echo once >> log.txt" } }] },
  { text: "Appended one line, and that is all that was to be done." },
];

describe("the client of docs/examples", () => {
  test("runs a turn to its end", async () => {
    model.play(script());
    const sandboxId = await createSandbox(direct(), { sample: true });
    const events = await runAll(direct(), request(sandboxId));
    expect(events.at(-1)).toMatchObject({ event: "turn.done", data: { reason: "stop" } });
  });

  test.each(spread([1, 150, 400, 600, 800, 1_000], 1))(
    "connections that are cut after %i bytes lose no event, and nothing runs twice",
    { tags: "random" },
    async (bytes) => {
      model.play([...script(), ...script()]);
      const sandboxId = await createSandbox(direct(), { sample: true });
      proxy = await startCuttingProxy(product.url, (connection) => (connection <= 4 ? bytes : undefined));
      const events = await runAll({ base: proxy.url, token: product.token }, request(sandboxId));
      const ids = events.flatMap(({ id }) => (id === undefined ? [] : [id]));
      expect(ids).toEqual(ids.map((_, index) => index + 1));
      expect(events.at(-1)).toMatchObject({ event: "turn.done", data: { reason: "stop" } });
      expect(proxy.connections()).toBeGreaterThan(1);
      expect((await ask(product, `/api/sandboxes/${sandboxId}/file?path=log.txt`)).text).toBe("once\n");
    },
  );

  test("refusals are thrown with their code", async () => {
    const sandboxId = await createSandbox(direct(), { sample: true });
    const body = { ...request(sandboxId), mode: "nonsense" };
    await expect(runAll(direct(), body)).rejects.toMatchObject({ code: "invalid_request" });
    await expect(runAll({ ...direct(), token: "wrong" }, request(sandboxId))).rejects.toMatchObject({
      code: "unauthorized",
    });
  });

  test("another client can stop a turn", async () => {
    model.play([{ hang: true }]);
    const sandboxId = await createSandbox(direct(), { sample: true });
    const body = request(sandboxId);
    const before = model.requests.length;
    const running = runAll(direct(), body);
    await model.request(before + 1);
    await stopTurn(direct(), sandboxId, body.turnId);
    expect((await running).at(-1)).toMatchObject({ data: { reason: "stopped" } });
  });
});

test("the program in docs/api.md runs unchanged, from a goal to an executed plan", async () => {
  const program = readFences(readFileSync(join(root, "docs/api.md"), "utf8")).find(
    ({ language }) => language === "js",
  );
  const folder = mkdtempSync(join(tmpdir(), "handrail-api-"));
  copyFileSync(join(root, "docs/examples/handrail.mjs"), join(folder, "handrail.mjs"));
  writeFileSync(join(folder, "program.mjs"), program?.text ?? "");
  model.play([
    { calls: [{ name: "set_plan", args: { goal: "Limit", steps: [{ description: "Write it down" }] } }] },
    { calls: [{ name: "exit_plan", args: {} }] },
    { calls: [{ name: "update_plan", args: { steps: [{ id: "s1", status: "active" }] } }] },
    { calls: [{ name: "update_plan", args: { steps: [{ id: "s1", status: "done", note: "Wrote it" }] } }] },
    { text: "Done." },
  ]);
  const child = spawn(process.execPath, ["program.mjs"], {
    cwd: folder,
    env: { BASE: product.url, TOKEN: product.token },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
    });
  await new Promise((resolve) => child.once("close", resolve));
  rmSync(folder, { recursive: true, force: true });
  expect(printed).toBe("proposed\nstop\n");
});
