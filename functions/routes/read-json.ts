// Reads a request's JSON body within its caps and through a schema. The only place that touches a body.
import type { Context } from "hono";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { describeProblem } from "../../shared/schema-problem.ts";
import { limits } from "../limits.ts";

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
  const announced = Number(request.headers.get("content-length") ?? "0");
  if (announced > limits.maxBodyBytes) throw tooLarge();
  if (!request.body) return "";
  const sent = capped(request.body);
  const bytes = await collect(inflate(sent, request.headers.get("content-encoding")));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new HandrailError("invalid_request", "body: not valid UTF-8; send JSON encoded as UTF-8.");
  }
}

function inflate(body: ReadableStream<Uint8Array<ArrayBuffer>>, encoding: string | null) {
  if (encoding === null || encoding === "identity") return body;
  if (encoding !== "gzip") {
    throw new HandrailError(
      "invalid_request",
      "Content-Encoding: only gzip is understood; send gzip or plain JSON.",
    );
  }
  return capped(body.pipeThrough(new DecompressionStream("gzip")));
}

/** `body`, failing with `too_large` once it is past the cap. */
function capped(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let seenBytes = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        seenBytes += chunk.byteLength;
        if (seenBytes > limits.maxBodyBytes) controller.error(tooLarge());
        else controller.enqueue(chunk);
      },
    }),
  );
}

async function collect(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<ArrayBuffer> {
  try {
    return await new Response(body).arrayBuffer();
  } catch (cause) {
    if (cause instanceof HandrailError) throw cause;
    throw new HandrailError("invalid_request", "body: could not be read to its end; send it again, whole.", {
      cause,
    });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HandrailError("invalid_request", "body: not valid JSON; send one JSON object.");
  }
}

function tooLarge(): HandrailError {
  return new HandrailError("too_large", "body: over 8 MB; send less, or the tail of a long history.");
}
