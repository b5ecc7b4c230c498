// Reads a request's JSON body, with limits and through a schema. No other code reads a body.
import type { Context } from "hono";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { isDeeperThan } from "../../shared/json-depth.ts";
import { describeProblem } from "../../shared/schema-problem.ts";
import { type Chunk, collect, decodeText, inflated, packed, unreadable } from "../gzip.ts";
import * as limits from "../limits.ts";
import { unknownField } from "./unknown-field.ts";

/**
 * The parsed body of the request. `Content-Encoding: gzip` is supported; an empty body counts as `{}`. Throws
 * `invalid_request` naming the field and the remedy, or `too_large`.
 */
export async function readJson<T extends z.core.$ZodType>(c: Context, schema: T): Promise<z.output<T>> {
  return parseJson(await textIn(await readSent(c.req.raw)), schema);
}

/** The same, together with a function that returns the body in its original form: see `packed`. */
export async function readPosted<T extends z.core.$ZodType>(
  c: Context,
  schema: T,
): Promise<{ body: z.output<T>; pack(): Promise<string> }> {
  const sent = await readSent(c.req.raw);
  return { body: parseJson(await textIn(sent), schema), pack: () => packed(sent.chunks, sent.isGzip) };
}

function parseJson<T extends z.core.$ZodType>(text: string, schema: T): z.output<T> {
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

/** The body with its original encoding. */
interface Sent {
  chunks: Chunk[];
  isGzip: boolean;
}

async function textIn({ chunks, isGzip }: Sent): Promise<string> {
  return decodeText(isGzip && chunks.length > 0 ? await inflated(chunks) : chunks);
}

/** A body that is too large is still read to its end, because otherwise some hosts close the connection. */
async function readSent(request: Request): Promise<Sent> {
  const chunks = await readBytes(request);
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding === "identity" || encoding === "gzip") return { chunks, isGzip: encoding === "gzip" };
  throw new HandrailError(
    "invalid_request",
    "Content-Encoding: only gzip is understood; send gzip or plain JSON.",
  );
}

async function readBytes(request: Request): Promise<Chunk[]> {
  // The host enforces a declared length, so the body can be read at once instead of in small pieces.
  const length = request.headers.has("transfer-encoding") ? null : request.headers.get("content-length");
  if (length !== null && Number(length) <= limits.maxBodyBytes) {
    const bytes = await request.arrayBuffer().catch(unreadable);
    return bytes.byteLength > 0 ? [new Uint8Array(bytes)] : [];
  }
  return request.body ? collect(request.body, limits.maxDrainedBytes) : [];
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HandrailError("invalid_request", "body: not valid JSON; send one JSON object.");
  }
}
