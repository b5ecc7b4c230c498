// How the bytes of a model's answer come in. A host where reading is dear brings a reader of its own.

export interface BodyReader {
  /** The next bytes. `atOnce`: as soon as there are any, whatever the reader's pace. Rejects where the body breaks off. */
  read(atOnce?: boolean): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  /** Nobody reads on. What is left is for the request's signal to end. */
  end(): void;
}

export type ReadBody = (body: ReadableStream<Uint8Array<ArrayBuffer>>) => BodyReader;

/** Every piece as it comes. */
export const readAsItComes: ReadBody = (body) => {
  const reader = body.getReader();
  return { read: () => reader.read(), end: () => undefined };
};
