import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { get } from "node:http";
import { createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import decodeQR from "qr/decode.js";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { Config } from "../../shared/api.ts";
import { allGone, descendantsOf, listProcesses } from "../harness/processes.ts";
import { type Product, type Runtime, runStart, startProduct } from "../harness/product.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "handrail-start-"));
const hasNetwork = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ family, internal }) => family === "IPv4" && !internal),
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function started(options: Parameters<typeof startProduct>[0] = {}): Promise<Product> {
  const product = await startProduct(options);
  onTestFinished(() => product.close());
  return product;
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error("the process did not start");
  return pid;
}

/** A camera's picture of the code in a dark terminal. Each character is two modules, one above the other. */
function pictureOf(logs: string): { width: number; height: number; data: Uint8Array } {
  const lines = logs.split("\n").filter((line) => /^[█▀▄ ]{20,}$/.test(line));
  const rows = lines.flatMap((line) => [
    [...line].map((character) => "█▀".includes(character)),
    [...line].map((character) => "█▄".includes(character)),
  ]);
  const pixels = (points: boolean[]) =>
    points.flatMap((light) =>
      Array.from({ length: 4 }, () => (light ? [255, 255, 255, 255] : [0, 0, 0, 255])).flat(),
    );
  return {
    width: (rows[0]?.length ?? 0) * 4,
    height: rows.length * 4,
    data: Uint8Array.from(rows.flatMap((row) => Array.from({ length: 4 }, () => pixels(row)).flat())),
  };
}

describe("npm start prints what it is", () => {
  test("it prints how to pair, which model it uses, the isolation, the workspace, and then that it is ready", async () => {
    const product = await started({ env: { HANDRAIL_WORKSPACE: folder } });
    const { status } = await fetch(`${product.url}/api/health`);
    expect(status).toBe(200);
    const logs = product.logs();
    expect(logs).toContain(`${product.url}/#pair=${product.token}`);
    expect(logs).toMatch(/^model .*scripted demo/m);
    expect(logs).toMatch(/^sandbox .*(jail|allow-list)/m);
    expect(logs).toMatch(/^workspace .*handrail-start-/m);
    expect(decodeQR(pictureOf(logs))).toBe(`${product.url}/#pair=${product.token}`);
    expect(logs.trimEnd().split("\n").at(-1)).toBe(`ready ${product.url}`);
    expect(product.token).toMatch(/^[A-Za-z0-9_-]{32,}$/);
  });

  test.skipIf(!hasNetwork)(
    "on the network the app is also reached by the machine's name, and by no other",
    { tags: "long" },
    async () => {
      const product = await started({ env: { HANDRAIL_HOST: "0.0.0.0" } });
      const named = /^by name +(http:\S+)#pair=/m.exec(product.logs())?.[1] ?? "";
      const { port } = new URL(named);
      const status = (host: string) =>
        new Promise((resolve) => {
          const headers = { host: `${host}:${port}`, authorization: `Bearer ${product.token}` };
          get({ port, path: "/api/config", headers }, (response) => resolve(response.resume().statusCode));
        });
      expect(await status(new URL(named).hostname)).toBe(200);
      expect(await status("handrail-other.local")).toBe(403);
    },
  );

  test("the public URL is the one used for pairing", { tags: "long" }, async () => {
    const product = await started({ env: { HANDRAIL_PUBLIC_URL: "https://rail.example" } });
    expect(product.logs()).toContain(`https://rail.example/#pair=${product.token}`);
  });

  test("a configured provider is served instead of the demo", { tags: "long" }, async () => {
    const env = { OPENAI_BASE_URL: "http://127.0.0.1:9/v1", HANDRAIL_MODEL: "some-model" };
    const product = await started({ env });
    expect(product.logs()).toMatch(/^model .*some-model/m);
    const response = await fetch(`${product.url}/api/config`, {
      headers: { authorization: `Bearer ${product.token}` },
    });
    const { providers } = Config.parse(await response.json());
    expect(providers.map(({ demo }) => demo)).toEqual([false]);
    // Nothing listens there. The terminal and the app say so before the person sends anything.
    expect(providers[0]?.problem).toContain("could not be reached. Check OPENAI_BASE_URL");
    expect(product.logs()).toContain(`PROBLEM: ${providers[0]?.problem}`);
  });
});

describe("npm start refuses in one line", () => {
  async function refusal(env: Record<string, string>): Promise<string> {
    const run = runStart({ PORT: "0", HANDRAIL_STATE: join(folder, "state"), ...env });
    const { code } = await run.exit;
    expect(code).toBe(1);
    return run.logs().trimEnd();
  }

  test("a port that is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once("listening", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address ? String(address.port) : "";
    expect(await refusal({ PORT: port })).toMatch(new RegExp(`^Port ${port} is taken; .*$`));
  });

  test.each([
    [{ HANDRAIL_TOKEN: "short" }, /^HANDRAIL_TOKEN .*32.*$/],
    [{ HANDRAIL_WORKSPACE: "/no/such/folder" }, /^HANDRAIL_WORKSPACE .*no such folder.*$/],
    [{ HANDRAIL_RUNTIME: "bun" }, /^HANDRAIL_RUNTIME .*node, workerd or deno.*$/],
    [{ OPENAI_BASE_URL: "http://127.0.0.1:9/v1" }, /^.*HANDRAIL_MODEL .*$/],
  ])("%j", async (env, line) => {
    expect(await refusal(env)).toMatch(line);
  });
});

describe("npm start ends completely", () => {
  const runtimes: Runtime[] = ["node", "workerd", "deno"];

  for (const runtime of runtimes)
    test(`all its processes on ${runtime} share one group, and end when it is killed with -9`, {
      tags: runtime === "node" ? [] : "long",
    }, async () => {
      const product = await started({ runtime });
      const servers = descendantsOf(product.pid);
      expect(servers.length).toBeGreaterThanOrEqual(3);
      const launcher = listProcesses().find(({ pid }) => pid === product.pid);
      expect(new Set([launcher, ...servers].map((process) => process?.group)).size).toBe(1);
      await product.kill("SIGKILL");
      await allGone(servers);
    });

  test("Ctrl-C ends all of them, and is not a failure", { tags: "long" }, async () => {
    const run = runStart({ PORT: "0", HANDRAIL_STATE: join(folder, "state") });
    await run.ready;
    const servers = descendantsOf(pidOf(run.child));
    run.child.kill("SIGINT");
    expect(await run.exit).toEqual({ code: 130, signal: null });
    await allGone(servers);
  });

  test("when the npm that started it is killed with -9, it ends too", { tags: "long" }, async () => {
    const state = join(folder, "npm-state");
    const env = {
      ...process.env,
      PORT: "0",
      HANDRAIL_STATE: state,
      HANDRAIL_RUNTIME: "node",
      OPENAI_API_KEY: "",
    };
    const npm = spawn("npm", ["start"], { cwd: root, env, stdio: ["ignore", "pipe", "ignore"] });
    await readyLine(npm);
    const servers = descendantsOf(pidOf(npm));
    expect(servers.length).toBeGreaterThanOrEqual(3);
    npm.kill("SIGKILL");
    await allGone(servers);
  });

  test("when one of its servers dies it says which, and ends the rest", { tags: "long" }, async () => {
    const run = runStart({ PORT: "0", HANDRAIL_STATE: join(folder, "state") });
    await run.ready;
    const servers = descendantsOf(pidOf(run.child));
    const sandbox = servers.find(({ command }) => command.includes("sandbox.mjs"));
    // 0 would mean the test's own process group.
    if (sandbox === undefined) throw new Error(`no sandbox server runs:\n${run.logs()}`);
    process.kill(sandbox.pid, "SIGKILL");
    expect((await run.exit).code).toBe(1);
    expect(run.logs()).toMatch(/^The sandbox server ended unexpectedly \(signal SIGKILL\)/m);
    await allGone(servers);
  });

  test("when the host of workerd dies, workerd ends with it and frees the port", {
    tags: "long",
  }, async () => {
    const run = runStart({ PORT: "0", HANDRAIL_STATE: join(folder, "state"), HANDRAIL_RUNTIME: "workerd" });
    await run.ready;
    const servers = descendantsOf(pidOf(run.child));
    const host = servers.find(({ command }) => command.includes("workerd.mjs"));
    const runtime = servers.find(({ command }) => /workerd serve/.test(command));
    if (host === undefined || runtime === undefined)
      throw new Error(`no workerd runs:\n${JSON.stringify(servers)}`);
    process.kill(host.pid, "SIGKILL");
    expect((await run.exit).code).toBe(1);
    await allGone(servers);
  });

  test("the state folder keeps the token from one start to the next", { tags: "long" }, async () => {
    const env = { HANDRAIL_STATE: join(folder, "kept") };
    const first = await startProduct({ env });
    await first.close();
    const second = await started({ env });
    expect(second.token).toBe(first.token);
    expect(readdirSync(join(folder, "kept"))).toContain("token");
  });
});

function readyLine(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      if (/^ready /m.test(printed)) resolve();
    });
    child.once("exit", () => reject(new Error(printed)));
  });
}
