// Reads tar (ustar, pax, GNU long names) as it streams by. It only reports the entries: it checks no path and
// writes nothing. We do not use modern-tar (0.8.6 was tried): its reader treats every unknown type as a file
// and hides the type, so a sparse file of GNU tar would be unpacked with its map and without its holes,
// unnoticed.
import { HandrailError } from "../../shared/errors.ts";
import { ByteReader } from "./byte-reader.ts";

export interface TarEntry {
  path: string;
  kind: "file" | "folder" | "link";
  executable: boolean;
  /** Target of a link, as the archive has it. */
  target: string;
  /** The file's bytes. The rest is skipped when the next entry is requested. */
  content: AsyncIterable<Buffer>;
}

const block = 512;
/** A path has at most 4,096 bytes, and an extended header has a few records. */
const maxHeaderBytes = 64 * 1024;

/**
 * Throws `invalid_request` if the stream is not tar or has a sparse file, and `path_escape` for hard links,
 * devices and FIFOs.
 */
export async function* readTar(stream: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry, void> {
  const bytes = new ByteReader(stream);
  let longName: string | undefined;
  let longTarget: string | undefined;
  let pax = new Map<string, string>();
  for (;;) {
    const header = await bytes.exactly(block);
    if (!header) throw broken("its end is missing");
    if (header.every((byte) => byte === 0)) return drain(bytes);
    checkSum(header);
    const size = pax.has("size") ? Number(pax.get("size")) : number(header, 124, 12);
    if (!Number.isSafeInteger(size) || size < 0) throw broken("a size in it is wrong");
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === "x" || type === "g" || type === "L" || type === "K") {
      const content = await headerContent(bytes, size);
      if (type === "x") pax = paxRecords(content);
      if ([...pax.keys()].some((key) => key.startsWith("GNU.sparse."))) throw sparse();
      if (type === "L") longName = text(content, 0, content.length);
      if (type === "K") longTarget = text(content, 0, content.length);
      continue;
    }
    const path = pax.get("path") ?? longName ?? ustarName(header);
    const target = pax.get("linkpath") ?? longTarget ?? text(header, 157, 100);
    const content = new EntryContent(bytes, size);
    const executable = (number(header, 100, 8) & 0o111) !== 0;
    yield { path, kind: kindOf(type, path), executable, target, content };
    await content.skip();
    longName = undefined;
    longTarget = undefined;
    pax = new Map();
  }
}

/** The bytes after the end marker are padding, but they are read so that the sender can finish. */
async function drain(bytes: ByteReader): Promise<void> {
  while (await bytes.some(Number.MAX_SAFE_INTEGER)) {}
}

async function headerContent(bytes: ByteReader, size: number): Promise<Buffer> {
  if (size > maxHeaderBytes) throw broken("an extended header is too long");
  const content = await bytes.exactly(size + padding(size));
  if (!content) throw cutOff();
  return content.subarray(0, size);
}

function padding(size: number): number {
  return (block - (size % block)) % block;
}

/** The bytes of one entry, read once, and the padding after them. */
class EntryContent implements AsyncIterable<Buffer> {
  readonly #bytes: ByteReader;
  #left: number;
  #padding: number;

  constructor(bytes: ByteReader, size: number) {
    this.#bytes = bytes;
    this.#left = size;
    this.#padding = padding(size);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    while (this.#left > 0) {
      const part = await this.#bytes.some(this.#left);
      if (!part) throw cutOff();
      this.#left -= part.length;
      yield part;
    }
  }

  async skip(): Promise<void> {
    for await (const _part of this) {
    }
    if (!(await this.#bytes.exactly(this.#padding))) throw cutOff();
    this.#padding = 0;
  }
}

function cutOff(): HandrailError {
  return broken("it ends in the middle of an entry");
}

function kindOf(type: string, path: string): TarEntry["kind"] {
  if (type === "0" || type === "\0" || type === "7") return path.endsWith("/") ? "folder" : "file";
  if (type === "5") return "folder";
  if (type === "2") return "link";
  if (type === "S") throw sparse();
  throw new HandrailError(
    "path_escape",
    "The archive holds a hard link, a device or a FIFO. Pack none of them.",
  );
}

function sparse(): HandrailError {
  return new HandrailError(
    "invalid_request",
    "The archive holds a sparse file. Pack it again without tar's option -S (--sparse).",
  );
}

function checkSum(header: Buffer): void {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (sum !== number(header, 148, 8)) throw broken("an entry's checksum is wrong");
}

function ustarName(header: Buffer): string {
  const name = text(header, 0, 100);
  const prefix = text(header, 257, 5) === "ustar" ? text(header, 345, 155) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

function text(bytes: Buffer, start: number, length: number): string {
  const field = bytes.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end < 0 ? field.length : end);
}

/** Octal text, or base 256 if the first bit is set (GNU). */
function number(bytes: Buffer, start: number, length: number): number {
  const field = bytes.subarray(start, start + length);
  if (((field[0] ?? 0) & 0x80) !== 0)
    return field.subarray(1).reduce((value, byte) => value * 256 + byte, (field[0] ?? 0) & 0x7f);
  const digits = text(bytes, start, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw broken("a number in it is not octal");
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}

/** The records of a pax header: `LENGTH KEY=VALUE\n`, with the length in bytes. */
function paxRecords(content: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let position = 0; position < content.length; ) {
    const space = content.indexOf(0x20, position);
    const length = Number(content.toString("latin1", position, space));
    if (space < 0 || !Number.isInteger(length) || length <= space - position)
      throw broken("an extended header is wrong");
    const record = content.toString("utf8", space + 1, position + length - 1);
    const equals = record.indexOf("=");
    records.set(record.slice(0, equals), record.slice(equals + 1));
    position += length;
  }
  return records;
}

function broken(why: string): HandrailError {
  return new HandrailError(
    "invalid_request",
    `The body is not a complete tar.gz archive: ${why}. Pack it again.`,
  );
}
