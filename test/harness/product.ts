// Starts the whole product as a person does, on a free port with its own state folder, and ends it again.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { allGone, descendantsOf } from "./processes.ts";

export type Runtime = "node" | "workerd" | "deno";

export interface ProductOptions {
  runtime?: Runtime;
  /**
   * Variables besides PORT, HANDRAIL_STATE and HANDRAIL_RUNTIME. The test's own environment is not passed on.
   */
  env?: Readonly<Record<string, string>>;
}

export interface Product {
  /** Origin of the app, such as `http://127.0.0.1:40123`. */
  url: string;
  token: string;
  stateDir: string;
  /** Process id of the launcher, which is the parent of every server. */
  pid: number;
  /** All output so far. */
  logs(): string;
  /** Ends the product as Ctrl-C does, waits for its end, and removes the state folder. */
  close(): Promise<void>;
  /** Sends `signal` to the launcher and waits until all its processes have ended. The state folder stays. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const passedOn = ["PATH", "HOME", "TMPDIR", "LANG", "TZ", "USER"];

/** Rejects with the output if the product ends before it is ready. */
export async function startProduct({ runtime = "node", env = {} }: ProductOptions = {}): Promise<Product> {
  const ownState = env.HANDRAIL_STATE === undefined;
  const stateDir = env.HANDRAIL_STATE ?? (await mkdtemp(join(tmpdir(), "handrail-state-")));
  const started = runStart({ PORT: "0", HANDRAIL_STATE: stateDir, HANDRAIL_RUNTIME: runtime, ...env });
  const url = await started.ready;
  const { pid } = started.child;
  if (url === undefined || pid === undefined) throw new Error(`Handrail did not start:\n${started.logs()}`);
  const kill = async (signal: NodeJS.Signals) => {
    const servers = descendantsOf(pid);
    started.child.kill(signal);
    await started.exit;
    // The servers end on their own when the launcher is gone. Until then they hold port and state folder.
    await allGone(servers);
  };
  return {
    url,
    token: /#pair=(\S+)/.exec(started.logs())?.[1] ?? "",
    stateDir,
    pid,
    logs: started.logs,
    kill,
    async close() {
      await kill("SIGTERM");
      if (ownState) await rm(stateDir, { recursive: true, force: true });
    },
  };
}

/**
 * A port for a product that is ended and restarted. The system must not give it to others meanwhile, so it is
 * below its ephemeral ports (above 32,767 on Linux and above 49,151 elsewhere).
 */
export async function lastingPort(): Promise<string> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const probe = createServer();
    const free = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!free) continue;
    await new Promise((resolve) => probe.close(resolve));
    return String(port);
  }
}

export interface StartRun {
  child: ChildProcess;
  /** The URL of the ready line, or undefined if the program ended without one. */
  ready: Promise<string | undefined>;
  exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  logs(): string;
}

/**
 * Runs the script of `npm start`, or another one, with exactly `env` besides a person's basic variables. Ends
 * with the test's process.
 */
export function runStart(env: Readonly<Record<string, string>>, script = "scripts/start.ts"): StartRun {
  const basics = Object.fromEntries(
    passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
  const child = spawn(process.execPath, ["--import", "tsx", script], {
    cwd: root,
    // Under npm, the launcher watches its parent, so that no test run leaves a server behind. XDG_CONFIG_HOME
    // keeps it from reading a developer's own config.json.
    env: { ...basics, npm_lifecycle_event: "start", XDG_CONFIG_HOME: "/nonexistent", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  const ready = new Promise<string | undefined>((resolve) => {
    const take = (chunk: string) => {
      printed += chunk;
      const url = /^ready (\S+)$/m.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    void exit.then(() => resolve(undefined));
  });
  return { child, ready, exit, logs: () => printed };
}
