// One sandbox server and two edges on one runtime, with their own folders: the place of a scene.
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dist } from "../../scripts/build.ts";
import { edgeServer } from "../../scripts/launch/servers.ts";
import { lastingPort, type Runtime } from "../harness/product.ts";
import { ServerProcess } from "./server-process.ts";

export const stormToken = "a-token-for-tests-of-at-least-32-characters";

export interface TownSettings {
  runtime: Runtime;
  /** Base URL of the scripted model, ending in /v1. */
  modelUrl: string;
  /** Whether commands run in bubblewrap's jail. */
  jail: boolean;
  /** Makes the state folder a separate file system in memory, of this size in MiB. */
  smallDiskMiB?: number;
  /** Other builds of the sandbox server, and of the edge on Node. */
  sandboxFile?: string | undefined;
  edgeFile?: string | undefined;
}

export type EdgeName = "a" | "b";

const preload = fileURLToPath(new URL("./clock-preload.mjs", import.meta.url));

export class Town {
  readonly settings: TownSettings;
  readonly root: string;
  readonly sandbox: ServerProcess;
  readonly sandboxUrl: string;
  readonly edges: Readonly<Record<EdgeName, ServerProcess>>;
  readonly urls: Readonly<Record<EdgeName, string>>;
  /** Command line and environment of the sandbox server, to start a second one on the same folder. */
  readonly sandboxCommand: { args: string[]; env: Record<string, string> };

  private constructor(settings: TownSettings, root: string, ports: readonly string[]) {
    const [sandboxPort = "", portA = "", portB = ""] = ports;
    this.settings = settings;
    this.root = root;
    this.sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
    this.urls = { a: `http://127.0.0.1:${portA}`, b: `http://127.0.0.1:${portB}` };
    const { PATH = "", HOME = "" } = process.env;
    const clock = { STORM_CLOCK: this.clockFile, PATH, HOME };
    this.sandboxCommand = {
      args: [
        ...["--import", preload, settings.sandboxFile ?? join(dist, "sandbox.mjs"), "--exit-with-parent"],
        ...["--state", this.state, "--workspace", join(root, "workspace")],
      ],
      env: { ...clock, SANDBOX_TOKEN: stormToken, ...(settings.jail ? {} : { HANDRAIL_NO_BWRAP: "1" }) },
    };
    this.sandbox = new ServerProcess("sandbox", {
      command: process.execPath,
      ...this.sandboxCommand,
      args: [...this.sandboxCommand.args, "--port", sandboxPort],
    });
    this.edges = { a: this.#edge("a", Number(portA)), b: this.#edge("b", Number(portB)) };
  }

  static async open(settings: TownSettings): Promise<Town> {
    // Literally /tmp, because appending to a file there needs no approval.
    const root = await mkdtemp("/tmp/handrail-storm-");
    for (const name of ["workspace", "state", "edge-a", "edge-b", "ledger"]) await mkdir(join(root, name));
    const { smallDiskMiB } = settings;
    if (smallDiskMiB !== undefined)
      mount("-t", "tmpfs", "-o", `size=${smallDiskMiB}m`, "storm", join(root, "state"));
    const town = new Town(settings, root, [await lastingPort(), await lastingPort(), await lastingPort()]);
    await town.sandbox.start();
    await Promise.all(Object.values(town.edges).map((edge) => edge.start()));
    return town;
  }

  get state(): string {
    return join(this.root, "state");
  }

  get clockFile(): string {
    return join(this.root, "clock");
  }

  get servers(): ServerProcess[] {
    return [this.sandbox, this.edges.a, this.edges.b];
  }

  #edge(name: EdgeName, port: number): ServerProcess {
    const { runtime, modelUrl, edgeFile } = this.settings;
    const settings = {
      ...{ runtime, port, host: "127.0.0.1", publicUrl: undefined, token: stormToken },
      // On workerd, an edge stores there which turns it runs. Each edge has its own, as on separate machines.
      stateDir: join(this.root, `edge-${name}`),
      ...{ workspace: undefined, workspaceName: undefined, sandbox: undefined },
    };
    const { PATH = "", HOME = "" } = process.env;
    const env = {
      ...{ PATH, HOME, HANDRAIL_RATE_LIMIT: "0", HANDRAIL_MODEL: "scripted", HANDRAIL_EDITS: "text" },
      ...{ OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: "test-key" },
    };
    const own = { SANDBOX_URL: this.sandboxUrl, SANDBOX_TOKEN: stormToken };
    const spec = edgeServer(dist, settings, env, own);
    const onNode = runtime === "node" ? ["--import", preload] : [];
    return new ServerProcess(`edge ${name}`, {
      command: spec.command,
      args: [...onNode, ...spec.args.map((arg) => (edgeFile && arg.endsWith("node.mjs") ? edgeFile : arg))],
      env: { ...spec.env, STORM_CLOCK: this.clockFile },
    });
  }

  /** Makes a sandbox for a new folder of the workspace. `repository`: with its own repository. */
  async makeSandbox(id: string, repository: boolean): Promise<string> {
    const folder = join(this.root, "workspace", id);
    await mkdir(folder);
    await writeFile(join(folder, "notes.txt"), "begun\n");
    if (repository) spawnSync("git", ["init", "--quiet", folder]);
    const answer = await fetch(`${this.sandboxUrl}/v1/sandboxes`, {
      method: "POST",
      headers: { authorization: `Bearer ${stormToken}`, "content-type": "application/json" },
      body: JSON.stringify({ id, source: { path: id } }),
    });
    if (!answer.ok) throw new Error(`POST /v1/sandboxes: ${await answer.text()}`);
    return folder;
  }

  /** Sets all clocks that can be set, by `shiftMs` from the true time. */
  async setClocks(shiftMs: number): Promise<void> {
    await writeFile(this.clockFile, String(shiftMs));
    this.sandbox.lookAtClock();
    if (this.settings.runtime === "node") for (const edge of Object.values(this.edges)) edge.lookAtClock();
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
    if (this.settings.smallDiskMiB !== undefined) spawnSync("umount", ["-l", this.state]);
    await rm(this.root, { recursive: true, force: true });
  }

  async read(...path: string[]): Promise<string> {
    return readFile(join(this.root, ...path), "utf8").catch(() => "");
  }
}

export function mount(...args: string[]): void {
  const problem = tryMount(...args);
  if (problem !== undefined) throw new Error(problem);
}

/** The error message, if mounting fails. */
export function tryMount(...args: string[]): string | undefined {
  const { status, stderr } = spawnSync("mount", args, { encoding: "utf8" });
  return status === 0 ? undefined : `mount ${args.join(" ")}: ${stderr}`;
}
