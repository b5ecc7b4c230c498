// The allowed form of a path in a request. Does not look at the file system: see inside.ts.
import { folded } from "../../shared/editor-names.ts";
import { HandrailError } from "../../shared/errors.ts";

const maxPathBytes = 4096;
const maxNameBytes = 255;

/**
 * `path` as a normalised relative path with `/` between its names; "" is the workspace itself. Throws
 * `path_escape` for absolute paths, `..` and NUL, and `invalid_request` for names that no file can have.
 */
export function relativePath(path: string): string {
  if (path.includes("\0")) throw pathEscape(path, "holds a NUL character");
  if (/\p{Surrogate}/u.test(path)) throw invalid("A path is not valid Unicode. Give it in plain UTF-8.");
  if (Buffer.byteLength(path) > maxPathBytes) {
    throw invalid(`A path is longer than ${maxPathBytes} bytes. Give a shorter one.`);
  }
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)) throw pathEscape(path, "is absolute");
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === "..") throw pathEscape(path, 'holds ".."');
    if (Buffer.byteLength(name) > maxNameBytes) {
      throw invalid(`A name in the path is longer than ${maxNameBytes} bytes. Give a shorter one.`);
    }
    names.push(name);
  }
  return names.join("/");
}

/**
 * A path that a change may name: like `relativePath`, but neither the workspace itself nor anything in git's
 * own folder.
 */
export function changeablePath(path: string): string {
  const relative = relativePath(path);
  if (relative === "") throw invalid("The path is empty. Name a file inside the workspace.");
  if (relative.split("/").some((name) => folded(name) === ".git")) {
    throw new HandrailError(
      "forbidden",
      `${shown(path)} belongs to git itself and is not changed by hand. Use git instead.`,
    );
  }
  return relative;
}

export function pathEscape(path: string, why: string): HandrailError {
  return new HandrailError(
    "path_escape",
    `${shown(path)} ${why}. Use a path relative to the workspace that stays inside it.`,
    { details: { path: shown(path) } },
  );
}

/** `path` in a short and printable form, for a message. */
export function shown(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed here.
  const printable = path.replace(/[\u0000-\u001f\u007f]/g, "?").replace(/\p{Surrogate}/gu, "?");
  return printable.length > 200 ? `${printable.slice(0, 200)}…` : printable;
}

function invalid(message: string): HandrailError {
  return new HandrailError("invalid_request", message);
}
