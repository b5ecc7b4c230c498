// Splits a stream of bytes into pieces of known length, and holds no more of it than was asked for.

export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next bytes, at most `most`; undefined at the end of the stream. */
  async some(most: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done) return undefined;
      this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    }
    const taken = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  /** Exactly `length` bytes, or undefined if the stream ends before. */
  async exactly(length: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0; ) {
      const part = await this.some(missing);
      if (!part) return undefined;
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }
}
