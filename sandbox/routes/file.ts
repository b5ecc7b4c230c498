// GET /v1/sandboxes/:id/file: the bytes of one file, with ETag and Range.
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { HandrailError } from "../../shared/errors.ts";
import type { ServerContext } from "../context.ts";
import * as limits from "../limits.ts";
import { fsError } from "../paths/fs-error.ts";
import { openFile } from "../paths/inside.ts";
import { relativePath } from "../paths/relative-path.ts";
import { ready } from "../sandbox.ts";
import type { Router } from "./router.ts";

export function fileRoute(app: Router, server: ServerContext): void {
  app.get("/v1/sandboxes/:id/file", async (c) => {
    const asked = c.query("path");
    if (!asked) throw new HandrailError("invalid_request", "path: missing; name a file of the workspace.");
    const path = relativePath(asked);
    const { folder } = await ready(await server.registry.get(c.param("id")));
    const { handle, stat } = await openFile(folder.root, path);
    try {
      const tag = `"sha256:${await hashOf(handle)}"`;
      const headers = {
        etag: tag,
        "accept-ranges": "bytes",
        "x-content-type-options": "nosniff",
        "content-type": "application/octet-stream",
      };
      if (
        c.request.headers
          .get("if-none-match")
          ?.split(",")
          .some((one) => one.trim().replace(/^W\//, "") === tag)
      )
        return new Response(null, { status: 304, headers });
      const range = rangeOf(c.request.headers.get("range"), stat.size);
      if (range === "beyond") {
        const error = new HandrailError("invalid_request", `range: the file has ${stat.size} bytes.`).toInfo(
          c.requestId,
        );
        return Response.json(
          { error },
          { status: 416, headers: { "content-range": `bytes */${stat.size}` } },
        );
      }
      const { start, end } = range ?? { start: 0, end: stat.size };
      if (end - start > limits.fileResponseBytes) {
        throw new HandrailError(
          "too_large",
          `${stat.size} bytes are too many for one answer. Ask for parts of at most ${limits.fileResponseBytes} with Range.`,
        );
      }
      const bytes = Buffer.alloc(end - start);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
      const body = new Uint8Array(bytes.subarray(0, bytesRead));
      if (!range) return new Response(body, { headers });
      const part = { ...headers, "content-range": `bytes ${start}-${end - 1}/${stat.size}` };
      return new Response(body, { status: 206, headers: part });
    } catch (error) {
      throw fsError(error, path);
    } finally {
      await handle.close();
    }
  });
}

async function hashOf(handle: FileHandle): Promise<string> {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(1024 * 1024);
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return hash.digest("hex");
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}

/**
 * One range of bytes, `end` excluded; undefined = the whole file (there is no header, or it is not supported:
 * RFC 9110 14.2).
 */
function rangeOf(header: string | null, size: number): { start: number; end: number } | "beyond" | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  if (!match) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  if (first === "")
    return Number(last) === 0 ? "beyond" : { start: Math.max(0, size - Number(last)), end: size };
  const start = Number(first);
  const end = last === "" ? size : Math.min(size, Number(last) + 1);
  if (start >= size) return "beyond";
  return end <= start ? undefined : { start, end };
}
