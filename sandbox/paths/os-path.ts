// Represents file names as text without loss. Linux allows any bytes in them, so a program may choose names
// that are not UTF-8.
import { isUtf8 } from "node:buffer";

/**
 * In a name that is not UTF-8, a byte above 127 becomes this number plus the byte: half a surrogate pair,
 * which UTF-8 never contains.
 */
const half = 0xdc00;

/** The name as text: decoded if it is UTF-8, otherwise with one character for each byte. */
export function decodeName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : half + byte)).join("");
}

/** Whether programs can be given the path: here their arguments are UTF-8. */
export function isPlainPath(path: string): boolean {
  return !/\p{Surrogate}/u.test(path);
}

/** The path of such names in the form that the file system accepts. */
export function osPath(path: string): string | Buffer {
  if (isPlainPath(path)) return path;
  const parts = Array.from(path, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code > half && code <= half + 0xff ? Buffer.from([code - half]) : Buffer.from(char, "utf8");
  });
  return Buffer.concat(parts);
}
