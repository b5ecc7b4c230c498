// How the bytes of a model's answer come in. A host where reading is expensive passes its own reader.

export interface BodyReader {
  /** The next bytes. `atOnce`: as soon as there are any, whatever the reader's pace. Rejects where the body breaks off. */
  read(atOnce?: boolean): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  /** Nobody reads on: a read that waits ends. */
  end(): void;
}

export type ReadBody = (body: ReadableStream<Uint8Array<ArrayBuffer>>) => BodyReader;

/**
 * Every piece as it comes. A read does not leave its end to the request's signal: on Node 20, the body of a compressed
 * answer that is aborted while its last bytes are unpacked neither ends nor fails.
 */
export const readAsItComes: ReadBody = (body) => {
  const reader = body.getReader();
  return { read: () => reader.read(), end: () => void reader.cancel().catch(() => undefined) };
};

/** At most `maxChars` of a body's text; what follows is not read, however long it is. Rejects where the body breaks off. */
export async function beginningOf({ body }: Response, maxChars: number): Promise<string> {
  let text = "";
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.length >= maxChars) break;
  }
  return text.slice(0, maxChars);
}
