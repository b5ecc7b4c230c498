// Whether a symbolic link in an archive leads out of the workspace, by its text alone. Opens nothing.
import { posix } from "node:path";

/** `folder`: where the link is. A link may go up and then down; `..` after a name could turn round at another link and leave. */
export function leadsOut(folder: string, target: string): boolean {
  const names = target.split("/").filter((name) => name !== "" && name !== ".");
  const firstName = names.findIndex((name) => name !== "..");
  const turnsBack = firstName >= 0 && names.slice(firstName).includes("..");
  const reached = posix.join(folder, ...names);
  return (
    target.startsWith("/") ||
    target.includes("\0") ||
    names.length === 0 ||
    turnsBack ||
    reached.split("/")[0] === ".."
  );
}
