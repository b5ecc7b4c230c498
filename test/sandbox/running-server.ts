// A real sandbox server in a process of its own, as the published single file. Used by the tests of this
// folder.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build, dist } from "../../scripts/build.ts";
import { SandboxClient } from "./sandbox-client.ts";

export const token = "a-token-for-tests-of-at-least-32-characters";

/** Options of a server that a test starts in its own process, beside its state folder. */
export const ownOptions = {
  token,
  workspace: undefined,
  port: 0,
  host: "127.0.0.1",
  network: "none",
  networkHosts: [],
  privateSources: true,
  tools: "none",
  commandBytes: 1024 ** 3,
  diskQuotaBytes: 0,
} as const;

let built: Promise<string> | undefined;

/** Path of the single-file server, which is built again if its sources have changed. */
export function builtServer(): Promise<string> {
  built ??= build(["sandbox"]).then(() => join(dist, "sandbox.mjs"));
  return built;
}

export interface ServerSettings {
  workspace?: string;
  state?: string;
  env?: Record<string, string>;
  args?: string[];
  /** Another node to run the server with. */
  node?: string;
  /** Another copy of the single file. */
  file?: string;
  /** Another user to run the server as, who must own the files that it needs. */
  uid?: number;
}

export class RunningServer {
  readonly #process: ChildProcess;
  readonly state: string;
  readonly url: string;
  readonly client: SandboxClient;
  readonly exited: Promise<number | null>;
  /** The server's output on stderr until now. */
  log = "";

  private constructor(process: ChildProcess, url: string, state: string, exited: Promise<number | null>) {
    this.#process = process;
    this.url = url;
    this.state = state;
    this.client = new SandboxClient(url, token);
    this.exited = exited;
  }

  static async start({
    workspace,
    state,
    env = {},
    args = [],
    node,
    file,
    uid,
  }: ServerSettings = {}): Promise<RunningServer> {
    const dir = state ?? (await freshFolder("state"));
    const child = spawn(
      node ?? process.execPath,
      [
        file ?? (await builtServer()),
        "--exit-with-parent",
        "--port",
        "0",
        "--state",
        dir,
        ...(workspace ? ["--workspace", workspace] : []),
        ...args,
      ],
      {
        env: {
          PATH: process.env.PATH ?? "",
          HOME: process.env.HOME ?? "",
          SANDBOX_TOKEN: token,
          SECRET_OF_SERVER: "sesame",
          ...env,
        },
        ...(uid === undefined ? {} : { uid, gid: uid }),
        stdio: ["pipe", "pipe", "pipe"],
      },
    );
    const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
    let log = "";
    child.stderr.on("data", (chunk: Buffer) => {
      log += chunk.toString("utf8");
    });
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /^sandbox ready (http:\/\/\S+)$/.exec(line)?.[1];
      if (!url) continue;
      const server = new RunningServer(child, url, dir, exited);
      server.log = log;
      child.stderr.on("data", (chunk: Buffer) => {
        server.log += chunk.toString("utf8");
      });
      return server;
    }
    const code = await exited;
    throw new Error(`the server did not start: ${code ?? child.signalCode} ${log}`);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Kills the server as a power failure would: nothing is flushed, and no client is told. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.exited;
  }

  async stop(): Promise<number | null> {
    this.#process.kill("SIGTERM");
    return this.exited;
  }

  /** Simulates the end of the server's parent. */
  closeStdin(): void {
    this.#process.stdin?.end();
  }
}

const folders: string[] = [];

/** A new empty folder that `removeFolders` removes. */
export async function freshFolder(name: string): Promise<string> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "handrail-test-")));
  folders.push(base);
  const path = join(base, name);
  await mkdir(path);
  return path;
}

export async function removeFolders(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
}

/**
 * Resolves once `test` returns true. Checks again and again, so that a test in which it never does hits its
 * own time limit.
 */
export async function until(test: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await test())) await new Promise((resolve) => setImmediate(resolve));
}

export function fileExists(path: string): boolean {
  return existsSync(path);
}
