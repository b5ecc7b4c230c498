// Translates errors of the file system into those of the protocol. A message never contains a path of this
// machine.
import { HandrailError } from "../../shared/errors.ts";
import { diskError } from "./disk-error.ts";
import { pathEscape, shown } from "./relative-path.ts";

export function errnoOf(error: unknown): string | undefined {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return undefined;
}

/** `error`, which occurred at `path`, as a HandrailError. A HandrailError is returned unchanged. */
export function fsError(error: unknown, path: string): HandrailError {
  if (error instanceof HandrailError) return error;
  const name = shown(path);
  const cause = { cause: error };
  switch (errnoOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return new HandrailError(
        "not_found",
        `${name} does not exist in the workspace. List the folder to see what does.`,
        cause,
      );
    case "ELOOP":
      return pathEscape(path, "is a link that leads nowhere");
    case "ENXIO":
    case "ENODEV":
      return pathEscape(path, "is not a regular file");
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new HandrailError(
        "forbidden",
        `${name} may not be opened: the file system refuses it. Check its permissions.`,
        cause,
      );
    case "EISDIR":
      return new HandrailError(
        "invalid_request",
        `${name} is a folder. Name a file, or list the folder.`,
        cause,
      );
    case "ENAMETOOLONG":
    case "EINVAL":
      return new HandrailError(
        "invalid_request",
        `${name} is not a name this file system can hold. Use a shorter, plainer one.`,
        cause,
      );
    default:
      return (
        diskError(error, "workspace") ??
        new HandrailError("internal", `${name} could not be used: the file system failed.`, {
          ...cause,
          retryable: true,
        })
      );
  }
}
