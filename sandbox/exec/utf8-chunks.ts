// Decodes text from bytes that arrive in chunks cut anywhere. Invalid UTF-8 becomes U+FFFD, never an error.

export class Utf8Chunks {
  #pending: Buffer = Buffer.alloc(0);

  /** The text that `chunk` completes. */
  push(chunk: Buffer): string {
    const bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const whole = bytes.length - unfinishedTail(bytes);
    this.#pending = Buffer.from(bytes.subarray(whole));
    return bytes.toString("utf8", 0, whole);
  }

  /** The remaining text at the end of the stream. */
  end(): string {
    const rest = this.#pending.toString("utf8");
    this.#pending = Buffer.alloc(0);
    return rest;
  }
}

/** How many bytes at the end begin a character that is not complete; 0 to 3. */
export function unfinishedTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > back ? back : 0;
  }
  return 0;
}

/** How many bytes at the beginning continue an earlier character; 0 to 3. */
export function strayHead(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && count < bytes.length && ((bytes[count] ?? 0) & 0xc0) === 0x80) count++;
  return count;
}
