// Starts one of our server processes, waits for its ready line, and reports its end. The process ends with this one.
import { type ChildProcess, spawn } from "node:child_process";

export interface ChildSpec {
  /** A name for people: "The sandbox server". */
  name: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

export interface Child {
  name: string;
  /** The URL from its line `… ready URL`. */
  url: string;
  /** Resolves with a description of how it ended. */
  ended: Promise<string>;
  /** Asks the process to end, and kills it after `graceMs`. */
  end(graceMs?: number): Promise<void>;
}

/** Rejects with a one-line message if the process ends before it is ready. */
export function startChild({ name, command, args, env }: ChildSpec): Promise<Child> {
  // Nothing is written to the child's stdin. When this process ends, even by kill -9, the pipe closes and the child
  // ends too.
  const child = spawn(command, [...args], { env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => undefined);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ? `signal ${signal}` : `code ${code}`));
  });
  return new Promise((resolve, reject) => {
    let ready = false;
    // Its error output is collected until it is ready, because it says why the process could not start.
    const complaints: string[] = [];
    onLine(child.stderr, (line) => {
      if (ready) process.stderr.write(`${line}\n`);
      else complaints.push(line);
    });
    onLine(child.stdout, (line) => {
      const url = /\bready (https?:\/\/\S+)/.exec(line)?.[1];
      if (ready || url === undefined) {
        process.stdout.write(`${line}\n`);
        return;
      }
      ready = true;
      for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
      resolve({ name, url, ended, end: (graceMs) => end(child, ended, graceMs) });
    });
    void ended.then((how) => {
      const why = complaints.join("\n").trim() || `it ended with ${how}`;
      reject(new Error(`${name} did not start: ${why}`));
    });
  });
}

async function end(child: ChildProcess, ended: Promise<string>, graceMs = 3_000): Promise<void> {
  child.stdin?.end();
  const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await ended;
  clearTimeout(timer);
}

function onLine(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
  stream.on("end", () => {
    if (rest !== "") take(rest);
  });
}
