// Names of files as text that loses nothing: Linux takes any bytes, and a program may choose some that are not UTF-8.
import { isUtf8 } from "node:buffer";

/** A byte above 127 of a name that is not UTF-8 becomes this and itself: half a pair, which no UTF-8 holds. */
const half = 0xdc00;

/** The name as text: as it reads where it is UTF-8, else each of its bytes as one character. */
export function nameOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : half + byte)).join("");
}

/** Whether programs can be given the path: their arguments are UTF-8 here. */
export function isPlainPath(path: string): boolean {
  return !/\p{Surrogate}/u.test(path);
}

/** What the file system takes for a path made of such names. */
export function osPath(path: string): string | Buffer {
  if (isPlainPath(path)) return path;
  const parts = Array.from(path, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code > half && code <= half + 0xff ? Buffer.from([code - half]) : Buffer.from(char, "utf8");
  });
  return Buffer.concat(parts);
}
