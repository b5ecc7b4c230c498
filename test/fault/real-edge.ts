// The built edge in a process of its own, which can be killed and restarted.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { suiteToken } from "./edge-life.ts";

const built = fileURLToPath(new URL("../../dist/node.mjs", import.meta.url));

export class RealEdge {
  url = "";
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;

  private constructor(env: Readonly<Record<string, string>>) {
    this.#env = env;
  }

  /**
   * `sandboxUrl`, `modelUrl`: the addresses that the edge uses in all its lives. `more`: additional settings.
   */
  static async open(
    sandboxUrl: string,
    modelUrl: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<RealEdge> {
    const edge = new RealEdge({
      PATH: process.env.PATH ?? "",
      PORT: "0",
      HANDRAIL_TOKEN: suiteToken,
      SANDBOX_URL: sandboxUrl,
      SANDBOX_TOKEN: suiteToken,
      HANDRAIL_RATE_LIMIT: "0",
      OPENAI_BASE_URL: modelUrl,
      OPENAI_API_KEY: "test-key",
      HANDRAIL_MODEL: "scripted",
      ...more,
    });
    await edge.start();
    return edge;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [built, "--exit-with-parent"], {
      env: this.#env,
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child = child;
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /^edge ready (http:\/\/\S+)$/.exec(line)?.[1];
      if (url === undefined) continue;
      this.url = url;
      child.stdout.resume();
      return;
    }
    throw new Error("the edge did not start");
  }

  get runs(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }
}
