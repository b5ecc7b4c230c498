import { request as plainRequest } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { authorized } from "../../harness/sse.ts";
import type { GetTarget } from "./target.ts";

interface RawAnswer {
  encoding: string | undefined;
  bytes: Buffer;
}

/** The answer as it was sent, because fetch would decompress it. */
function raw(target: ReturnType<GetTarget>, path: string, encoding?: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const headers = { ...authorized(target.token), ...(encoding ? { "accept-encoding": encoding } : {}) };
    plainRequest(`${target.url}${path}`, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ encoding: response.headers["content-encoding"], bytes: Buffer.concat(chunks) }),
      );
      response.on("error", reject);
    })
      .on("error", reject)
      .end();
  });
}

export function describeCompression(target: GetTarget): void {
  describe("compressed answers", () => {
    const path = "/api/openapi.json";

    test("a client that does not ask for gzip does not get it", async () => {
      for (const asked of [undefined, "identity", "gzip;q=0"]) {
        const { encoding, bytes } = await raw(target(), path, asked);
        expect(encoding).toBeUndefined();
        expect(JSON.parse(bytes.toString())).toMatchObject({ openapi: "3.1.0" });
      }
    });

    test("a client that asks for gzip gets the same answer, compressed by us or by the platform", async () => {
      const plain = await raw(target(), path);
      for (const asked of ["gzip", "br, gzip;q=0.8"]) {
        const { encoding, bytes } = await raw(target(), path, asked);
        const whole = encoding === "br" ? brotliDecompressSync(bytes) : gunzipSync(bytes);
        expect(whole.equals(plain.bytes)).toBe(true);
      }
    });
  });
}
