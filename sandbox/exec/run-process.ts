// Runs one program in its own process group: output, limits, ending. Knows nothing about jails or of the protocol's
// calls.
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
  /** Text for its stdin; without it stdin is closed. */
  input?: string;
  /** Live output in the order of its arrival, the first `liveBytes` of it: without that, `maxOutputBytes`. */
  liveBytes?: number;
  onOutput?(stream: "stdout" | "stderr", offset: number, text: string): void;
  /** Leaves escape sequences and control characters in the outcome. */
  keepControls?: boolean;
  /** Takes secrets out of live output and outcome; without it they stay. */
  redactor?: Redactor;
  /** What its processes may take together; beyond it they are ended at once. */
  caps?: Caps;
  /** Says whether it has taken more disk than it may; then it is ended as well. */
  disk?: DiskWatcher;
  /** Set in the environment of its processes, so that those which leave the group are ended too. */
  mark?: string;
  /** An extra pipe to the program's guardian, which closes when this server dies; see guarded.ts. */
  guard?: KillReach;
  /** Bubblewrap holds the command back until this is done with the first process of its jail; see process-limit.ts. */
  gate?: Gate;
  /** Called once when the program has ended, or could not be started; says whether the kernel ended it for taking too much. */
  afterEnd?(): Promise<Excess | undefined>;
  /** A file that the program finds open for reading as `givenFileDescriptor`. */
  givenFile?: string;
}

/** The descriptor after the standard streams, the guardian's pipe and the gate's. */
export const givenFileDescriptor = 6;

export interface ProcessOutcome {
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  stdout: string;
  stderr: string;
  truncated: boolean;
  /** Set if it was ended for taking too much. */
  excess?: Excess;
}

/** Between asking a program to end and ending it. */
const graceMs = 1_000;
/** How long to wait for output after the program ended while a process it left holds the pipe. */
const drainMs = 300;

/**
 * Another program's fork bomb uses up every process id of the machine for a moment. How often to retry, each time after
 * a pause.
 */
const spawnTries = 20;
const spawnPauseMs = 250;

/** The program as it begins. Rejects when it cannot be started. */
async function started(spec: ProcessSpec, tries = spawnTries): Promise<ChildProcess> {
  // Such a guardian kills all that it sees.
  if (spec.guard === "all" && !spec.args.includes("--unshare-pid")) throw new Error("no jail");
  // Opened for each program: those that share one would share how far it was read.
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

/** Resolves when the program and all of its group have ended. Rejects when it cannot be started. */
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
      // A signal to bubblewrap would end its jail at once: there the guardian passes it on.
      if (spec.guard === "all" && guardian instanceof Writable) guardian.write("\n");
      else kill("SIGTERM");
      // Once it is gone its number may be another program's.
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
    child.once("close", () => {
      void ended().then((found) => {
        excess ??= found;
        // Bubblewrap tells of it in its own way, by an exit code.
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
