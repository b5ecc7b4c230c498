// Reads the bytes of a model's answer. A host on which reading is expensive provides its own reader.

export interface BodyReader {
  /**
   * The next bytes. `atOnce`: as soon as any arrive, regardless of the reader's pace. Rejects if the body is cut off.
   */
  read(atOnce?: boolean): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  /** Stops reading: a pending read ends. */
  end(): void;
}

export type ReadBody = (body: ReadableStream<Uint8Array<ArrayBuffer>>) => BodyReader;

/**
 * Returns every piece as it arrives. A read must not rely on the request's signal to end it: on Node 20, the body of a
 * compressed answer that is aborted while its last bytes are decompressed neither ends nor fails.
 */
export const readAsItComes: ReadBody = (body) => {
  const reader = body.getReader();
  return { read: () => reader.read(), end: () => void reader.cancel().catch(() => undefined) };
};

/**
 * The first `maxChars` characters of a body, however long it is; the rest is not read. Rejects if the body is cut off.
 */
export async function beginningOf({ body }: Response, maxChars: number): Promise<string> {
  let text = "";
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.length >= maxChars) break;
  }
  return text.slice(0, maxChars);
}
