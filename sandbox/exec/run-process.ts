// Runs one program in its own process group: its output, its limits, its end. Knows nothing about jails or
// the protocol's calls.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { type Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { nothingSecret, type Redactor } from "../../shared/redact/redactor.ts";
import { type Gate, openGate } from "../jail/process-limit.ts";
import { stripAnsi } from "./ansi.ts";
import { type KillReach, markName } from "./guarded.ts";
import { LiveOutputSender } from "./live-output.ts";
import { OutputCollector, shareOutput } from "./output-collector.ts";
import {
  type Caps,
  type DiskWatcher,
  type Excess,
  endMarked,
  watchDisk,
  watchProcesses,
} from "./process-watch.ts";

export interface ProcessSpec {
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  timeoutMs: number;
  maxOutputBytes: number;
  /** Ends the program early. */
  signal?: AbortSignal;
  /** Text for the program's stdin, which is closed without it. */
  input?: string;
  /**
   * Live output in the order of its arrival: the first `liveBytes` of it, or `maxOutputBytes` if that is not
   * given.
   */
  liveBytes?: number;
  onOutput?(stream: "stdout" | "stderr", offset: number, text: string): void;
  /** true = escape sequences and control characters stay in the outcome. */
  keepControls?: boolean;
  /** Removes secrets from live output and outcome; without it they stay. */
  redactor?: Redactor;
  /**
   * The maximum memory and processes of the program's processes together. They are ended as soon as they
   * exceed it.
   */
  caps?: Caps;
  /** Tells whether the program has taken more disk space than it may; it is then ended too. */
  disk?: DiskWatcher;
  /** Set in the environment of the program's processes, so that those that leave the group are ended too. */
  mark?: string;
  /** An extra pipe to the program's guardian, which closes when this server dies; see guarded.ts. */
  guard?: KillReach;
  /**
   * Bubblewrap holds the command back until this gate has been called with the first process of its jail; see
   * process-limit.ts.
   */
  gate?: Gate;
  /**
   * Called once when the program has ended or could not be started. Returns the limit for which the kernel
   * ended it, if it did.
   */
  afterEnd?(): Promise<Excess | undefined>;
  /** A file that the program finds open for reading as `givenFileDescriptor`. */
  givenFile?: string;
}

/** The descriptors before it are the standard streams, the guardian's pipe and the gate's two. */
export const givenFileDescriptor = 6;

export interface ProcessOutcome {
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  stdout: string;
  stderr: string;
  truncated: boolean;
  /** Set if the program was ended for taking too much. */
  excess?: Excess;
}

/** Time between asking a program to end and killing it. */
const graceMs = 1_000;
/**
 * How long to wait for output after the program has ended while a process that it left holds the pipe open.
 */
const drainMs = 300;

/**
 * Another program's fork bomb can use up every process id of the machine for a moment. How often to retry,
 * each time after a pause.
 */
const spawnTries = 20;
const spawnPauseMs = 250;

/** Starts the program. Rejects if it cannot be started. */
async function started(spec: ProcessSpec, tries = spawnTries): Promise<ChildProcess> {
  // A guardian with the reach `all` kills every process that it can see.
  if (spec.guard === "all" && !spec.args.includes("--unshare-pid")) throw new Error("no jail");
  // Opened for each program, because programs that share a descriptor share its read position.
  const given = spec.givenFile === undefined ? undefined : openSync(spec.givenFile, "r");
  const child = spawn(spec.file, spec.args, {
    cwd: spec.cwd,
    env: spec.mark === undefined ? spec.env : { ...spec.env, [markName]: spec.mark },
    detached: true,
    stdio: [
      spec.input === undefined ? "ignore" : "pipe",
      "pipe",
      "pipe",
      spec.guard ? "pipe" : "ignore",
      ...(spec.gate ? (["pipe", "pipe"] as const) : (["ignore", "ignore"] as const)),
      ...(given === undefined ? [] : [given]),
    ],
  });
  if (given !== undefined) closeSync(given);
  if (child.pid !== undefined) return child;
  const [error] = await once(child, "error");
  if (error.code !== "EAGAIN" || tries === 0 || spec.signal?.aborted) throw error;
  await wait(spawnPauseMs);
  return started(spec, tries - 1);
}

/** Resolves when the program and its whole group have ended. Rejects if it cannot be started. */
export async function runProcess(spec: ProcessSpec): Promise<ProcessOutcome> {
  const child = await started(spec).catch(async (error) => {
    await spec.afterEnd?.().catch(() => undefined);
    throw error;
  });
  return new Promise((resolve, reject) => {
    const stdout = new OutputCollector(spec.maxOutputBytes);
    const stderr = new OutputCollector(spec.maxOutputBytes);
    const { redactor = nothingSecret, onOutput } = spec;
    const live = onOutput && new LiveOutputSender(spec.liveBytes ?? spec.maxOutputBytes, redactor, onOutput);
    let timedOut = false;
    let exit: { code: number | null; signal: string | null } | undefined;
    let excess: Excess | undefined;
    const timers: NodeJS.Timeout[] = [];

    const [guardian, ...gatePipes] = child.stdio.slice(3);
    guardian?.on("error", () => undefined);

    const kill = (name: NodeJS.Signals) => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, name);
      } catch {
        // The process group has already exited.
      }
    };
    const end = () => {
      if (exit) return;
      // A signal to bubblewrap would end its jail at once. The guardian passes the request on instead.
      if (spec.guard === "all" && guardian instanceof Writable) guardian.write("\n");
      else kill("SIGTERM");
      // Once the program has exited, its process number may belong to another one.
      timers.push(setTimeout(() => exit ?? kill("SIGKILL"), graceMs));
    };
    const tooMuch = (found: Excess) => {
      excess ??= found;
      kill("SIGKILL");
    };
    const watches: (() => void)[] = [];
    if (spec.caps && child.pid !== undefined) watches.push(watchProcesses(child.pid, spec.caps, tooMuch));
    if (spec.disk && child.pid !== undefined) watches.push(watchDisk(child.pid, spec.disk, tooMuch));
    const unwatch = () => {
      for (const end of watches) end();
    };
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
      live?.end();
      const shared = shareOutput(...([spec.maxOutputBytes, stdout, stderr] as const), {
        clean: spec.keepControls ? (text) => text : stripAnsi,
        redactor,
      });
      resolve({
        ...{ exitCode: exit?.code ?? null, signal: exit?.signal ?? null, timedOut, ...shared },
        ...(excess === undefined ? {} : { excess }),
      });
    };
    const ended = () => spec.afterEnd?.().catch(() => undefined) ?? Promise.resolve(undefined);
    const fail = (error: Error) => {
      unwatch();
      void ended();
      for (const timer of timers) clearTimeout(timer);
      spec.signal?.removeEventListener("abort", end);
      reject(error);
    };
    child.once("error", fail);
    if (spec.gate && child.pid !== undefined)
      openGate(spec.gate, gatePipes).catch((error: Error) => {
        if (exit) return;
        kill("SIGKILL");
        fail(error);
      });
    collect(child.stdout, stdout, (chunk) => live?.push("stdout", chunk));
    collect(child.stderr, stderr, (chunk) => live?.push("stderr", chunk));
    child.once("exit", (code, signal) => {
      exit = { code, signal };
      // Processes that a command left running in the background are ended too.
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
    child.once("close", () => {
      void ended().then((found) => {
        excess ??= found;
        // Bubblewrap would report this as an exit code.
        if (found !== undefined) exit = { code: null, signal: "SIGKILL" };
        finish();
      });
    });
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
