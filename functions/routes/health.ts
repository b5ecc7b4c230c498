// Whether the edge is up, and what it offers: models, the sandbox's isolation, limits.
import { Hono } from "hono/tiny";
import type { Config, Health } from "../../shared/api.ts";
import type { Deps } from "../deps.ts";
import { limits as own } from "../limits.ts";

export function healthRoutes(deps: Deps): Hono {
  return new Hono().get("/health", (c) => c.json<Health>({ ok: true, version: deps.version }));
}

export function configRoutes(deps: Deps): Hono {
  return new Hono().get("/config", async (c) => {
    const { engine, isolation, readonlyExec, seccomp, network, limits } = await deps.sandbox.capabilities();
    return c.json<Config>({
      providers: deps.providers.map(({ id, label, models, demo }) => ({
        id,
        label,
        models: [...models],
        demo,
      })),
      sandbox: {
        ...{ engine, isolation, readonlyExec },
        ...(seccomp === undefined ? {} : { seccomp }),
        ...(network ? { network } : {}),
      },
      limits: { ...limits, maxBodyBytes: own.maxBodyBytes },
      workspace: deps.workspace,
      continuesUnattended: deps.host.continuesUnattended,
    });
  });
}
