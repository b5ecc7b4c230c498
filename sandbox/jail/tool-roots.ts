// Folders of a machine that hold installations of many vendors. Tells which of them are never shown whole,
// and which parts of an installation are not programs.
import { lstatSync } from "node:fs";
import { join } from "node:path";

/** https://refspecs.linuxfoundation.org/FHS_3.0/fhs/ch03s13.html. A snap is an installation below /snap. */
export const optionalSoftware: readonly string[] = ["/opt", "/snap"];

/** The programs here ask a service of the machine to start the real ones, which they cannot do in a jail. */
export const snapLaunchers = "/snap/bin";

/**
 * https://docs.brew.sh/Homebrew-on-Linux. Programs link to each other throughout the prefix, so it is shown
 * whole.
 */
export const brewPrefix = "/home/linuxbrew/.linuxbrew";

const commonFolders = [
  ...[
    "boot",
    "dev",
    "etc",
    "home",
    "media",
    "mnt",
    "opt",
    "proc",
    "root",
    "run",
    "snap",
    "srv",
    "sys",
    "tmp",
    "var",
  ],
].map((name) => `/${name}`);

/** Whether a folder belongs to the whole machine, so that a program in it is no reason to show the folder. */
export function isCommon(folder: string): boolean {
  return commonFolders.includes(folder);
}

/**
 * Folders in which an installation's services keep sockets, data and locks, above all `var` of Homebrew and
 * of /usr/local.
 */
const runtimeParts = ["var", "run", "tmp"];

/** The runtime folders that exist in the shown places. The jail covers them with empty folders. */
export function partsToHide(shown: Iterable<string>): string[] {
  const roots = [...shown, "/usr/local"];
  return roots.flatMap((root) => runtimeParts.map((name) => join(root, name))).filter(isRealFolder);
}

function isRealFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
