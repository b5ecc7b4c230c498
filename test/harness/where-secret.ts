// Searches this machine for a secret: in processes while something runs, and in files afterwards.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/**
 * `look` records processes of this machine whose arguments or environment contain `text`, except the test's
 * own.
 */
export function processesWith(text: string): { processes: ReadonlySet<string>; look(): void } {
  const processes = new Set<string>();
  const holds = (path: string) => {
    try {
      return readFileSync(path, "latin1").includes(text);
    } catch {
      return false;
    }
  };
  const look = () => {
    for (const pid of readdirSync("/proc").filter(
      (name) => /^\d+$/.test(name) && name !== String(process.pid),
    ))
      for (const name of ["cmdline", "environ"])
        if (holds(`/proc/${pid}/${name}`)) processes.add(`${pid} ${name}`);
  };
  return { processes, look };
}

/** Files below `folder` that contain `text`, whatever their format. */
export function filesWith(folder: string, text: string): string {
  try {
    return execFileSync("grep", ["-rlaF", text, folder], { encoding: "utf8" });
  } catch {
    return "";
  }
}
