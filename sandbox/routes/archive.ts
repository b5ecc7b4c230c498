// GET and PUT /v1/sandboxes/:id/archive: the workspace as tar.gz, without git-ignored files and git's own
// folder.
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { HandrailError } from "../../shared/errors.ts";
import { unpack } from "../archive/unpack.ts";
import { type ServerContext, tracked, uploadsIn } from "../context.ts";
import * as limits from "../limits.ts";
import { ready, type Sandbox, unknownSandbox } from "../sandbox.ts";
import { neededGit } from "../workspace/git-process.ts";
import type { Router } from "./router.ts";

export function archiveRoutes(app: Router, server: ServerContext): void {
  app.get("/v1/sandboxes/:id/archive", async (c) => {
    const { folder, record } = await ready(await server.registry.get(c.param("id")));
    neededGit();
    const tar = await folder.snapshots.tar();
    const packed = createGzip();
    // If the reader leaves, git ends. If git fails, the response breaks off.
    pipeline(tar, packed).catch(() => undefined);
    const body = Readable.toWeb(packed);
    const name = record.workspace.replace(/[^A-Za-z0-9._-]+/g, "-");
    return new Response(body as ReadableStream<Uint8Array>, {
      headers: {
        "content-type": "application/gzip",
        "content-disposition": `attachment; filename="${name}.tar.gz"`,
      },
    });
  });

  app.put("/v1/sandboxes/:id/archive", async (c) => {
    const sandbox = await ready(await server.registry.get(c.param("id")));
    if (c.query("access") === "readonly")
      throw new HandrailError(
        "readonly",
        "An archive changes the workspace, and this request may only read.",
      );
    await server.budget.check();
    const work = takeIn(sandbox, server, c.request.body);
    return Response.json({ entries: await tracked(work, [sandbox.work, server.running]) });
  });
}

/**
 * Stores the upload in a file as it arrives, so that its size costs no memory, and unpacks it when it is
 * complete.
 */
async function takeIn(
  { folder, quota, ending }: Sandbox,
  server: ServerContext,
  body: ReadableStream<Uint8Array> | null,
): Promise<number> {
  const uploads = uploadsIn(server.options.state);
  await mkdir(uploads, { recursive: true, mode: 0o700 });
  const path = join(uploads, server.newId());
  try {
    // A server that stops does not wait for the rest of an upload, only for the write in progress.
    const signal = AbortSignal.any([ending.signal, server.shutdown]);
    // A stream can be aborted while it waits for its next part; a generator cannot.
    const parts = body ? Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) : Readable.from([]);
    await pipeline(parts, limited, createWriteStream(path, { mode: 0o600 }), { signal });
    return await folder.lock.with("change", async () => {
      if (ending.signal.aborted) throw unknownSandbox();
      const unpacked = () => unpack(folder.root, path, (bytes) => quota.check(bytes));
      if (!server.jail) return unpacked();
      // Files with plain names may form a repository, so the guard sweeps. A person sent the archive, so
      // editors' settings may be in it.
      const place = { mount: folder.root, repositories: [], editors: true };
      const guard = await folder.guard.begin({ ...place, writable: true });
      return unpacked().finally(() => guard.end().then(() => undefined));
    });
  } catch (error) {
    throw ending.signal.aborted ? unknownSandbox() : error;
  } finally {
    await rm(path, { force: true });
  }
}

async function* limited(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let total = 0;
  for await (const part of parts) {
    total += part.length;
    if (total > limits.archiveBytes)
      throw new HandrailError(
        "too_large",
        `The archive is above ${limits.archiveBytes} bytes. Send less at once.`,
      );
    yield part;
  }
}
