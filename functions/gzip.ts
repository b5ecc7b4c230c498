// Inflates bodies up to a limit, and compresses them into text for a JSON field and back.
import { HandrailError } from "../shared/errors.ts";
import * as limits from "./limits.ts";

export type Chunk = Uint8Array<ArrayBuffer>;
type Bytes = ReadableStream<Chunk>;

export function inflated(sent: readonly Chunk[]): Promise<Chunk[]> {
  return collect(new Blob([...sent]).stream().pipeThrough(new DecompressionStream("gzip")), 0);
}

/** Throws `invalid_request` if the bytes are not UTF-8. */
export function decodeText(chunks: readonly Chunk[]): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
  } catch {
    throw new HandrailError("invalid_request", "body: not valid UTF-8; send JSON encoded as UTF-8.");
  }
}

/**
 * All of `body`, at most `limits.maxBodyBytes`. Up to `drainBytes` above the limit are read and discarded: a client
 * that is still sending would otherwise see a broken connection instead of the response.
 */
export async function collect(body: Bytes, drainBytes: number): Promise<Chunk[]> {
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
  throw new HandrailError("too_large", "body: over 8 MB; send less, or the tail of a long history.");
}

export function unreadable(cause: unknown): never {
  throw new HandrailError("invalid_request", "body: could not be read to its end; send it again, whole.", {
    cause,
  });
}

/** A body in its original form, compressed and in base64. */
export async function packed(sent: readonly Chunk[], isGzip: boolean): Promise<string> {
  const blob = new Blob([...sent]);
  const bytes = isGzip ? blob : new Response(blob.stream().pipeThrough(new CompressionStream("gzip")));
  const all = new Uint8Array(await bytes.arrayBuffer());
  let text = "";
  // As many arguments as every runtime accepts.
  for (let at = 0; at < all.length; at += 8_192) text += String.fromCharCode(...all.subarray(at, at + 8_192));
  return btoa(text);
}

/** The text that `packed` encoded. */
export async function unpacked(base64: string): Promise<string> {
  return decodeText(await inflated([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))]));
}
