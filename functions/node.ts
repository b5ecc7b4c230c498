// Serves the edge on Node: the app with @hono/node-server, the page from dist/pwa. Ends with its parent process if
// asked to.
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { compress } from "hono/compress";
import { toHandrailError } from "../shared/errors.ts";
import { createApp } from "./app.ts";
import { compressStreams } from "./compress-streams.ts";
import { depsFromEnv } from "./env.ts";
import { takeUpLeft, withKeeper } from "./live/left-turns.ts";
import { spendingFile } from "./node-spending.ts";
import { clientAddress } from "./routes/client-address.ts";
import { serveAssets } from "./static.ts";

const hostname = process.env.HANDRAIL_HOST || "127.0.0.1";
const pageFolder = process.env.HANDRAIL_PAGE || fileURLToPath(new URL("./pwa", import.meta.url));
/** The sandbox server, for guests whose image does not contain it. */
const serverPath = fileURLToPath(new URL("./sandbox.mjs", import.meta.url));
/**
 * Longer than a tunnel or proxy in front keeps an idle connection (90 s); otherwise a request sent while it closes
 * would be lost.
 */
const keepAliveMs = 150_000;

function start(): void {
  const host = { runtime: "node", continuesUnattended: true, sharesTurns: true } as const;
  const dial = async () => (await import("./node-dial.ts")).dial;
  const fileOf = async (text: string) => (await import("./node-dial.ts")).fileOf(text);
  const serverFile = async () => new Uint8Array(await readFile(serverPath));
  const { HANDRAIL_GUEST_SPENT_FILE: spentFile } = process.env;
  const machine = {
    ...{ keepsRunning: true, loopbacks: process.platform === "linux" },
    ...(spentFile ? { spending: spendingFile(spentFile) } : {}),
  };
  const deps = withKeeper(depsFromEnv(process.env, host, {}, { ...machine, dial, fileOf, serverFile }));
  void takeUpLeft(deps);
  const app = createApp(
    deps,
    serveAssets(readPageFile),
    (c) => clientAddress(c.req.raw, getConnInfo(c).remote.address),
    [compress(), compressStreams],
  );
  const server = serve({ fetch: app.fetch, hostname, port: Number(process.env.PORT || 8787) }, announce);
  if ("keepAliveTimeout" in server) server.keepAliveTimeout = keepAliveMs;
  server.on("error", (error) => fail(error.message));
}

async function readPageFile(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return readFile(join(pageFolder, path)).catch(() => undefined);
}

function announce({ port }: AddressInfo): void {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  console.log(`edge ready http://${host}:${port}`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

if (process.argv.includes("--exit-with-parent")) {
  // The launcher holds the other end of stdin and never writes to it: when stdin closes, the launcher has exited.
  process.stdin.on("end", () => process.exit(0)).resume();
}
try {
  start();
} catch (error) {
  fail(toHandrailError(error).message);
}
