// How each of our servers is started: the sandbox, the demo model, and the edge on each runtime.

import { join } from "node:path";
import { isLoopbackHost } from "../../shared/loopback-host.ts";
import type { BuildPartName } from "../build/parts.ts";
import type { ChildSpec } from "./child.ts";
import { edgeEnv, sandboxEnv } from "./child-env.ts";
import type { Env } from "./env.ts";
import { denoBinary, miniflare } from "./runtimes.ts";
import type { LaunchSettings, Runtime } from "./settings.ts";

/** The built parts that serve `/api` on a runtime. */
export const edgeParts: Readonly<Record<Runtime, readonly BuildPartName[]>> = {
  node: ["node"],
  deno: ["deno"],
  workerd: ["worker", "workerd"],
};

const endsWithUs = "--exit-with-parent";

export function sandboxServer(dist: string, settings: LaunchSettings, env: Env, token: string): ChildSpec {
  const workspace = settings.workspace === undefined ? [] : ["--workspace", settings.workspace];
  return {
    name: "The sandbox server",
    command: process.execPath,
    args: [join(dist, "sandbox.mjs"), "--state", settings.stateDir, "--port", "0", endsWithUs, ...workspace],
    env: sandboxEnv(env, {
      SANDBOX_TOKEN: token,
      // The sandbox server itself listens on loopback; what matters is who can reach the edge.
      HANDRAIL_PRIVATE_SOURCES: env.HANDRAIL_PRIVATE_SOURCES || (isExposed(settings) ? "0" : "1"),
      ...given(env, [
        "HANDRAIL_NETWORK",
        "HANDRAIL_NETWORK_HOSTS",
        "HANDRAIL_NO_BWRAP",
        "HANDRAIL_NO_RG",
        "HANDRAIL_TOOLS",
        "HANDRAIL_COMMAND_MEMORY",
        "HANDRAIL_DISK_QUOTA",
        "HANDRAIL_STATE_BUDGET",
      ]),
    }),
  };
}

function isExposed({ host, publicUrl }: LaunchSettings): boolean {
  return publicUrl !== undefined || !isLoopbackHost(host);
}

function given(env: Env, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

export function demoServer(dist: string, env: Env): ChildSpec {
  const delayMs = env.HANDRAIL_DEMO_DELAY_MS;
  return {
    name: "The scripted demo model",
    command: process.execPath,
    args: [join(dist, "demo.mjs"), "--port", "0", endsWithUs],
    env: sandboxEnv(env, delayMs ? { HANDRAIL_DEMO_DELAY_MS: delayMs } : {}),
  };
}

export function edgeServer(
  dist: string,
  settings: Pick<LaunchSettings, "runtime" | "port" | "host" | "token" | "stateDir" | "workspaceName">,
  env: Env,
  own: Record<string, string>,
): ChildSpec {
  const page = join(dist, "pwa");
  const variables = edgeEnv(env, {
    ...own,
    PORT: String(settings.port),
    HANDRAIL_HOST: settings.host,
    HANDRAIL_TOKEN: settings.token,
    HANDRAIL_WORKSPACE: settings.workspaceName ?? "",
    // workerd stores there which turns it must continue.
    ...(settings.runtime === "workerd" ? { HANDRAIL_STATE: settings.stateDir } : {}),
  });
  const name = `The edge on ${settings.runtime}`;
  if (settings.runtime === "deno") {
    const spent = variables.HANDRAIL_GUEST_SPENT_FILE;
    const kept = spent ? [spent, `${spent}.next`] : [];
    const flags = [
      "--no-prompt",
      "--no-config",
      "--no-lock",
      "--no-remote",
      "--allow-net",
      "--allow-env",
      `--allow-read=${[page, ...kept]}`,
      ...(spent ? [`--allow-write=${kept}`] : []),
    ];
    const args = ["run", "--quiet", ...flags, join(dist, "deno.mjs"), endsWithUs];
    return { name, command: denoBinary(env), args, env: { ...variables, DENO_NO_UPDATE_CHECK: "1" } };
  }
  const script = settings.runtime === "node" ? "node.mjs" : "workerd.mjs";
  const where = settings.runtime === "workerd" ? { HANDRAIL_MINIFLARE: miniflare(env) } : {};
  const command = process.execPath;
  return { name, command, args: [join(dist, script), endsWithUs], env: { ...variables, ...where } };
}
