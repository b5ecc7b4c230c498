// Reads a request's JSON body within its caps and through a schema. The only place that touches a body.
import type { Context } from "hono";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { describeProblem } from "../../shared/schema-problem.ts";
import { limits } from "../limits.ts";

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/**
 * The request's body, parsed. `Content-Encoding: gzip` is inflated; an empty body reads as `{}`.
 * Throws `invalid_request` naming the field and the remedy, or `too_large`.
 */
export async function readJson<T extends z.core.$ZodType>(c: Context, schema: T): Promise<z.output<T>> {
  const text = await readText(c.req.raw);
  const value = text.trim() === "" ? {} : parseJson(text);
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  throw new HandrailError("invalid_request", describeProblem(parsed.error, "body", value));
}

async function readText(request: Request): Promise<string> {
  if (!request.body) return "";
  // Read even where it is refused: some hosts close a connection whose request was not read to its end.
  const sent = await collect(request.body, limits.maxDrainedBytes);
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity" && encoding !== "gzip") {
    throw new HandrailError(
      "invalid_request",
      "Content-Encoding: only gzip is understood; send gzip or plain JSON.",
    );
  }
  const bytes = encoding === "gzip" ? await collect(inflated(sent), 0) : sent;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await bytes.arrayBuffer());
  } catch {
    throw new HandrailError("invalid_request", "body: not valid UTF-8; send JSON encoded as UTF-8.");
  }
}

function inflated(sent: Blob): Bytes {
  return sent.stream().pipeThrough(new DecompressionStream("gzip"));
}

/**
 * All of `body`, at most `limits.maxBodyBytes`. What is over the cap is read on and thrown away for another
 * `drainBytes`: a client that is still sending would take a closed connection for a broken one and miss the answer.
 */
async function collect(body: Bytes, drainBytes: number): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let seenBytes = 0;
  try {
    for await (const chunk of body) {
      seenBytes += chunk.byteLength;
      if (seenBytes <= limits.maxBodyBytes) chunks.push(chunk);
      else if (seenBytes > limits.maxBodyBytes + drainBytes) break;
    }
  } catch (cause) {
    throw new HandrailError("invalid_request", "body: could not be read to its end; send it again, whole.", {
      cause,
    });
  }
  if (seenBytes <= limits.maxBodyBytes) return new Blob(chunks);
  throw new HandrailError("too_large", "body: over 8 MB; send less, or the tail of a long history.");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HandrailError("invalid_request", "body: not valid JSON; send one JSON object.");
  }
}
