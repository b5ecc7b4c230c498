import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { knownVariables } from "../../scripts/launch/option-table.ts";
import { Config, CreateSandboxRequest, Health, SandboxAnswer, Tree } from "../../shared/api.ts";
import { ErrorBody, statusOf } from "../../shared/errors.ts";
import { durableData, ephemeralData } from "../../shared/event.ts";
import { ClaimRequest, ClaimResponse } from "../../shared/journal.ts";
import { StrictMessage } from "../../shared/message.ts";
import { opArgs, opValue } from "../../shared/op-schemas.ts";
import { Plan } from "../../shared/plan/plan-file.ts";
import { AnswerProblem, Decision, Question } from "../../shared/plan/question.ts";
import { CallsRequest, ChangeArgs } from "../../shared/sandbox.ts";
import { TurnInput, TurnRequest } from "../../shared/turn.ts";
import type { ModelReply } from "../fakes/model-reply.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { ExampleRunner } from "../harness/example-runner.ts";
import { type Fence, readExchange, readFences } from "../harness/markdown-examples.ts";
import { type Product, startProduct } from "../harness/product.ts";
import type { Target } from "../harness/sse.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (name: string) => readFileSync(join(root, name), "utf8");
const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "PROTOCOL.md",
  "CONTRIBUTING.md",
  "test/README.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "docs/api.md",
  "docs/deploy.md",
  "docs/engines.md",
  "docs/first-session.md",
  "docs/limits.md",
  "docs/settings.md",
  "docs/curl.md",
  "docs/measured.md",
  "docs/scale.md",
  "docs/plan-mode.md",
  "docs/mcp-and-hooks.md",
  "docs/slash-commands.md",
  "docs/hashline.md",
  "functions/turn/README.md",
];

/** The schema for each name of a block ```json NAME. */
const schemas: Readonly<Record<string, z.core.$ZodType>> = {
  ...{
    AnswerProblem,
    CallsRequest,
    ChangeArgs,
    ClaimRequest,
    ClaimResponse,
    Config,
    CreateSandboxRequest,
    Decision,
    ErrorBody,
  },
  ...{ Health, Message: StrictMessage, Plan, Question, SandboxAnswer, Tree, TurnInput, TurnRequest },
  ...named("args", opArgs),
  ...named("value", opValue),
  ...named("event", { ...durableData, ...ephemeralData }),
};

function named(
  kind: string,
  table: Readonly<Record<string, z.core.$ZodType>>,
): Record<string, z.core.$ZodType> {
  return Object.fromEntries(Object.entries(table).map(([name, schema]) => [`${kind} ${name}`, schema]));
}

const protocol = readFences(read("PROTOCOL.md"));
const blocks = (fences: readonly Fence[], language: string) =>
  fences.filter((fence) => fence.language === language).map((fence) => [fence.line, fence] as const);

let folder = "";
let model: ModelServer | undefined;
let sandboxProcess: ChildProcess | undefined;
let product: Product | undefined;
let runner: ExampleRunner | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "handrail-documents-"));
  model = await startModelServer([{ text: "nothing scripted" }]);
  const sandbox = await startSandbox();
  product = await startProduct({
    env: {
      OPENAI_BASE_URL: model.url,
      HANDRAIL_MODEL: "scripted",
      SANDBOX_URL: sandbox.url,
      SANDBOX_TOKEN: sandbox.token,
    },
  });
  runner = new ExampleRunner(product, sandbox);
});
afterAll(async () => {
  await product?.close();
  await model?.close();
  sandboxProcess?.stdin?.end();
  await new Promise((resolve) =>
    sandboxProcess ? sandboxProcess.once("close", resolve) : resolve(undefined),
  );
  rmSync(folder, { recursive: true, force: true });
});

/** A separate sandbox server that the product uses, so that the examples can reach both. */
function startSandbox(): Promise<Target> {
  const token = "a-token-of-the-documents-test-000";
  const args = [
    "--import",
    "tsx",
    "sandbox/main.ts",
    "--port",
    "0",
    "--state",
    join(folder, "state"),
    "--exit-with-parent",
  ];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, SANDBOX_TOKEN: token },
    stdio: ["pipe", "pipe", "inherit"],
  });
  sandboxProcess = child;
  return new Promise((resolve, reject) => {
    child.once("close", (code) => reject(new Error(`the sandbox server ended with ${code}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const url = /ready (\S+)/.exec(text)?.[1];
      if (url !== undefined) resolve({ url, token });
    });
  });
}

function play(script: unknown): void {
  if (script !== undefined) model?.play(script as ModelReply[]);
}

describe("PROTOCOL.md", () => {
  test.each(blocks(protocol, "json"))(
    "line %i: the JSON has the shape its label names",
    (_, { label, text }) => {
      const schema = schemas[label];
      expect(Object.keys(schemas)).toContain(label);
      if (schema) z.parse(schema, JSON.parse(text));
    },
  );

  test.each(blocks(protocol, "http"))(
    "line %i: the request gets the answer the page shows",
    async (_, fence) => {
      play(fence.model);
      expect(await runner?.run(readExchange(fence))).toBeUndefined();
    },
  );

  test("it names every error code with its status, every event and every op", () => {
    const page = read("PROTOCOL.md");
    for (const [code, status] of Object.entries(statusOf))
      expect(page).toContain(status === 0 ? `\`${code}\`` : `\`${code}\` ${status}`);
    for (const name of [...Object.keys(durableData), ...Object.keys(ephemeralData)])
      expect(page).toContain(`\`${name}\``);
    for (const op of Object.keys(opArgs)) expect(page).toContain(`\`${op}\``);
  });

  test("it names every route that the server describes", async () => {
    const response = await fetch(`${product?.url}/api/openapi.json`, {
      headers: { authorization: `Bearer ${product?.token}` },
    });
    const { paths } = z.parse(z.object({ paths: z.record(z.string(), z.unknown()) }), await response.json());
    const page = read("PROTOCOL.md");
    for (const path of Object.keys(paths)) expect(page).toContain(path.replace(/\{(\w+)\}/g, ":$1"));
  });
});

describe("README.md", () => {
  const hasCurl = spawnSync("curl", ["--version"], { stdio: "ignore" }).status === 0;

  test.skipIf(!hasCurl)(
    "the curl commands in docs/curl.md run unchanged, from a new sandbox to a stopped turn",
    async () => {
      const [, fence] =
        blocks(readFences(read("docs/curl.md")), "bash").find(([, { text }]) => text.includes("/api/turn")) ??
        [];
      play(fence?.model);
      const env = { ...process.env, BASE: product?.url, TOKEN: product?.token };
      const child = spawn("bash", ["-euo", "pipefail", "-c", fence?.text ?? "exit 9"], { cwd: folder, env });
      let printed = "";
      child.stdout.on("data", (chunk) => (printed += chunk));
      child.stderr.on("data", (chunk) => (printed += chunk));
      const code = await new Promise((resolve) => child.once("close", resolve));
      expect(printed).toContain('"reason":"proposed"');
      expect(printed).toContain('"reason":"stop"');
      expect(printed).toContain('"reason":"stopped"');
      expect(code).toBe(0);
    },
  );

  test("every variable named there or on the settings page is read somewhere", () => {
    const readers = [
      "scripts/launch/settings.ts",
      "scripts/launch/model.ts",
      "scripts/launch/vapid.ts",
      "scripts/launch/servers.ts",
      "scripts/test/find-tools.ts",
      "scripts/test/get-tools.ts",
      "test/bench/sandbox-before.ts",
    ];
    const sources = [
      ...readers,
      "compose.yaml",
      "functions/env.ts",
      "functions/engines/capacity.ts",
      "functions/engines/guest-settings.ts",
      "functions/engines/docker/docker-settings.ts",
      "functions/notify/push-settings.ts",
      "functions/engines/e2b/e2b-engine.ts",
      "functions/model/provider.ts",
      "functions/model/presets.ts",
      "functions/model/read-providers.ts",
      "sandbox/command-line.ts",
      "sandbox/server.ts",
      "sandbox/state-lock.ts",
    ]
      .map(read)
      .join("\n");
    const page = ["README.md", "docs/settings.md", "docs/measured.md", "docs/deploy.md"].map(read).join("\n");
    const names = new Set(page.match(/\b(HANDRAIL|OPENAI|SANDBOX)_[A-Z_]+\b/g));
    expect(names.size).toBeGreaterThan(40);
    for (const name of names) expect(sources).toContain(name);
  });

  test("the settings page has a row for each variable that a settings file may name, and no other", () => {
    const rows = read("docs/settings.md").match(/^\| `.*$/gm) ?? [];
    const listed = rows.flatMap((row) => {
      const first = row.split("|")[1] ?? "";
      const names = [...first.matchAll(/`([A-Z_0-9]{4,}|…_[A-Z]+)`/g)].map(([, name]) => name ?? "");
      return names.map((name) => name.replace("…", (names[0] ?? "").replace(/_[A-Z]+$/, "")));
    });
    expect(listed.sort()).toEqual([...knownVariables].sort());
  });
});

describe("every page", () => {
  test.each(pages)("%s: its links lead to files that exist", (page) => {
    const links = [...read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, link]) => link ?? "")
      .filter((link) => !/^[a-z]+:/.test(link));
    for (const link of links)
      expect([link, existsSync(join(root, dirname(page), link))]).toEqual([link, true]);
  });

  test.each(pages)("%s: the files and npm scripts it names exist", (page) => {
    const { scripts } = z.parse(
      z.object({ scripts: z.record(z.string(), z.string()) }),
      JSON.parse(read("package.json")),
    );
    for (const [, name] of read(page).matchAll(/`npm run ([a-z:]+)/g))
      expect(scripts).toHaveProperty(name ?? "");
    const paths = [
      ...read(page).matchAll(/`((?:shared|functions|sandbox|pwa|demo|scripts|test|docs)\/[\w./-]+)`/g),
    ].map(([, path]) => path ?? "");
    for (const path of paths) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
  });
});
