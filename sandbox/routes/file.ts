// GET /v1/sandboxes/:id/file: the bytes of one file, with ETag and Range.
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { Hono } from "hono";
import { HandrailError } from "../../shared/errors.ts";
import type { ServerContext } from "../context.ts";
import * as limits from "../limits.ts";
import { fsError } from "../paths/fs-error.ts";
import { openFile } from "../paths/inside.ts";
import { relativePath } from "../paths/relative-path.ts";
import { ready } from "../sandbox.ts";
import type { RouteEnv } from "./answers.ts";

export function fileRoute(app: Hono<RouteEnv>, server: ServerContext): void {
  app.get("/v1/sandboxes/:id/file", async (c) => {
    const asked = c.req.query("path");
    if (!asked) throw new HandrailError("invalid_request", "path: missing; name a file of the workspace.");
    const path = relativePath(asked);
    const { folder } = await ready(await server.registry.get(c.req.param("id")));
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
        c.req
          .header("if-none-match")
          ?.split(",")
          .some((one) => one.trim().replace(/^W\//, "") === tag)
      )
        return c.body(null, 304, headers);
      const range = rangeOf(c.req.header("range"), stat.size);
      if (range === "beyond") {
        const error = new HandrailError("invalid_request", `range: the file has ${stat.size} bytes.`).toInfo(
          c.get("requestId"),
        );
        return c.json({ error }, 416, { "content-range": `bytes */${stat.size}` });
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
      if (!range) return c.body(body, 200, headers);
      return c.body(body, 206, { ...headers, "content-range": `bytes ${start}-${end - 1}/${stat.size}` });
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
 * One range of bytes, `end` excluded; undefined = the whole file (no header, or one that is not understood: RFC 9110
 * 14.2).
 */
function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number } | "beyond" | undefined {
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
