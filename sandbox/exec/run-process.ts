// Runs one program in its own process group: output, limits, ending. Knows nothing of jails or of the protocol's calls.
import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { stripAnsi } from "./ansi.ts";
import { markName } from "./guarded.ts";
import { OutputCollector, shareOutput } from "./output-collector.ts";
import { type Caps, type Excess, endMarked, watchProcesses } from "./process-watch.ts";
import { Utf8Chunks } from "./utf8-chunks.ts";

export interface ProcessSpec {
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  timeoutMs: number;
  maxOutputBytes: number;
  /** Ends the program early. */
  signal?: AbortSignal;
  /** Text for its stdin; without it stdin is closed. */
  input?: string;
  /** Live output in the order of its arrival, the first `maxOutputBytes` of it. */
  onOutput?(stream: "stdout" | "stderr", offset: number, text: string): void;
  /** Leaves escape sequences and control characters in the outcome. */
  keepControls?: boolean;
  /** What its processes may take together; beyond it they are ended at once. */
  caps?: Caps;
  /** Stands in the environment of its processes, so that those which leave the group end with it too. */
  mark?: string;
  /** An extra pipe whose end tells the program's guardian that this server is gone; see guarded.ts. */
  guardPipe?: boolean;
}

export interface ProcessOutcome {
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  stdout: string;
  stderr: string;
  truncated: boolean;
  /** Set where it was ended for taking too much. */
  excess?: Excess;
}

/** Between asking a program to end and ending it. */
const graceMs = 1_000;
/** How long output is awaited after the program ended while something it left behind holds the pipe. */
const drainMs = 300;
/** Live text is gathered for so long, so that a line is not sent a byte at a time. */
const gatherMs = 25;

/** Resolves when the program and all of its group have ended. Rejects when it cannot be started. */
export function runProcess(spec: ProcessSpec): Promise<ProcessOutcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(spec.file, spec.args, {
      cwd: spec.cwd,
      env: spec.mark === undefined ? spec.env : { ...spec.env, [markName]: spec.mark },
      detached: true,
      stdio: [
        spec.input === undefined ? "ignore" : "pipe",
        "pipe",
        "pipe",
        ...(spec.guardPipe ? (["pipe"] as const) : []),
      ],
    });
    const stdout = new OutputCollector(spec.maxOutputBytes);
    const stderr = new OutputCollector(spec.maxOutputBytes);
    const live = new LiveOutput(spec);
    let timedOut = false;
    let exit: { code: number | null; signal: string | null } | undefined;
    let excess: Excess | undefined;
    const timers: NodeJS.Timeout[] = [];

    const kill = (name: NodeJS.Signals) => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, name);
      } catch {
        // The group is gone already.
      }
    };
    const end = () => {
      if (exit) return;
      kill("SIGTERM");
      timers.push(setTimeout(() => kill("SIGKILL"), graceMs));
    };
    const unwatch =
      spec.caps && child.pid !== undefined
        ? watchProcesses(child.pid, spec.caps, (found) => {
            excess = found;
            kill("SIGKILL");
          })
        : () => undefined;
    timers.push(
      setTimeout(() => {
        timedOut = true;
        end();
      }, spec.timeoutMs),
    );
    if (spec.signal?.aborted) end();
    spec.signal?.addEventListener("abort", end);

    const finish = () => {
      for (const timer of timers) clearTimeout(timer);
      spec.signal?.removeEventListener("abort", end);
      live.flush(true);
      const shared = shareOutput(
        spec.maxOutputBytes,
        stdout,
        stderr,
        spec.keepControls ? (text) => text : stripAnsi,
      );
      resolve({
        ...{ exitCode: exit?.code ?? null, signal: exit?.signal ?? null, timedOut, ...shared },
        ...(excess === undefined ? {} : { excess }),
      });
    };
    child.once("error", (error) => {
      unwatch();
      for (const timer of timers) clearTimeout(timer);
      spec.signal?.removeEventListener("abort", end);
      reject(error);
    });
    collect(child.stdout, stdout, (chunk) => live.push("stdout", chunk));
    collect(child.stderr, stderr, (chunk) => live.push("stderr", chunk));
    child.once("exit", (code, signal) => {
      exit = { code, signal };
      // What a command leaves running in the background ends with it.
      unwatch();
      kill("SIGKILL");
      if (spec.mark !== undefined) endMarked(`${markName}=${spec.mark}`);
      timers.push(
        setTimeout(() => {
          child.stdout?.destroy();
          child.stderr?.destroy();
        }, drainMs),
      );
      for (const stream of child.stdio.slice(3)) stream?.destroy();
    });
    child.once("close", finish);
    if (spec.input !== undefined && child.stdin) {
      child.stdin.on("error", () => undefined);
      child.stdin.end(spec.input);
    }
  });
}

function collect(
  stream: Readable | null,
  collector: OutputCollector,
  onChunk: (chunk: Buffer) => void,
): void {
  stream?.on("error", () => undefined);
  stream?.on("data", (chunk: Buffer) => {
    collector.push(chunk);
    onChunk(chunk);
  });
}

type StreamName = "stdout" | "stderr";

/** Live text, gathered and in order; stops at the limit, since the result brings head and tail. */
class LiveOutput {
  readonly #spec: ProcessSpec;
  readonly #decoders = { stdout: new Utf8Chunks(), stderr: new Utf8Chunks() };
  #waiting: { stream: StreamName; offset: number; text: string }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sentBytes = 0;

  constructor(spec: ProcessSpec) {
    this.#spec = spec;
  }

  push(stream: StreamName, chunk: Buffer): void {
    if (!this.#spec.onOutput || this.#sentBytes >= this.#spec.maxOutputBytes) return;
    const part = chunk.subarray(0, this.#spec.maxOutputBytes - this.#sentBytes);
    this.#sentBytes += part.length;
    const piece = this.#decoders[stream].push(part);
    if (!piece) return;
    const last = this.#waiting.at(-1);
    if (last?.stream === stream) last.text += piece.text;
    else this.#waiting.push({ stream, ...piece });
    this.#timer ??= setTimeout(() => this.flush(false), gatherMs);
  }

  flush(last: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (last) {
      for (const stream of ["stdout", "stderr"] as const) {
        const piece = this.#decoders[stream].end();
        if (piece) waiting.push({ stream, ...piece });
      }
    }
    for (const { stream, offset, text } of waiting) this.#spec.onOutput?.(stream, offset, text);
  }
}
