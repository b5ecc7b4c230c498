// Reads the name in the first message of a TLS connection (RFC 8446 4.1.2, RFC 6066 3). It decrypts and
// changes nothing.

export type Hello =
  /** More bytes are needed. */
  | { state: "part" }
  /** Not the beginning of TLS, or not parsable. */
  | { state: "other" }
  /**
   * `name`: undefined if none is given. `hidden`: the message contains a second, encrypted hello with another
   * name (ECH).
   */
  | { state: "hello"; name: string | undefined; hidden: boolean };

const handshake = 22;
const clientHello = 1;
const serverName = 0;
/**
 * encrypted_client_hello, https://www.iana.org/assignments/tls-extensiontype-values, and the number that its
 * drafts used.
 */
const encryptedHello = new Set([0xfe0d, 0xffce]);
/** The most bytes of one record (RFC 8446 5.1). */
const recordBytes = 16_384;
/**
 * Hellos with post-quantum keys take about 2 KB. The limit is small because the hello is parsed again with
 * each piece.
 */
const helloBytes = 16_384;

/** Parses `bytes`, which is everything that the client has sent so far. */
export function readHello(bytes: Buffer): Hello {
  if (bytes.length > 1 && bytes[1] !== 3) return { state: "other" };
  const message = handshakeBytes(bytes);
  if (message === undefined) return { state: "other" };
  if (message.length > 0 && message[0] !== clientHello) return { state: "other" };
  if (message.length < 4) return { state: "part" };
  const length = message.readUIntBE(1, 3);
  if (length > helloBytes) return { state: "other" };
  if (message.length < 4 + length) return { state: "part" };
  try {
    return { state: "hello", ...extensionsOf(new HelloReader(message.subarray(4, 4 + length))) };
  } catch (error) {
    if (error instanceof RangeError) return { state: "other" };
    throw error;
  }
}

/**
 * The handshake message, which may be split over several records. undefined = one of them is not a handshake
 * record.
 */
function handshakeBytes(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== handshake) return isWhole(parts) ? Buffer.concat(parts) : undefined;
    if (bytes.length < at + 5) break;
    const length = bytes.readUInt16BE(at + 3);
    // Empty records carry nothing, and there could be any number of them.
    if (length === 0 || length > recordBytes) return undefined;
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  return Buffer.concat(parts);
}

function isWhole(parts: readonly Buffer[]): boolean {
  const message = Buffer.concat(parts);
  return message.length >= 4 && message.length >= 4 + message.readUIntBE(1, 3);
}

function extensionsOf(hello: HelloReader): { name: string | undefined; hidden: boolean } {
  hello.skip(2 + 32);
  hello.part(1);
  hello.part(2);
  hello.part(1);
  let names: string[] = [];
  let hidden = false;
  if (hello.left === 0) return { name: undefined, hidden };
  const extensions = hello.part(2);
  const seen = new Set<number>();
  while (extensions.left > 0) {
    const type = extensions.number(2);
    const body = extensions.part(2);
    if (seen.has(type)) throw new RangeError("an extension comes twice");
    seen.add(type);
    if (encryptedHello.has(type)) hidden = true;
    if (type === serverName) names = namesOf(body);
  }
  if (names.length > 1) throw new RangeError("more than one name");
  return { name: names[0], hidden };
}

function namesOf(body: HelloReader): string[] {
  const list = body.part(2);
  const names: string[] = [];
  while (list.left > 0) {
    if (list.number(1) !== 0) throw new RangeError("a name of an unknown kind");
    names.push(list.part(2).text());
  }
  return names;
}

/** Reads numbers and parts in order. Throws RangeError beyond the end. */
class HelloReader {
  #at = 0;
  constructor(private readonly bytes: Buffer) {}

  get left(): number {
    return this.bytes.length - this.#at;
  }

  skip(count: number): void {
    if (count > this.left) throw new RangeError("ends too early");
    this.#at += count;
  }

  number(size: 1 | 2): number {
    this.skip(size);
    return this.bytes.readUIntBE(this.#at - size, size);
  }

  /** The bytes after a length of `size` bytes. */
  part(size: 1 | 2): HelloReader {
    const length = this.number(size);
    this.skip(length);
    return new HelloReader(this.bytes.subarray(this.#at - length, this.#at));
  }

  text(): string {
    return this.bytes.toString("latin1");
  }
}
