// GET and PUT /v1/sandboxes/:id/archive: the workspace as tar.gz, git-ignored files and git's own folder aside.
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { Hono } from "hono";
import { HandrailError } from "../../shared/errors.ts";
import { unpack } from "../archive/unpack.ts";
import type { ServerContext } from "../context.ts";
import { ready } from "../sandbox.ts";
import { Snapshots } from "../workspace/snapshots.ts";
import type { Env } from "./answers.ts";

export function archiveRoutes(app: Hono<Env>, server: ServerContext): void {
  app.get("/v1/sandboxes/:id/archive", async (c) => {
    const { folder, record } = await ready(await server.registry.get(c.req.param("id")));
    if (!Snapshots.available)
      throw new HandrailError(
        "unsupported",
        "Archives need git, which is not installed where the sandbox runs.",
      );
    const tar = await folder.snapshots.tar();
    const body = Readable.toWeb(tar.pipe(createGzip()));
    const name = record.workspace.replace(/[^A-Za-z0-9._-]+/g, "-");
    return new Response(body as ReadableStream<Uint8Array>, {
      headers: {
        "content-type": "application/gzip",
        "content-disposition": `attachment; filename="${name}.tar.gz"`,
      },
    });
  });

  app.put("/v1/sandboxes/:id/archive", async (c) => {
    const { folder } = await ready(await server.registry.get(c.req.param("id")));
    if (c.req.query("access") === "readonly")
      throw new HandrailError(
        "readonly",
        "An archive changes the workspace, and this request may only read.",
      );
    const archive = Buffer.from(await c.req.arrayBuffer());
    const entries = await folder.lock.with("change", () => unpack(folder.root, archive));
    return c.json({ entries });
  });
}
