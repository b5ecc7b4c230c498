// Whether the edge is up, and what it offers: models, the sandbox's isolation, limits.
import { Hono } from "hono/tiny";
import type { Config, Health } from "../../shared/api.ts";
import type { Deps } from "../deps.ts";
import { limits as own } from "../limits.ts";
import { keyProblem } from "../model/key-check.ts";

export function healthRoutes(deps: Deps): Hono {
  return new Hono().get("/health", (c) => c.json<Health>({ ok: true, version: deps.version }));
}

export function configRoutes(deps: Deps): Hono {
  return new Hono().get("/config", async (c) => {
    const [capabilities, problems] = await Promise.all([
      deps.sandbox.capabilities(),
      Promise.all(deps.providers.map((provider) => keyProblem(deps, provider))),
    ]);
    const { engine, isolation, readonlyExec, seccomp, network, limits } = capabilities;
    return c.json<Config>({
      providers: deps.providers.map((provider, index) => ({
        id: provider.id,
        label: provider.label,
        // Headers and bodies may hold what is the server's alone.
        models: provider.models.map(({ body: _, headers: __, ...model }) => model),
        demo: provider.demo,
        ...(problems[index] === undefined ? {} : { problem: problems[index] }),
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
