// Reads a file of the workspace as text. Size, encoding and kind are checked only here.
import { HandrailError } from "../../shared/errors.ts";
import * as limits from "../limits.ts";
import { fsError } from "./fs-error.ts";
import { openFile } from "./inside.ts";
import { shown } from "./relative-path.ts";

/** User id and group id of a file. */
export interface Owner {
  uid: number;
  gid: number;
}

export interface TextFile {
  /** The real path of the file inside the workspace. */
  path: string;
  /** The whole content, including a BOM. */
  text: string;
  bytes: Buffer;
  /** Permission bits. */
  mode: number;
  owner: Owner;
}

/** Throws `not_found`, `path_escape`, `too_large`, `not_text`. */
export async function readTextFile(root: string, path: string): Promise<TextFile> {
  const opened = await openFile(root, path);
  try {
    if (opened.stat.size > limits.fileBytes) throw tooLarge(path, opened.stat.size);
    const bytes = await opened.handle.readFile();
    // The inode's size may be wrong (/proc), or the file may have grown since.
    if (bytes.length > limits.fileBytes) throw tooLarge(path, bytes.length);
    const { mode, uid, gid } = opened.stat;
    return {
      ...{ path: opened.path, text: decodeText(bytes, path), bytes },
      ...{ mode: mode & 0o7777, owner: { uid, gid } },
    };
  } catch (error) {
    throw fsError(error, path);
  } finally {
    await opened.handle.close();
  }
}

/** Throws `not_text` for NUL bytes and invalid UTF-8. Keeps a BOM. */
export function decodeText(bytes: Uint8Array, path: string): string {
  if (bytes.includes(0)) throw notText(path, "holds NUL bytes");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notText(path, "is not valid UTF-8");
  }
}

function notText(path: string, why: string): HandrailError {
  return new HandrailError(
    "not_text",
    `${shown(path)} is not a text file: it ${why}. It cannot be read or edited by lines; a command can look at it.`,
    { details: { path: shown(path) } },
  );
}

function tooLarge(path: string, size: number): HandrailError {
  return new HandrailError(
    "too_large",
    `${shown(path)} has ${size} bytes; files above ${limits.fileBytes} are not read whole. ` +
      "Search in it, or run a command such as `sed -n '1,200p'`, `head` or `tail` on it.",
    { details: { path: shown(path), size, maxBytes: limits.fileBytes } },
  );
}
