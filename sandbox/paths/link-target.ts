// Tells whether a symbolic link in an archive leads out of the workspace, from the text of its target alone.
// Opens nothing.
import { posix } from "node:path";

/**
 * `folder`: the folder of the link. A link may go up first and then down. `..` after a name is refused,
 * because that name could be another link, and the path would leave the workspace there.
 */
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
