// Reads the kernel's current values in /proc and /sys. A file or folder that is gone counts as empty.
import { readdirSync, readFileSync } from "node:fs";

/**
 * By default each byte becomes one character, which is quick for long ASCII texts; "" if the file cannot be
 * read.
 */
export function readNow(path: string, encoding: BufferEncoding = "latin1"): string {
  try {
    return readFileSync(path, encoding);
  } catch {
    return "";
  }
}

/** The names in a folder; none if it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
