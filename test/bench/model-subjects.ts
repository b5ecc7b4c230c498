// The measured processes: the built edge and its peers, each in a workerd or a Node of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import { dist, root } from "../../scripts/build.ts";
import { workerModules } from "../../scripts/launch/worker-modules.ts";
import { type AskInit, ask, type Stage } from "./model-stage.ts";
import { type Served, startWorkerd } from "./workerd.ts";

/** A program that turns a provider's stream into an answer, in a process whose CPU time can be read. */
export interface Subject {
  name: string;
  pid: number;
  /** The request with which a client gets an answer of `model`, see model-stage.ts. */
  request(model: string, history?: unknown[]): { url: string; init: AskInit };
  /** Requests one stream of `count` tokens and reads it to the end. */
  run(count: number, history?: unknown[]): Promise<void>;
  close(): Promise<void>;
}

const token = "bench-token-of-at-least-32-characters";

export const passThrough = "pass-through";

const peers = [
  [passThrough, "/pass"],
  ["parsed, written, nothing else", "/least"],
  ["openai package, a write a token", "/openai"],
  ["AI SDK streamText", "/ai"],
] as const;

/** The subjects to measure, and the servers they use. */
export interface Setup {
  stage: Stage;
  /** The stage's models that the subjects may ask. */
  models: readonly string[];
  /** A real sandbox server instead of the stage's. */
  sandbox?: { url: string; token: string };
  /** The peers to start; the default is all. */
  peers?: readonly string[];
}

function settings({ stage, models, sandbox }: Setup): Record<string, string> {
  return {
    HANDRAIL_TOKEN: token,
    SANDBOX_URL: sandbox?.url ?? stage.url,
    SANDBOX_TOKEN: sandbox?.token ?? token,
    OPENAI_BASE_URL: `${stage.url}/v1`,
    HANDRAIL_MODEL: models.join(","),
    HANDRAIL_CONTEXT_WINDOW: "1000000",
    HANDRAIL_RATE_LIMIT: "0",
  };
}

export async function inWorkerd(setup: Setup): Promise<Subject[]> {
  const script = await bundle(
    'import { answer } from "./test/bench/model-peers.ts"; export default { fetch: answer };',
    "neutral",
  );
  const edge = await startWorkerd(workerModules(dist), settings(setup));
  return withPeers(handrail(edge), setup, () => startWorkerd(script));
}

export async function onNode(setup: Setup, folder: string): Promise<Subject[]> {
  const entry = `import { serve } from "@hono/node-server";
    import { answer } from "./test/bench/model-peers.ts";
    serve({ fetch: answer, hostname: "127.0.0.1", port: 0 }, ({ port }) => console.log("ready http://127.0.0.1:" + port));`;
  const file = join(folder, "peers.mjs");
  await writeFile(file, await bundle(entry, "node"));
  const edge = await startNode(join(dist, "node.mjs"), settings(setup));
  return withPeers(handrail(edge), setup, () => startNode(file, {}));
}

async function withPeers(edge: Subject, setup: Setup, start: () => Promise<Served>): Promise<Subject[]> {
  const found: Subject[] = [edge];
  for (const [name, path] of peers) {
    if (!setup.peers || setup.peers.includes(name)) found.push(peer(name, path, setup.stage, await start()));
  }
  return found;
}

let turns = 0;

function handrail({ url, pid, close }: Served): Subject {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const request: Subject["request"] = (model, messages = []) => {
    turns += 1;
    const body = {
      protocol: 1,
      turnId: `bench-${turns}`,
      sandboxId: "s1",
      mode: "normal",
      model: { provider: "default", id: model },
      messages,
      input: { type: "message", text: "Talk." },
      options: { toolProtocol: "native" },
    };
    return { url: `${url}/api/turn`, init: { method: "POST", headers, body: JSON.stringify(body) } };
  };
  return {
    name: "Handrail",
    pid,
    close,
    request,
    run: (count, history) => {
      const { url: at, init } = request(`t${count}`, history);
      return ask(at, init, (text) => text.includes("event: turn.done"));
    },
  };
}

function peer(name: string, path: string, stage: Stage, { url, pid, close }: Served): Subject {
  const request: Subject["request"] = (model) => {
    const query = `upstream=${encodeURIComponent(`${stage.url}/v1`)}&model=${model}`;
    return { url: `${url}${path}?${query}`, init: { method: "POST" } };
  };
  return {
    name,
    pid,
    close,
    request,
    run: (count) => {
      const { url: at, init } = request(`t${count}`);
      return ask(at, init, (text) => text.includes(path === "/pass" ? "[DONE]" : "text.delta"));
    },
  };
}

const requireInModules =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

async function bundle(contents: string, platform: "node" | "neutral"): Promise<string> {
  const made = await esbuild({
    stdin: { contents, resolveDir: root, loader: "ts" },
    bundle: true,
    format: "esm",
    platform,
    mainFields: ["module", "main"],
    conditions: platform === "node" ? [] : ["workerd", "worker", "browser"],
    // Some of the AI SDK's packages are CommonJS and require Node's modules.
    banner: platform === "node" ? { js: requireInModules } : {},
    write: false,
    logLevel: "silent",
  });
  return made.outputFiles[0]?.text ?? "";
}

async function startNode(file: string, env: Record<string, string>): Promise<Served> {
  const child: ChildProcess = spawn(process.execPath, [file], {
    env: { ...env, PATH: process.env.PATH, PORT: "0" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.on("exit", () => reject(new Error(`${file} did not start`)));
    child.stdout?.on("data", (data: Buffer) => {
      const found = /ready (http:\S+)/.exec(String(data))?.[1];
      if (found) resolve(found);
    });
  });
  return {
    url,
    pid: child.pid ?? 0,
    close: () =>
      new Promise((resolve) => {
        child.removeAllListeners("exit").on("exit", () => resolve());
        child.kill();
      }),
  };
}
