// Removes folders that commands made, however deep they are.
import { execFile } from "node:child_process";
import { findProgram } from "../exec/environment.ts";

/**
 * Resolves when the folder is gone, or as much of it as this server's user may remove. It never rejects,
 * because leftovers must not keep anything else from working. `rm` descends folder by folder; Node's own
 * function uses whole paths and fails above PATH_MAX.
 */
export function removeTree(path: string): Promise<void> {
  return new Promise((resolve) => {
    execFile(findProgram("rm") ?? "/bin/rm", ["-rf", "--", path], () => resolve());
  });
}
