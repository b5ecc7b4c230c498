// Whether the edge is running, and what it offers: models, the sandbox's isolation, limits.
import { Hono } from "hono/tiny";
import type { Config, Health } from "../../shared/api.ts";
import type { Deps } from "../deps.ts";
import * as own from "../limits.ts";
import { keyProblem } from "../model/key-check.ts";
import { usableWindow } from "../model/loaded-window.ts";
import type { Provider } from "../model/provider.ts";

export function healthRoutes(deps: Deps): Hono {
  return new Hono().get("/health", (c) => c.json<Health>({ ok: true, version: deps.version }));
}

export function configRoutes(deps: Deps): Hono {
  return new Hono().get("/config", async (c) => {
    const [capabilities, problems, models] = await Promise.all([
      deps.sandbox.capabilities(),
      Promise.all(deps.providers.map((provider) => keyProblem(deps, provider))),
      Promise.all(deps.providers.map((provider) => modelsOf(deps, provider))),
    ]);
    const unattended = deps.keeper !== undefined && capabilities.limits.postedBytes !== undefined;
    const { engine, isolation, readonlyExec, seccomp, network, worktrees, engines, limits } = capabilities;
    return c.json<Config>({
      providers: deps.providers.map((provider, index) => ({
        id: provider.id,
        label: provider.label,
        models: models[index] ?? [],
        demo: provider.demo,
        ...(problems[index] === undefined ? {} : { problem: problems[index] }),
      })),
      sandbox: {
        ...{ engine, isolation, readonlyExec },
        ...(seccomp === undefined ? {} : { seccomp }),
        ...(network ? { network } : {}),
        ...(worktrees === undefined ? {} : { worktrees }),
        ...(engines ? { engines } : {}),
      },
      limits: { ...limits, maxBodyBytes: own.maxBodyBytes },
      workspace: deps.workspace,
      continuesUnattended: deps.host.continuesUnattended,
      unattended,
      push: deps.notify.push ? { publicKey: deps.notify.push.publicKey } : null,
    });
  });
}

/** The models, with the windows with which a self-hosted server has loaded them. */
function modelsOf({ fetch, elapsed, memory }: Deps, provider: Provider) {
  const asking = { fetch, elapsed, known: memory.toolSupport.windows };
  return Promise.all(
    // Headers and bodies are left out, because they may contain secrets of the server.
    provider.models.map(async ({ body: _, headers: __, ...model }) => ({
      ...model,
      contextWindow: await usableWindow(asking, provider, model, false),
    })),
  );
}
