// The routes of sandboxes themselves, and what the server can do.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Hono } from "hono";
import { HandrailError } from "../../shared/errors.ts";
import { type Capabilities, CreateSandbox, type SandboxInfo } from "../../shared/sandbox.ts";
import { version } from "../../shared/version.ts";
import type { ServerContext } from "../context.ts";
import { limits } from "../limits.ts";
import { networkKinds } from "../network/networks.ts";
import { infoOf, preparingWaitMs, type Sandbox, within } from "../sandbox.ts";
import { Snapshots } from "../workspace/snapshots.ts";
import { type Env, readBody } from "./answers.ts";

/** The snapshot of the beginning is no reason to keep a person waiting. */
const snapshotWaitMs = 2_000;

export function sandboxRoutes(app: Hono<Env>, server: ServerContext): void {
  app.get("/v1/capabilities", (c) => c.json(capabilities(server)));

  app.post("/v1/sandboxes", async (c) => {
    const request = await readBody(c, CreateSandbox);
    const { sandbox, created } = await server.registry.create(request);
    if (created) await within(sandbox.preparing, preparingWaitMs);
    await within(sandbox.beginning, snapshotWaitMs);
    if (created && sandbox.record.state === "failed") {
      const problem = sandbox.record.problem ?? "The workspace could not be made.";
      // Somebody else may have deleted it meanwhile.
      await server.registry.remove(sandbox.record.id).catch(() => undefined);
      throw new HandrailError("invalid_request", problem);
    }
    return c.json(infoOf(sandbox), created ? 201 : 200);
  });

  app.get("/v1/sandboxes/:id", async (c) => {
    const sandbox = await server.registry.get(c.req.param("id"));
    const info: SandboxInfo = { ...infoOf(sandbox), sizes: await sizesOf(sandbox), ...diskOf(sandbox) };
    return c.json(info);
  });

  app.delete("/v1/sandboxes/:id/grants", async (c) => {
    const { journal } = await server.registry.get(c.req.param("id"));
    await journal.revokeAll();
    return c.body(null, 204);
  });

  app.delete("/v1/sandboxes/:id/grants/:grant", async (c) => {
    const { journal } = await server.registry.get(c.req.param("id"));
    if (!(await journal.revoke(c.req.param("grant"))))
      throw new HandrailError(
        "not_found",
        "This sandbox holds no such grant. It may have been taken back already.",
      );
    return c.body(null, 204);
  });

  app.delete("/v1/sandboxes/:id", async (c) => {
    await server.registry.remove(c.req.param("id"));
    return c.body(null, 204);
  });
}

export function capabilities(server: ServerContext): Capabilities {
  return {
    protocol: 1,
    engine: `handrail-sandbox/${version}`,
    isolation: server.jail ? "bubblewrap" : "none",
    readonlyExec: server.jail ? "os" : "allowlist",
    snapshots: Snapshots.available,
    network: networkKinds(server.jail, server.networks),
    seccomp: server.jail?.filters !== undefined,
    memoryLimit: server.jail?.groups === undefined ? "counted" : "cgroup",
    limits: { ...limits, diskQuotaBytes: server.options.diskQuotaBytes },
  };
}

/** As last measured; a sandbox without a quota is not. */
function diskOf({
  quota: { lastUsedBytes: usedBytes, maxBytes: quotaBytes },
}: Sandbox): Pick<SandboxInfo, "disk"> {
  return usedBytes === undefined ? {} : { disk: { usedBytes, quotaBytes } };
}

async function sizesOf({ dir, folder }: Sandbox): Promise<{ journalBytes: number; snapshotBytes: number }> {
  const journals = await Promise.all(["turns", "calls"].map((name) => bytesBeneath(join(dir, name))));
  return {
    journalBytes: journals.reduce((sum, bytes) => sum + bytes, 0),
    snapshotBytes: await bytesBeneath(folder.snapshots.store.dir),
  };
}

async function bytesBeneath(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true }).catch(() => []);
  let sum = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    sum += await stat(join(entry.parentPath, entry.name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return sum;
}
