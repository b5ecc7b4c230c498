// Folders of a machine that hold installations of many makers: which of them are never shown whole, and what in an
// installation is not part of its programs.
import { lstatSync } from "node:fs";
import { join } from "node:path";

/** https://refspecs.linuxfoundation.org/FHS_3.0/fhs/ch03s13.html; a snap is an installation below /snap. */
export const optionalSoftware: readonly string[] = ["/opt", "/snap"];

/** Programs here ask a service of the machine to start the real ones: in a jail they cannot. */
export const snapLaunchers = "/snap/bin";

/** https://docs.brew.sh/Homebrew-on-Linux: programs link to each other all over the prefix. */
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

/** Whether a folder belongs to the whole machine, so that no program in it is a reason to show it. */
export function isCommon(folder: string): boolean {
  return commonFolders.includes(folder);
}

/** Where services of an installation keep sockets, data and locks; `var` of Homebrew and of /usr/local first of all. */
const runtimeParts = ["var", "run", "tmp"];

/** The existing ones among those parts of what the jail shows that are covered by empty folders. */
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
