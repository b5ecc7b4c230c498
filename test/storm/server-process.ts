// One server in a process of its own, which is killed, frozen, thawed and restarted at the same address.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { allGone, descendantsOf } from "../harness/processes.ts";

export interface ServerCommand {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** A port may stay occupied for a moment after its holder was killed. */
const startTries = 40;
const pauseMs = 100;

export class ServerProcess {
  readonly name: string;
  readonly #command: ServerCommand;
  #child: ChildProcess | undefined;
  /** What it wrote to stderr in all its lives, the last 200 lines. */
  readonly log: string[] = [];

  constructor(name: string, command: ServerCommand) {
    this.name = name;
    this.#command = command;
  }

  /** Resolves when it accepts requests. Throws with its output if it does not start. */
  async start(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const said = await this.#startOnce();
      if (said === undefined) return;
      if (tries === startTries || !/EADDRINUSE|address .*in use/i.test(said))
        throw new Error(`${this.name} did not start: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  /** Its output instead of a start. */
  async #startOnce(): Promise<string | undefined> {
    const { command, args, env } = this.#command;
    // A process group of its own, so that a freeze includes what it has started.
    const child = spawn(command, [...args], { env, stdio: ["pipe", "pipe", "pipe"], detached: true });
    this.#child = child;
    child.stdin.on("error", () => undefined);
    const said: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said.push(text);
      this.log.push(...text.split("\n").filter((line) => line !== ""));
      this.log.splice(0, this.log.length - 200);
    });
    for await (const line of createInterface({ input: child.stdout })) {
      if (!/\bready http:\/\/\S+/.test(line)) continue;
      child.stdout.resume();
      return undefined;
    }
    return `${said.join("")} (code ${child.exitCode}, signal ${child.signalCode})`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get runs(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** kill -9 of the process itself; what it has started must end by itself. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || !this.runs) return;
    const below = this.name === "sandbox" ? [] : descendantsOf(this.pid);
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
    await allGone(below);
  }

  /** With everything that it has started. */
  freeze(): void {
    this.#signal("SIGSTOP");
  }

  thaw(): void {
    this.#signal("SIGCONT");
  }

  /** Reads its clock's file again. */
  lookAtClock(): void {
    if (this.runs) process.kill(this.pid, "SIGUSR2");
  }

  async close(): Promise<void> {
    this.thaw();
    await this.kill();
  }

  #signal(signal: NodeJS.Signals): void {
    if (!this.runs) return;
    process.kill(-this.pid, signal);
  }
}
