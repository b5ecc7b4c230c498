// Serves the edge on Deno: the app with Deno.serve, the page from the folder next to this file.
import { compress } from "hono/compress";
import * as z from "zod/mini";
import { toHandrailError } from "../shared/errors.ts";
import { createApp } from "./app.ts";
import { compressStreams } from "./compress-streams.ts";
import { spendingFile } from "./deno-spending.ts";
import { depsFromEnv } from "./env.ts";
import { takeUpLeft, withKeeper } from "./live/left-turns.ts";
import { clientAddress } from "./routes/client-address.ts";
import { serveAssets } from "./static.ts";

/** The value that app.fetch gets with the request, and that routes find as their env. */
const Peer = z.object({ hostname: z.string() });

const hostname = Deno.env.get("HANDRAIL_HOST") || "127.0.0.1";
const pageFolder = new URL(Deno.env.get("HANDRAIL_PAGE") || "./pwa/", import.meta.url);

function start(): void {
  const host = { runtime: "deno", continuesUnattended: true, sharesTurns: true } as const;
  const spentFile = Deno.env.get("HANDRAIL_GUEST_SPENT_FILE");
  const machine = { keepsRunning: true, ...(spentFile ? { spending: spendingFile(spentFile) } : {}) };
  const deps = withKeeper(depsFromEnv(Deno.env.toObject(), host, {}, machine));
  void takeUpLeft(deps);
  const app = createApp(
    deps,
    serveAssets(readPageFile),
    (c) => clientAddress(c.req.raw, z.parse(Peer, c.env).hostname),
    [compress(), compressStreams],
  );
  Deno.serve(
    {
      hostname,
      port: Number(Deno.env.get("PORT") || 8787),
      onListen: ({ port }) => {
        console.log(`edge ready http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`);
      },
    },
    (request, { remoteAddr }) => app.fetch(request, remoteAddr),
  );
}

async function readPageFile(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return Deno.readFile(new URL(path, pageFolder)).catch(() => undefined);
}

async function endWithParent(): Promise<void> {
  // The launcher holds the other end of stdin and never writes to it: when stdin closes, the launcher has exited.
  for await (const _ of Deno.stdin.readable);
  Deno.exit(0);
}

if (Deno.args.includes("--exit-with-parent")) void endWithParent();
try {
  start();
} catch (error) {
  console.error(
    error instanceof Error && error.name === "HandrailError" ? error.message : toHandrailError(error).message,
  );
  Deno.exit(1);
}
