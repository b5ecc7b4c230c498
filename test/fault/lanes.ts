// A real sandbox server with several sandboxes, each with a folder of its own, so that cases can run at the
// same time.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Lane } from "./case.ts";
import { suiteToken as sandboxToken } from "./edge-life.ts";

const built = fileURLToPath(new URL("../../dist/sandbox.mjs", import.meta.url));

export class SandboxHouse {
  readonly #root: string;
  readonly #env: Record<string, string>;
  readonly #server: string;
  #child: ChildProcess | undefined;
  /** The server's current origin. */
  url = "";
  #lanes = 0;
  #up: Promise<void> = Promise.resolve();

  private constructor(root: string, server: string, env: Record<string, string>) {
    this.#root = root;
    this.#server = server;
    this.#env = env;
  }

  /** The jail is off: these tests are about the journal, and commands start four times faster without it. */
  static async open(server = built): Promise<SandboxHouse> {
    const root = await mkdtemp(join(tmpdir(), "handrail-fault-"));
    const house = new SandboxHouse(root, server, { HANDRAIL_NO_BWRAP: "1" });
    await mkdir(join(house.#root, "workspace"));
    await house.start();
    return house;
  }

  async start(): Promise<void> {
    const { PATH = "", HOME = "" } = process.env;
    const child = spawn(
      process.execPath,
      [
        this.#server,
        "--exit-with-parent",
        "--port",
        "0",
        "--state",
        join(this.#root, "state"),
        "--workspace",
        join(this.#root, "workspace"),
      ],
      { env: { PATH, HOME, SANDBOX_TOKEN: sandboxToken, ...this.#env }, stdio: ["pipe", "pipe", "inherit"] },
    );
    this.#child = child;
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /^sandbox ready (http:\/\/\S+)$/.exec(line)?.[1];
      if (url === undefined) continue;
      this.url = url;
      return;
    }
    throw new Error("the sandbox server did not start");
  }

  /** Kills the server, as if its machine lost power. */
  async kill(): Promise<void> {
    await this.#up;
    await this.#die();
  }

  /** Resolves when the process is gone. */
  async #die(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  /** Begins the restart without waiting; `#up` resolves when it is done. */
  #restart(): void {
    // Restarts wait for each other: a second death during the start would hit a process whose id is not known
    // yet.
    this.#up = this.#up.then(() => this.#die()).then(() => this.start());
  }

  async lane(): Promise<Lane> {
    this.#lanes += 1;
    const id = `lane${this.#lanes}`;
    const folder = join(this.#root, "workspace", id);
    await mkdir(folder);
    const answer = await fetch(`${this.url}/v1/sandboxes`, {
      method: "POST",
      headers: { authorization: `Bearer ${sandboxToken}`, "content-type": "application/json" },
      body: JSON.stringify({ id, source: { path: id } }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return {
      folder,
      sandbox: { id, url: () => this.url, up: () => this.#up, restart: () => this.#restart() },
    };
  }

  async close(): Promise<void> {
    await this.kill();
    // Programs that a killed server started may write for another moment.
    await rm(this.#root, { recursive: true, force: true, maxRetries: 10 });
  }
}
