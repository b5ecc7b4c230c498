// Starts the sandbox server, the demo model and the edge as processes of this group, and ends all of them together.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Config } from "../../shared/api.ts";
import { ErrorBody } from "../../shared/errors.ts";
import type { BuildPartName } from "../build/parts.ts";
import { banner, phoneUrl } from "./banner.ts";
import { type Child, type ChildSpec, startChild } from "./child.ts";
import type { Env } from "./env.ts";
import { announce } from "./mdns.ts";
import { chooseModel } from "./model.ts";
import { openBrowser } from "./open-browser.ts";
import { checkPort, freePort } from "./ports.ts";
import { demoServer, edgeParts, edgeServer, sandboxServer } from "./servers.ts";
import type { LaunchSettings, Runtime } from "./settings.ts";
import { startTunnel } from "./tunnel.ts";
import { vapidVariables } from "./vapid.ts";

export interface Launch {
  dist: string;
  /** The command with which a person can start it again. */
  command: string;
  settings: LaunchSettings;
  env: Env;
  /** Builds missing parts; absent = all of them exist. */
  build?: ((parts: readonly BuildPartName[]) => Promise<readonly BuildPartName[]>) | undefined;
  getRuntime?: ((runtime: Runtime) => void) | undefined;
  /** Further lines above `ready`. */
  notes: readonly string[];
}

export class Launcher {
  private readonly children: Pick<Child, "end">[] = [];
  private ending: Promise<void> | undefined;
  private readonly launch: Launch;

  constructor(launch: Launch) {
    this.launch = launch;
  }

  /** Resolves when the app accepts requests. Throws an error with a sentence for people. */
  async start(): Promise<void> {
    const { dist, env, notes } = this.launch;
    const settings = await this.withPublicUrl(this.launch.settings);
    const [model, name] = await Promise.all([chooseModel(env), this.announced(settings)]);
    const parts: BuildPartName[] = ["pwa", ...edgeParts[settings.runtime]];
    const embedded = settings.runsHere && !settings.sandbox;
    if (!settings.sandbox) parts.push("sandbox");
    if (model.kind === "demo") parts.push("demo");
    this.launch.getRuntime?.(settings.runtime);
    const made = (await this.launch.build?.(parts)) ?? [];
    if (made.length > 0) console.log(`built: ${made.join(", ")}`);

    const sandboxToken = randomBytes(32).toString("base64url");
    const [sandbox, demo] = await Promise.all([
      embedded ? this.add(sandboxServer(dist, settings, env, sandboxToken)) : undefined,
      model.kind === "demo" ? this.add(demoServer(dist, env)) : undefined,
    ]);
    const ownUrl = settings.publicUrl ?? (name && `http://${name}:${settings.port}`);
    const edge = await this.add(
      edgeServer(dist, settings, env, {
        SANDBOX_URL: settings.sandbox?.url ?? sandbox?.url ?? "",
        SANDBOX_TOKEN: settings.sandbox?.token ?? sandboxToken,
        ...guestVariables(settings, env),
        ...(ownUrl ? { HANDRAIL_PUBLIC_URL: ownUrl } : {}),
        ...(demo ? { HANDRAIL_DEMO_URL: demo.url } : {}),
        ...model.variables,
        ...vapidVariables(env, settings.stateDir, settings.publicUrl),
      }),
    );
    const config = env.HANDRAIL_ACCESS_TEAM ? undefined : await readConfig(edge.url, settings.token);
    const named = name ? [`by name    ${ownUrl}/#pair=${settings.token}`] : [];
    console.log(banner(settings, edge.url, config, model.kind, [...named, ...notes]));
    console.log(`ready ${edge.url}`);
    if (settings.open)
      openBrowser(
        `${phoneUrl(settings, edge.url)}/#pair=${settings.token}`,
        settings.stateDir,
        this.launch.env,
      );
  }

  /** Ends every process, then this one. Only the first call counts, and failures that it causes are ignored. */
  end(exitCode: number, line?: string): Promise<void> {
    this.ending ??= this.endAll(exitCode, line);
    return this.ending;
  }

  private async endAll(exitCode: number, line: string | undefined): Promise<void> {
    if (line !== undefined) console.error(line);
    await Promise.all(this.children.map((child) => child.end()));
    process.exit(exitCode);
  }

  /**
   * The tunnel is started first and names its URL, because the edge refuses requests with any host name that it was not
   * told.
   */
  private async withPublicUrl(settings: LaunchSettings): Promise<LaunchSettings> {
    await checkPort(settings.host, settings.port);
    if (settings.tunnel === undefined && !isOnEveryNetwork(settings)) return settings;
    const port = settings.port || (await freePort(settings.host));
    if (settings.tunnel === undefined) return { ...settings, port };
    const tunnel = startTunnel(settings.tunnel, port, this.launch.env);
    // Added before it has a URL, because a stop may come earlier.
    this.children.push(tunnel);
    const publicUrl = await tunnel.url;
    this.watch(tunnel);
    return { ...settings, port, publicUrl };
  }

  /** The name with which a phone can still find this machine after its address has changed. */
  private async announced(settings: LaunchSettings): Promise<string | undefined> {
    if (!isOnEveryNetwork(settings)) return undefined;
    const announced = await announce();
    if (announced) this.children.push(announced);
    return announced?.name;
  }

  private async add(spec: ChildSpec): Promise<Child> {
    const child = await startChild(spec);
    this.children.push(child);
    this.watch(child);
    return child;
  }

  private watch(child: Pick<Child, "name" | "ended">): void {
    void child.ended.then(async (how) => {
      // Ctrl-C reaches the whole process group at once, so our own handler gets its turn before this end counts as
      // unexpected.
      await new Promise((resolve) => setTimeout(resolve, 200));
      if (this.ending !== undefined) return;
      await this.end(
        1,
        `${child.name} ended unexpectedly (${how}); Handrail ends with it. Start it again: ${this.launch.command}`,
      );
    });
  }
}

/** What the edge needs if sessions have guests. */
function guestVariables({ engineSecret, stateDir }: LaunchSettings, env: Env): Record<string, string> {
  if (!engineSecret) return {};
  const spentFile = env.HANDRAIL_GUEST_SPENT_FILE || join(stateDir, "guest-spent.json");
  return { HANDRAIL_ENGINE_SECRET: engineSecret, HANDRAIL_GUEST_SPENT_FILE: spentFile };
}

/** Whether the app listens on every network and has no other name, such as a tunnel's or the person's own. */
function isOnEveryNetwork({ host, publicUrl }: LaunchSettings): boolean {
  return publicUrl === undefined && (host === "0.0.0.0" || host === "::");
}

/** Asks the app itself for its configuration, so that the output shows what it actually serves. */
async function readConfig(url: string, token: string): Promise<Config> {
  const local = url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  const response = await fetch(`${local}/api/config`, { headers: { authorization: `Bearer ${token}` } });
  if (response.ok) return Config.parse(await response.json());
  const { error } = ErrorBody.parse(await response.json());
  throw new Error(
    error.code === "sandbox_unreachable"
      ? "SANDBOX_URL: the sandbox server there does not answer, or refuses SANDBOX_TOKEN; start it, or check both."
      : `The edge started, and answers ${response.status} to GET /api/config: ${error.message}`,
  );
}
