// One server in its own process, which is killed, frozen, thawed and restarted at the same address.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { allGone, descendantsOf } from "../harness/processes.ts";

export interface ServerCommand {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** A port may stay occupied for a moment after its process was killed. */
const startTries = 40;
const pauseMs = 100;

export class ServerProcess {
  readonly name: string;
  readonly #command: ServerCommand;
  #child: ChildProcess | undefined;
  /** Its output to stderr in all its runs, the last 200 lines. */
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

  /** Returns its output if it did not start. */
  async #startOnce(): Promise<string | undefined> {
    const { command, args, env } = this.#command;
    // The server gets its own process group, so that a freeze includes the processes that it has started.
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

  /** Kills only the process itself. The processes that it has started must end on their own. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || !this.runs) return;
    const below = this.name === "sandbox" ? [] : descendantsOf(this.pid);
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
    await allGone(below);
  }

  /** Freezes it with all processes that it has started. */
  freeze(): void {
    this.#signal("SIGSTOP");
  }

  thaw(): void {
    this.#signal("SIGCONT");
  }

  /** Makes it read the file with its clock again. */
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
