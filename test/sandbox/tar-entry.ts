// Makes archives by hand, which can contain entries that no honest program packs. For tests.
import { gzipSync } from "node:zlib";

/** One ustar entry. */
export function entry(name: string, type: string, content = "", target = ""): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write("0000644\0", 100);
  header.write(`${Buffer.byteLength(content).toString(8).padStart(11, "0")}\0`, 124);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(target, 157);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const padded = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
  padded.write(content);
  return Buffer.concat([header, padded]);
}
/** The entries as a tar.gz. */
export const tarOf = (...entries: Buffer[]) => gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]));
