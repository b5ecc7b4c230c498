// One command that runs in the background of its sandbox: its unread output, its ports, how it ended.
import { readFileSync } from "node:fs";
import type { BackgroundInfo } from "../../shared/background.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { ExecValue } from "../../shared/sandbox.ts";
import type { SandboxJournal } from "../journal/sandbox-journal.ts";
import * as limits from "../limits.ts";
import { bridgePort } from "../network/bridge.ts";
import { stripAnsi } from "./ansi.ts";

export class BackgroundCommand {
  readonly id: string;
  readonly command: string;
  readonly startedAt: number;
  /** true = the person wants it to outlive the turn. */
  kept = false;
  readonly abort = new AbortController();
  /** The first process of its jail. */
  pid: number | undefined;
  /** Resolves when the command has ended and its folder has been swept. */
  over: Promise<void> = Promise.resolve();
  /** How the command ended; undefined while it runs. */
  #end: ExecValue | undefined;
  /** Why it could not be run. */
  failure: unknown;
  #output = "";
  #cutChars = 0;
  #ended: () => void = () => undefined;
  /** Resolves when the command has ended. */
  readonly ended = new Promise<void>((resolve) => {
    this.#ended = resolve;
  });

  constructor(id: string, command: string, startedAt: number) {
    this.id = id;
    this.command = command;
    this.startedAt = startedAt;
  }

  get running(): boolean {
    return this.#end === undefined && this.failure === undefined;
  }

  /** `work` runs the command, and calls `print` and `exit` meanwhile. */
  follow(work: Promise<ExecValue>): void {
    this.over = work.then(
      (value) => {
        // Lines about files taken out of the workspace follow the command's own output.
        if (this.#end) this.print(value.stderr.slice(this.#end.stderr.length));
        this.#end = value;
        this.#ended();
      },
      (error: unknown) => {
        this.failure = error;
        this.#ended();
      },
    );
  }

  print(text: string): void {
    this.#output += text;
    const over = this.#output.length - limits.backgroundOutputChars;
    if (over <= 0) return;
    this.#cutChars += over;
    this.#output = this.#output.slice(over);
  }

  exit(value: ExecValue): void {
    this.#end = value;
    this.print(/\n\[ended by the sandbox: .*\]\n$/.exec(value.stderr)?.[0] ?? "");
    this.#ended();
  }

  /** Ends the command and waits until it has ended. */
  async stop(): Promise<void> {
    this.abort.abort();
    await this.ended;
  }

  /** The output since the last read, and the command's state. Throws the error it failed with. */
  read(): ExecValue {
    if (this.failure !== undefined) throw this.failure;
    const cut = this.#cutChars > 0 ? `[… ${this.#cutChars} characters cut …]\n` : "";
    const stdout = cut + stripAnsi(this.#output);
    this.#output = "";
    this.#cutChars = 0;
    const { exitCode = null, signal = null, timedOut = false, held, refusedHosts } = this.#end ?? {};
    return {
      ...{ exitCode, signal, timedOut, stdout, stderr: "", truncated: false },
      ...(held ? { held } : {}),
      ...(refusedHosts ? { refusedHosts } : {}),
      background: { id: this.id, running: this.running, ...this.#ports() },
    };
  }

  info(): BackgroundInfo {
    const { id, command, startedAt, kept } = this;
    return { id, command, startedAt, kept, ...this.#ports() };
  }

  /**
   * The ports that listen in the jail's network. https://docs.kernel.org/networking/proc_net_tcp.html (0A =
   * LISTEN)
   */
  #ports(): { ports?: number[] } {
    if (this.pid === undefined || !this.running) return {};
    const ports = new Set<number>();
    for (const name of ["tcp", "tcp6"]) {
      try {
        const table = readFileSync(`/proc/${this.pid}/net/${name}`, "latin1");
        for (const [, port] of table.matchAll(/^ *\d+: [\dA-F]+:([\dA-F]{4}) \S+ 0A /gm))
          ports.add(Number.parseInt(port ?? "", 16));
      } catch {
        // The process is about to end, or the kernel does not have this protocol.
      }
    }
    // The jail's own bridge to the proxy.
    ports.delete(bridgePort);
    return { ports: [...ports].sort((a, b) => a - b) };
  }
}

/** The background commands of one sandbox. They are kept in memory and end with this server. */
export class BackgroundCommands {
  readonly #commands = new Map<string, BackgroundCommand>();

  constructor(journal: Pick<SandboxJournal, "onWorkOver">) {
    journal.onWorkOver = () => this.#endUnkept();
  }

  get running(): BackgroundCommand[] {
    return [...this.#commands.values()].filter((one) => one.running);
  }

  /** Throws `invalid_request` if too many are running. */
  add(one: BackgroundCommand): void {
    const running = this.running;
    if (running.length >= limits.backgroundCommands) {
      const names = running.map(({ id, command }) => `${id} (${command.slice(0, 80)})`).join(", ");
      throw new HandrailError(
        "invalid_request",
        `${running.length} commands run in the background: ${names}. Stop one first.`,
      );
    }
    this.#commands.set(one.id, one);
    const ended = [...this.#commands.values()].filter((each) => !each.running);
    for (const { id } of ended.slice(0, -limits.backgroundEnded)) this.#commands.delete(id);
  }

  remove({ id }: BackgroundCommand): void {
    this.#commands.delete(id);
  }

  /** No `id` = the newest one. Throws `not_found`. */
  get(id: string | undefined): BackgroundCommand {
    const found = id === undefined ? [...this.#commands.values()].at(-1) : this.#commands.get(id);
    if (found) return found;
    throw new HandrailError(
      "not_found",
      "There is no such command any more: it ended with the sandbox server, or long ago.",
    );
  }

  /** Ends those that the person does not keep. */
  #endUnkept(): void {
    for (const one of this.running) if (!one.kept) one.abort.abort();
  }

  /** Resolves when all have ended and their folders have been swept. */
  async endAll(): Promise<void> {
    const all = [...this.#commands.values()];
    for (const one of all) one.abort.abort();
    await Promise.all(all.map(({ over }) => over));
  }
}
