// The npm package as a stranger gets it: packed once, unpacked into an empty folder, and run with an empty
// home.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packInto } from "../../scripts/pack.ts";
import { allGone, descendantsOf } from "./processes.ts";

export interface Packed {
  /** The packed file, in a separate folder. */
  file: string;
  /** The unpacked package's program. */
  bin: string;
  /** An empty folder with a space in its name. `home` inside it is unused. */
  folder: string;
  home: string;
  remove(): void;
}

/** Runs `npm pack`, and unpacks the file as `npx` does. */
export async function packed(): Promise<Packed> {
  const root = mkdtempSync(join(tmpdir(), "handrail-packed-"));
  const folder = join(root, "a b");
  const file = await packInto(folder);
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  mkdirSync(join(root, "unpacked"));
  const done = spawnSync("tar", ["-xzf", file, "-C", join(root, "unpacked")]);
  if (done.status !== 0) throw new Error(String(done.stderr));
  const bin = join(root, "unpacked/package/dist/handrail.mjs");
  return { file, bin, folder, home, remove: () => rmSync(root, { recursive: true, force: true }) };
}

export interface PackedRun {
  child: ChildProcess;
  pid: number;
  /** All output so far. */
  logs(): string;
  /** The URL of the ready line, or undefined if the program ended without one. */
  ready: Promise<string | undefined>;
  code: Promise<number | null>;
  /**
   * Interrupts the program as Ctrl-C does, and waits until all its processes have ended. Does nothing if it
   * has ended already.
   */
  stop(): Promise<void>;
}

/**
 * Runs a program of the package with exactly `env` besides PATH and HOME. `typed`: text for its standard
 * input.
 */
export function runPacked(
  { folder, home }: Pick<Packed, "folder" | "home">,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
  typed?: string,
): PackedRun {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    cwd: folder,
    // Under npm, the launcher watches its parent, so that no test run leaves a server behind.
    env: { PATH: process.env.PATH ?? "", HOME: home, TMPDIR: tmpdir(), npm_lifecycle_event: "npx", ...env },
    stdio: [typed === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    // The program gets its own process group, as a terminal makes for each command.
    detached: true,
  });
  child.stdin?.write(typed ?? "");
  let printed = "";
  const code = new Promise<number | null>((resolve) => {
    child.once("error", (error) => {
      printed += error.message;
      resolve(null);
    });
    child.once("close", resolve);
  });
  const ready = new Promise<string | undefined>((resolve) => {
    const take = (text: string) => {
      printed += text;
      const url = /^ready (\S+)\r?$/m.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.setEncoding("utf8").on("data", take);
    child.stderr?.setEncoding("utf8").on("data", take);
    void code.then(() => resolve(undefined));
  });
  const pid = child.pid ?? -1;
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const servers = descendantsOf(pid);
    process.kill(-pid, "SIGINT");
    await code;
    await allGone(servers);
  };
  return { child, pid, logs: () => printed, ready, code, stop };
}
