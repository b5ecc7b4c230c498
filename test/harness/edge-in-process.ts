// Edge and sandbox server in the test's own process, over real sockets, for tests that run thousands of
// turns.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { createApp } from "../../functions/app.ts";
import type { EnginePlatform } from "../../functions/engines/engine.ts";
import { depsFromEnv } from "../../functions/env.ts";
import { startServer } from "../../sandbox/server.ts";
import type { Target } from "./sse.ts";

export interface RunningEdge extends Target {
  /** Settings with which another edge uses the same sandbox server. */
  sandbox: { SANDBOX_URL: string; SANDBOX_TOKEN: string };
  /** The sandbox server's state folder; "" if the server is not ours. */
  state: string;
  close(): Promise<void>;
}

/** Serves one small folder that all its sandboxes share. `modelUrl`: the provider's address. */
export async function startEdge(
  modelUrl: string,
  more: Readonly<Record<string, string>> = {},
  platform: EnginePlatform = {},
): Promise<RunningEdge> {
  const { SANDBOX_URL, SANDBOX_TOKEN } = more;
  const own = SANDBOX_URL && SANDBOX_TOKEN ? undefined : await startSandbox();
  const sandbox = own?.env ?? { SANDBOX_URL: SANDBOX_URL ?? "", SANDBOX_TOKEN: SANDBOX_TOKEN ?? "" };
  const token = "t".repeat(32);
  const env = {
    HANDRAIL_TOKEN: token,
    ...sandbox,
    OPENAI_BASE_URL: modelUrl,
    OPENAI_API_KEY: "test-key",
    HANDRAIL_MODEL: "scripted",
    HANDRAIL_RATE_LIMIT: "0",
    ...more,
  };
  const host = { runtime: "node" as const, continuesUnattended: true, sharesTurns: true };
  const deps = { ...depsFromEnv(env, host, {}, platform), log: () => undefined };
  const server = createAdaptorServer({
    fetch: createApp(
      deps,
      async () => undefined,
      () => "127.0.0.1",
    ).fetch,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    sandbox,
    state: own?.state ?? "",
    async close() {
      await new Promise((resolve) => server.close(resolve));
      await own?.close();
    },
  };
}

async function startSandbox() {
  const folder = await mkdtemp(join(tmpdir(), "handrail-edge-"));
  const workspace = join(folder, "workspace");
  await mkdir(workspace);
  await writeFile(join(workspace, "a.txt"), "one\ntwo\n");
  const sandboxToken = "s".repeat(32);
  const server = await startServer({
    token: sandboxToken,
    workspace,
    state: join(folder, "state"),
    port: 0,
    host: "127.0.0.1",
    network: "none",
    networkHosts: [],
    privateSources: true,
    tools: "none",
    commandBytes: 1024 ** 3,
    diskQuotaBytes: 0,
  });
  return {
    state: join(folder, "state"),
    env: { SANDBOX_URL: `http://127.0.0.1:${server.port}`, SANDBOX_TOKEN: sandboxToken },
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
