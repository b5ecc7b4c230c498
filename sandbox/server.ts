// Starts and stops a sandbox server in this process. The command line is in main.ts.
import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, readFile, realpath, rm, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createRedactor } from "../shared/redact/redactor.ts";
import { stateFormat } from "../shared/state-format.ts";
import { createApp } from "./app.ts";
import { type ServerContext, type ServerOptions, uploadsIn } from "./context.ts";
import { commandPath, findProgram, runNothingIn } from "./exec/environment.ts";
import { writeGitConfig } from "./exec/git-config.ts";
import { removeHalves } from "./files.ts";
import { endAbandonedJails } from "./jail/abandoned-jails.ts";
import { shownFolders } from "./jail/jail.ts";
import { tryJail } from "./jail/jail-trial.ts";
import { Guard } from "./jail/protected-guard.ts";
import { findToolchains, type Toolchains } from "./jail/toolchains.ts";
import * as limits from "./limits.ts";
import { networksIn } from "./network/command-network.ts";
import { type Reach, systemReach } from "./network/reach.ts";
import { tryTaps } from "./network/tap-trial.ts";
import { recoverIntents } from "./ops/change/intent.ts";
import { isInside } from "./paths/inside.ts";
import { Registry } from "./registry.ts";
import { requestOf, send } from "./request-of.ts";
import { diffRedactor } from "./secrets/diff-redactor.ts";
import { StateBudget } from "./state-budget.ts";
import { lockState } from "./state-lock.ts";
import { IdlePacking } from "./workspace/idle-packing.ts";

export interface RunningServer {
  port: number;
  /** Ends running calls, waits until their results are recorded, and closes. */
  close(): Promise<void>;
  /** Whether nothing runs and only GET requests arrived in the last `ms`. */
  isIdle(ms: number): Promise<boolean>;
  /**
   * Resolves when another server has taken the state folder, or another folder has replaced it. Nothing more
   * may be written then.
   */
  lost: Promise<void>;
}

/** A problem with the options, reported to the person who started the server. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/**
 * `reach`: turns the names of hosts that commands ask for into connections; tests pass their own. `now`: the
 * clock, in milliseconds since the epoch.
 */
export async function startServer(
  options: ServerOptions,
  now: () => number = () => Date.now(),
  reach: Reach = systemReach,
): Promise<RunningServer> {
  const served = options.workspace === undefined ? undefined : await servedFolder(options.workspace);
  // Checked before anything is written. `npm start` tells a person the same (scripts/launch/state-format.ts).
  const format = await readFile(join(options.state, "format"), "utf8").catch(() => 1);
  if (!(Number(format) <= stateFormat))
    throw stateError(`A newer Handrail wrote the state folder ${options.state}. Start that one, or choose`);
  await mkdir(join(options.state, "sandboxes"), { recursive: true, mode: 0o700 });
  const state = await realpath(options.state);
  if (served !== undefined && isInside(served, state))
    throw stateError(`The state folder ${state} lies inside the workspace. Choose`);
  if (served !== undefined && isInside(state, served))
    throw stateError(`The state folder ${state} holds the workspace. Choose`);
  const tools = shownTools(options, state);
  runNothingIn(served === undefined ? [state] : [state, served]);
  let lose: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  const lock = await lockState(state, lose);
  if (!lock) throw stateError(`Another sandbox server uses the state folder ${state}. Stop it, or choose`);
  await removeHalves(state);
  await writeGitConfig(state);
  const shutdown = new AbortController();
  // Every reader of a journal adds a listener, which would exceed Node's limit for a warning.
  setMaxListeners(0, shutdown.signal);
  const newId = () => randomBytes(12).toString("base64url");
  const log: ServerContext["log"] = (entry) => process.stderr.write(`${JSON.stringify(entry)}\n`);
  const journal = {
    now,
    warn: (message: string) => log({ level: "warn", message }),
    mayWrite: () => lock.check(),
  };
  const jail = await tryJail(state, tools, options.commandBytes);
  const registry = new Registry({
    state,
    served,
    network: options.network,
    privateSources: options.privateSources,
    diskQuotaBytes: options.diskQuotaBytes,
    ...{ jail, newId, journal },
  });
  const budget = new StateBudget({
    state,
    maxBytes: options.stateBytes ?? limits.stateBytes,
    free: () => registry.folders.pack(),
  });
  endAbandonedJails();
  await registry.sweep();
  await rm(networksIn(state), { recursive: true, force: true });
  await rm(uploadsIn(state), { recursive: true, force: true });
  // Finishes or undoes changes that a killed server had begun, before anything reads the files.
  for await (const { root, dir } of registry.folders.kept()) {
    await recoverIntents(root, join(dir, "intents"));
    // A command that was running then may have left files that have not been swept.
    const guard = new Guard(root, dir, registry.folders.made);
    await guard.removeLeft();
    await guard.recover().catch((error: Error) => journal.warn(error.message));
  }
  const networks = { hosts: options.networkHosts, reach, tap: jail && (await tryTaps(jail)) };
  if (options.network === "full" && jail && !networks.tap)
    log({
      level: "warn",
      message: "network full: no pasta or slirp4netns works here: commands go through a proxy",
    });
  const context: ServerContext = {
    options: { ...options, state, workspace: served },
    registry,
    ...{ jail, networks, budget },
    redactor: diffRedactor(createRedactor([options.token])),
    rg: process.env.HANDRAIL_NO_RG === "1" ? undefined : findProgram("rg"),
    ...{ now, newId, log },
    running: new Set(),
    shutdown: shutdown.signal,
  };
  const packing = new IdlePacking({
    folders: registry.folders,
    isBusy: () => context.running.size > 0,
    everyMs: options.packEveryMs ?? limits.packEveryMs,
    warn: journal.warn,
  });
  const app = createApp(context);
  const use = { open: 0, at: performance.now() };
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // GET requests do not count as use, because a phone polls while its app is open.
    if (incoming.method !== "GET") {
      use.open += 1;
      outgoing.once("close", () => {
        use.open -= 1;
        use.at = performance.now();
      });
    }
    const response = await app(requestOf(incoming, outgoing));
    if (outgoing.destroyed) await response.body?.cancel();
    else await send(response, outgoing);
  };
  const server = createServer((incoming, outgoing) => {
    // Stops reading a body that has no consumer any more. Node would read it to its end, before and after the
    // answer.
    incoming.on("data", () => incoming.listenerCount("data") === 1 && incoming.pause());
    outgoing.once("finish", () => {
      if (incoming.complete) return;
      incoming.pause();
      // If the rest arrived after all, the connection may already carry its next request.
      setTimeout(() => incoming.complete || incoming.destroy(), flushMs).unref();
    });
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  // Streams carry pings, so a client that reads none of them for this long is gone.
  server.setTimeout(silentMs);
  server.requestTimeout = uploadMs;
  server.keepAliveTimeout = keepAliveMs;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    lost,
    async isIdle(ms) {
      if (use.open + context.running.size > 0 || performance.now() - use.at < ms) return false;
      const opened = await registry.opened();
      return !opened.some(({ preparing, background }) => preparing || background.running.length > 0);
    },
    async close() {
      shutdown.abort();
      await packing.end();
      await registry.endCalls();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.allSettled(context.running);
      // Clients that are still reading get the last lines; idle connections do not keep the server running.
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), flushMs);
      await closed;
      clearTimeout(cut);
      await lock.release();
    },
  };
}

/**
 * When the server stops, how long clients have to read the last lines of a stream. Also how long a client has
 * to finish a request whose answer is already sent.
 */
const flushMs = 500;
/** How long a connection may be silent in both directions. */
const silentMs = 5 * 60_000;
/**
 * How long one request may take to arrive. Node's five minutes are too short for an archive over a phone's
 * connection.
 */
const uploadMs = 60 * 60_000;
/**
 * How long an idle connection stays open: longer than the edge's hosts keep one for their next request (90 s
 * in Deno). Otherwise a request could arrive just as the connection closes, and be lost. Node's default is
 * five seconds.
 */
const keepAliveMs = 150_000;

function stateError(what: string): StartError {
  return new StartError(`${what} another folder with --state or HANDRAIL_STATE.`);
}

async function servedFolder(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || !(await stat(real)).isDirectory()) {
    throw new StartError(
      `The workspace ${path} is not a folder. Name an existing one with --workspace or HANDRAIL_WORKSPACE.`,
    );
  }
  if (real === "/")
    throw new StartError("The workspace is the root of the file system. Choose a project folder.");
  return real;
}

/** Searched once at the start, because the PATH is the server's own. */
function shownTools({ tools: extra }: ServerOptions, state: string): Toolchains {
  const home = realpathSync(homedir());
  const path = extra === "none" ? [dirname(process.execPath), ...shownFolders] : commandPath();
  if (extra !== "none") {
    for (const folder of extra) {
      const real = existsSync(folder) ? realpathSync(folder) : undefined;
      if (real === undefined || [home, state].some((kept) => isInside(real, kept)) || isInside(state, real))
        throw new StartError(`--tools: ${folder} is missing, or holds the home or the state folder.`);
    }
  }
  const { execPath: node, env } = process;
  return findToolchains({ home, path, node, system: shownFolders, hidden: [state], extra, env });
}
