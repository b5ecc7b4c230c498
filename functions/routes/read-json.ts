// Reads a request's JSON body within its caps and through a schema. The only place that touches a body.
import type { Context } from "hono";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { isDeeperThan } from "../../shared/json-depth.ts";
import { describeProblem } from "../../shared/schema-problem.ts";
import { limits } from "../limits.ts";
import { unknownField } from "./unknown-field.ts";

type Chunk = Uint8Array<ArrayBuffer>;
type Bytes = ReadableStream<Chunk>;

/**
 * The request's body, parsed. `Content-Encoding: gzip` is inflated; an empty body reads as `{}`.
 * Throws `invalid_request` naming the field and the remedy, or `too_large`.
 */
export async function readJson<T extends z.core.$ZodType>(c: Context, schema: T): Promise<z.output<T>> {
  const text = await readText(c.req.raw);
  const value = text.trim() === "" ? {} : parseBody(text);
  if (isDeeperThan(value, limits.jsonDepth)) {
    throw new HandrailError(
      "invalid_request",
      `body: nested deeper than ${limits.jsonDepth} levels; send it flatter.`,
    );
  }
  const parsed = z.safeParse(schema, value);
  if (!parsed.success)
    throw new HandrailError("invalid_request", describeProblem(parsed.error, "body", value));
  const unknown = unknownField(value, parsed.data);
  if (unknown !== undefined) throw new HandrailError("invalid_request", unknown);
  return parsed.data;
}

async function readText(request: Request): Promise<string> {
  const sent = await readSent(request);
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity" && encoding !== "gzip") {
    throw new HandrailError(
      "invalid_request",
      "Content-Encoding: only gzip is understood; send gzip or plain JSON.",
    );
  }
  const chunks = encoding === "gzip" && sent.length > 0 ? await collect(inflated(sent), 0) : sent;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
  } catch {
    throw new HandrailError("invalid_request", "body: not valid UTF-8; send JSON encoded as UTF-8.");
  }
}

/** A refused body is read to its end too: some hosts close the connection otherwise. */
async function readSent(request: Request): Promise<Chunk[]> {
  // The host enforces a declared length, so the body is read in one go and not in small pieces.
  const length = request.headers.has("transfer-encoding") ? null : request.headers.get("content-length");
  if (length !== null && Number(length) <= limits.maxBodyBytes) {
    const bytes = await request.arrayBuffer().catch(unreadable);
    return bytes.byteLength > 0 ? [new Uint8Array(bytes)] : [];
  }
  return request.body ? collect(request.body, limits.maxDrainedBytes) : [];
}

function inflated(sent: readonly Chunk[]): Bytes {
  return new Blob([...sent]).stream().pipeThrough(new DecompressionStream("gzip"));
}

/**
 * All of `body`, at most `limits.maxBodyBytes`. Up to `drainBytes` above the cap are read and thrown away: a client
 * that is still sending would take a closed connection for a broken one and miss the answer.
 */
async function collect(body: Bytes, drainBytes: number): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  let seenBytes = 0;
  try {
    for await (const chunk of body) {
      seenBytes += chunk.byteLength;
      if (seenBytes <= limits.maxBodyBytes) chunks.push(chunk);
      else if (seenBytes > limits.maxBodyBytes + drainBytes) break;
    }
  } catch (cause) {
    unreadable(cause);
  }
  if (seenBytes <= limits.maxBodyBytes) return chunks;
  throw tooLarge();
}

function unreadable(cause: unknown): never {
  throw new HandrailError("invalid_request", "body: could not be read to its end; send it again, whole.", {
    cause,
  });
}

function tooLarge(): HandrailError {
  return new HandrailError("too_large", "body: over 8 MB; send less, or the tail of a long history.");
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HandrailError("invalid_request", "body: not valid JSON; send one JSON object.");
  }
}
